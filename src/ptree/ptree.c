/*
 * ptree.c
 *	  The access method's face: handler, options, costs, operator classes.
 *
 * What ptree can do is said here and nowhere else.  It has no index-only
 * scans, because redo of generic records takes no cleanup locks; therefore a
 * condition on the first column is required too, or the planner would use an
 * index-only scan to count rows.
 */
#include "postgres.h"

#include "access/amapi.h"
#include "access/amvalidate.h"
#include "access/htup_details.h"
#include "access/reloptions.h"
#include "catalog/pg_amop.h"
#include "catalog/pg_amproc.h"
#include "catalog/pg_opclass.h"
#include "catalog/pg_type_d.h"
#include "commands/vacuum.h"
#include "fmgr.h"
#include "utils/catcache.h"
#include "utils/index_selfuncs.h"
#include "utils/regproc.h"
#include "utils/syscache.h"

#include "ptree/ptree.h"
#include "ptree/ptree_private.h"

PG_FUNCTION_INFO_V1(ptreehandler);

static relopt_kind ptree_relopt_kind;

static bytea *ptoptions(Datum reloptions, bool validate);
static void ptcostestimate(struct PlannerInfo *root, struct IndexPath *path,
						   double loop_count, Cost *startup_cost,
						   Cost *total_cost, Selectivity *selectivity,
						   double *correlation, double *pages);
static bool ptvalidate(Oid opclassoid);
static bool valid_operator(Form_pg_amop oper);
static bool valid_function(Form_pg_amproc proc);
#if PG_VERSION_NUM >= 180000
static CompareType pttranslatestrategy(StrategyNumber strategy, Oid opfamily);
static StrategyNumber pttranslatecmptype(CompareType cmptype, Oid opfamily);
#endif

/* Registers the storage parameters.  Called once from _PG_init. */
void
ptree_init(void)
{
	ptree_relopt_kind = add_reloption_kind();
	add_int_reloption(ptree_relopt_kind, "fillfactor",
					  "Packs ptree leaf pages only to this percentage when the index is built",
					  PT_DEFAULT_FILLFACTOR, PT_MIN_FILLFACTOR, 100,
					  ShareUpdateExclusiveLock);
}

bool
ptree_is_index(Relation index)
{
	return index->rd_indam->aminsert == ptinsert;
}

Datum
ptreehandler(PG_FUNCTION_ARGS)
{
	IndexAmRoutine *am = makeNode(IndexAmRoutine);

	am->amstrategies = PT_NSTRATEGIES;
	am->amsupport = PT_NPROCS;
	am->amoptsprocnum = 0;
	am->amcanorder = true;
	am->amcanorderbyop = false;
#if PG_VERSION_NUM >= 180000
	am->amcanhash = false;
	am->amconsistentequality = true;
	am->amconsistentordering = true;
#endif
	am->amcanbackward = true;
	am->amcanunique = true;
	am->amcanmulticol = true;
	am->amoptionalkey = false;
	am->amsearcharray = true;
	am->amsearchnulls = false;
	am->amstorage = false;
	am->amclusterable = true;
	am->ampredlocks = true;
	am->amcanparallel = false;
#if PG_VERSION_NUM >= 170000
	am->amcanbuildparallel = false;
#endif
	am->amcaninclude = false;
	am->amusemaintenanceworkmem = false;
#if PG_VERSION_NUM >= 160000
	am->amsummarizing = false;
#endif
	am->amparallelvacuumoptions =
		VACUUM_OPTION_PARALLEL_BULKDEL | VACUUM_OPTION_PARALLEL_COND_CLEANUP;
	am->amkeytype = InvalidOid;

	am->ambuild = ptbuild;
	am->ambuildempty = ptbuildempty;
	am->aminsert = ptinsert;
	am->ambulkdelete = ptbulkdelete;
	am->amvacuumcleanup = ptvacuumcleanup;
	am->amcanreturn = NULL;
	am->amcostestimate = ptcostestimate;
	am->amoptions = ptoptions;
	am->amvalidate = ptvalidate;
	am->ambeginscan = ptbeginscan;
	am->amrescan = ptrescan;
	am->amgettuple = ptgettuple;
	am->amgetbitmap = ptgetbitmap;
	am->amendscan = ptendscan;
	am->ammarkpos = ptmarkpos;
	am->amrestrpos = ptrestrpos;
#if PG_VERSION_NUM >= 180000
	am->amtranslatestrategy = pttranslatestrategy;
	am->amtranslatecmptype = pttranslatecmptype;
#endif

	PG_RETURN_POINTER(am);
}

/* The one error for a page that is not as it must be. */
void
_pt_report_corrupt(Relation rel, BlockNumber blkno, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INDEX_CORRUPTED),
			 errmsg("index \"%s\" is corrupt at block %u",
					RelationGetRelationName(rel), blkno),
			 errdetail_internal("%s", detail),
			 errhint("Please REINDEX it.")));
}

static bytea *
ptoptions(Datum reloptions, bool validate)
{
	static const relopt_parse_elt options[] = {
		{
			.optname = "fillfactor",
			.opttype = RELOPT_TYPE_INT,
			.offset = offsetof(PtOptions, fillfactor)
		}
	};

	return (bytea *) build_reloptions(reloptions, validate, ptree_relopt_kind,
									  sizeof(PtOptions), options,
									  lengthof(options));
}

/*
 * Costs are those of nbtree, whose estimate knows operators by their strategy
 * numbers, which are the same.  A prefix condition counts there as any bound
 * that is not an equality.  XXX The estimate assumes that scans leave killed
 * entries behind and that descents cost as in nbtree; both make ptree look no
 * cheaper than btree, which is on the safe side.
 */
static void
ptcostestimate(struct PlannerInfo *root, struct IndexPath *path,
			   double loop_count, Cost *startup_cost, Cost *total_cost,
			   Selectivity *selectivity, double *correlation, double *pages)
{
	btcostestimate(root, path, loop_count, startup_cost, total_cost,
				   selectivity, correlation, pages);
}

/* amvalidate: whether an operator class is one that ptree can serve. */
static bool
ptvalidate(Oid opclassoid)
{
	HeapTuple	classtup;
	Form_pg_opclass class;
	CatCList   *operators;
	CatCList   *functions;
	bool		result = true;
	int			found = 0;

	classtup = SearchSysCache1(CLAOID, ObjectIdGetDatum(opclassoid));
	if (!HeapTupleIsValid(classtup))
		elog(ERROR, "cache lookup failed for operator class %u", opclassoid);
	class = (Form_pg_opclass) GETSTRUCT(classtup);

	if (class->opcintype != TEXTOID && class->opcintype != BYTEAOID &&
		class->opcintype != NUMERICOID && class->opcintype != INT8OID)
	{
		ereport(INFO,
				(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
				 errmsg("operator class \"%s\" of access method %s is for a type that the access method does not support",
						NameStr(class->opcname), "ptree")));
		result = false;
	}

	operators = SearchSysCacheList1(AMOPSTRATEGY,
									ObjectIdGetDatum(class->opcfamily));
	for (int i = 0; i < operators->n_members; i++)
	{
		Form_pg_amop oper = (Form_pg_amop)
			GETSTRUCT(&operators->members[i]->tuple);

		if (!valid_operator(oper))
			result = false;
		if (oper->amoplefttype == class->opcintype &&
			oper->amoprighttype == class->opcintype &&
			oper->amopstrategy < PT_PREFIX_STRATEGY)
			found |= 1 << oper->amopstrategy;
	}
	ReleaseCatCacheList(operators);

	/* strategies 1 to 5 are needed */
	if (found != 0x3E)
	{
		ereport(INFO,
				(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
				 errmsg("operator class \"%s\" of access method %s is missing operator(s)",
						NameStr(class->opcname), "ptree")));
		result = false;
	}

	functions = SearchSysCacheList1(AMPROCNUM,
									ObjectIdGetDatum(class->opcfamily));
	for (int i = 0; i < functions->n_members; i++)
	{
		if (!valid_function((Form_pg_amproc)
							GETSTRUCT(&functions->members[i]->tuple)))
			result = false;
	}
	ReleaseCatCacheList(functions);
	ReleaseSysCache(classtup);
	return result;
}

/* The right side is the type itself or, in hash order, an int4 position. */
static bool
valid_operator(Form_pg_amop oper)
{
	if (oper->amopstrategy >= 1 && oper->amopstrategy <= PT_NSTRATEGIES &&
		oper->amoppurpose == AMOP_SEARCH &&
		(oper->amoprighttype == oper->amoplefttype ||
		 oper->amoprighttype == INT4OID) &&
		check_amop_signature(oper->amopopr, BOOLOID, oper->amoplefttype,
							 oper->amoprighttype))
		return true;

	ereport(INFO,
			(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
			 errmsg("operator family of access method %s contains invalid operator %s",
					"ptree", format_operator(oper->amopopr))));
	return false;
}

static bool
valid_function(Form_pg_amproc proc)
{
	if (proc->amprocnum == PT_HASH_PROC &&
		check_amproc_signature(proc->amproc, INT4OID, true, 1, 1,
							   proc->amproclefttype))
		return true;

	ereport(INFO,
			(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
			 errmsg("operator family of access method %s contains invalid support function %s",
					"ptree", format_procedure(proc->amproc))));
	return false;
}

#if PG_VERSION_NUM >= 180000
static CompareType
pttranslatestrategy(StrategyNumber strategy, Oid opfamily)
{
	switch (strategy)
	{
		case BTLessStrategyNumber:
			return COMPARE_LT;
		case BTLessEqualStrategyNumber:
			return COMPARE_LE;
		case BTEqualStrategyNumber:
			return COMPARE_EQ;
		case BTGreaterEqualStrategyNumber:
			return COMPARE_GE;
		case BTGreaterStrategyNumber:
			return COMPARE_GT;
		default:
			return COMPARE_INVALID;
	}
}

static StrategyNumber
pttranslatecmptype(CompareType cmptype, Oid opfamily)
{
	switch (cmptype)
	{
		case COMPARE_LT:
			return BTLessStrategyNumber;
		case COMPARE_LE:
			return BTLessEqualStrategyNumber;
		case COMPARE_EQ:
			return BTEqualStrategyNumber;
		case COMPARE_GE:
			return BTGreaterEqualStrategyNumber;
		case COMPARE_GT:
			return BTGreaterStrategyNumber;
		default:
			return InvalidStrategy;
	}
}
#endif
