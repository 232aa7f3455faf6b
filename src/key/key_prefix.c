/*
 * key_prefix.c
 *	  SQL's begins_with(), and how the planner turns it into index bounds.
 *
 * begins_with(sk, prefix) becomes sk >= prefix AND sk < prefix_successor(prefix),
 * exactly, for any prefix that is fixed while the scan runs: a constant, a
 * bound parameter of a generic plan, a value of an outer table.  A constant's
 * successor is computed while planning.
 *
 * The successor of a text is itself valid UTF-8: the last character is
 * counted up in code point order, which is byte order, so between prefix and
 * successor there are valid strings of that prefix only.  A prefix without
 * successor (empty, or all U+10FFFF; for bytea all 0xFF) gets a value above
 * every key: 1,024 times U+10FFFF, or 4,096 bytes 0xFF.  NULL would mean that
 * no row matches.  A key attribute has at most 1,024 bytes, so the bound is
 * above all of them; in a column that is no key attribute it is below only
 * such values as begin with these 4,096 bytes.  A constant needs no such
 * bound and gets none.
 *
 * All this holds for the order of bytes only, hence for C collation and UTF8,
 * and in a ptree for its sort keys.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_opfamily.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "parser/parse_func.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/pg_locale.h"

#include "base/compat.h"
#include "key/key.h"

#define ABOVE_ALL_BYTES		4096

/*
 * Assumed selectivity of a prefix that is not known while planning.  It names
 * a kind of item within a partition ("ORDER#"), so it keeps a good part of
 * the partition.  The server's 0.005 for a range of unknown bounds would make
 * the planner fetch all and sort rather than read an ordered index up to a
 * LIMIT.
 */
#define DEFAULT_PREFIX_SEL	0.1

PG_FUNCTION_INFO_V1(begins_with);
PG_FUNCTION_INFO_V1(begins_with_support);
PG_FUNCTION_INFO_V1(prefix_successor);

static bool text_successor(const char *prefix, size_t len,
						   char *successor, size_t *successor_len);
static struct varlena *successor_or_null(Oid type, struct varlena *prefix);
static List *prefix_conditions(FuncExpr *call, Oid opfamily, Oid collation);
static bool is_ptree_family(Oid opfamily, Oid type);
static Selectivity prefix_selectivity(SupportRequestSelectivity *req);
static Expr *successor_expression(FuncExpr *call, Node *prefix, Oid type);

/* begins_with(text, text), begins_with(bytea, bytea) */
Datum
begins_with(PG_FUNCTION_ARGS)
{
	struct varlena *value = PG_GETARG_VARLENA_PP(0);
	struct varlena *prefix = PG_GETARG_VARLENA_PP(1);
	size_t		prefix_len = VARSIZE_ANY_EXHDR(prefix);

	PG_RETURN_BOOL(VARSIZE_ANY_EXHDR(value) >= prefix_len &&
				   memcmp(VARDATA_ANY(value), VARDATA_ANY(prefix),
						  prefix_len) == 0);
}

/*
 * prefix_successor(text), prefix_successor(bytea): smallest value above all
 * that begin with the prefix, or the value above every key.
 */
Datum
prefix_successor(PG_FUNCTION_ARGS)
{
	Oid			type = get_fn_expr_argtype(fcinfo->flinfo, 0);
	struct varlena *result;

	if (type != TEXTOID && type != BYTEAOID)
		elog(ERROR, "prefix_successor() was called with type %u", type);
	result = successor_or_null(type, PG_GETARG_VARLENA_PP(0));
	if (result == NULL)
	{
		char	   *data;

		result = palloc(VARHDRSZ + ABOVE_ALL_BYTES);
		SET_VARSIZE(result, VARHDRSZ + ABOVE_ALL_BYTES);
		data = VARDATA(result);
		if (type == BYTEAOID)
			memset(data, 0xFF, ABOVE_ALL_BYTES);
		else
		{
			for (int i = 0; i < ABOVE_ALL_BYTES; i += 4)
				memcpy(data + i, "\xF4\x8F\xBF\xBF", 4);
		}
	}
	PG_RETURN_POINTER(result);
}

/* Planner support of begins_with(). */
Datum
begins_with_support(PG_FUNCTION_ARGS)
{
	Node	   *request = (Node *) PG_GETARG_POINTER(0);

	if (IsA(request, SupportRequestIndexCondition))
	{
		SupportRequestIndexCondition *req =
			(SupportRequestIndexCondition *) request;
		FuncExpr   *call;

		if (!is_funcclause(req->node) || req->indexarg != 0)
			PG_RETURN_POINTER(NULL);
		call = (FuncExpr *) req->node;
		if (list_length(call->args) != 2 ||
			!is_pseudo_constant_for_index(req->root, lsecond(call->args),
										  req->index))
			PG_RETURN_POINTER(NULL);
		req->lossy = false;
		PG_RETURN_POINTER(prefix_conditions(call, req->opfamily,
											req->indexcollation));
	}

	if (IsA(request, SupportRequestSelectivity))
	{
		SupportRequestSelectivity *req = (SupportRequestSelectivity *) request;

		if (req->is_join || list_length(req->args) != 2)
			PG_RETURN_POINTER(NULL);
		req->selectivity = prefix_selectivity(req);
		PG_RETURN_POINTER(req);
	}

	PG_RETURN_POINTER(NULL);
}

/*
 * The bounds that begins_with(value, prefix) means, as a list of one or two
 * operator calls; NIL where byte order is not the order of the index.
 */
static List *
prefix_conditions(FuncExpr *call, Oid opfamily, Oid collation)
{
	Expr	   *value = linitial(call->args);
	Node	   *prefix = lsecond(call->args);
	Oid			type = exprType((Node *) value);
	Oid			lower_op;
	Oid			upper_op;
	Expr	   *upper;
	List	   *result;

	if (type == TEXTOID)
	{
		if (GetDatabaseEncoding() != PG_UTF8)
			return NIL;
		if (opfamily != TEXT_PATTERN_BTREE_FAM_OID &&
			!((opfamily == TEXT_BTREE_FAM_OID ||
			   is_ptree_family(opfamily, type)) &&
			  compat_collation_is_c(collation)))
			return NIL;
	}
	else if (type != BYTEAOID ||
			 (opfamily != BYTEA_BTREE_FAM_OID &&
			  !is_ptree_family(opfamily, type)))
		return NIL;

	lower_op = get_opfamily_member(opfamily, type, type,
								   BTGreaterEqualStrategyNumber);
	upper_op = get_opfamily_member(opfamily, type, type,
								   BTLessStrategyNumber);
	if (!OidIsValid(lower_op) || !OidIsValid(upper_op))
		elog(ERROR, "operator family %u lacks members for type %u",
			 opfamily, type);

	result = list_make1(make_opclause(lower_op, BOOLOID, false, value,
									  (Expr *) prefix, InvalidOid, collation));
	upper = successor_expression(call, prefix, type);
	if (upper != NULL)
		result = lappend(result,
						 make_opclause(upper_op, BOOLOID, false, value,
									   upper, InvalidOid, collation));
	return result;
}

/* Is it the family of sort keys of that type in a ptree? */
static bool
is_ptree_family(Oid opfamily, Oid type)
{
	Oid			am = get_index_am_oid("ptree", true);
	Oid			opclass = OidIsValid(am) ? GetDefaultOpClass(type, am) :
		InvalidOid;

	return OidIsValid(opclass) && get_opclass_family(opclass) == opfamily;
}

/*
 * Part of the rows that begins_with() keeps: from statistics when the prefix
 * is known, else DEFAULT_PREFIX_SEL.
 */
static Selectivity
prefix_selectivity(SupportRequestSelectivity *req)
{
	Node	   *value = linitial(req->args);
	Node	   *prefix = estimate_expression_value(req->root,
												   lsecond(req->args));
	FuncExpr   *call;
	List	   *conditions;

	if (!IsA(prefix, Const))
		return DEFAULT_PREFIX_SEL;

	call = makeFuncExpr(req->funcid, BOOLOID, list_make2(value, prefix),
						InvalidOid, C_COLLATION_OID, COERCE_EXPLICIT_CALL);
	conditions = prefix_conditions(call,
								   exprType(value) == BYTEAOID ?
								   BYTEA_BTREE_FAM_OID : TEXT_BTREE_FAM_OID,
								   C_COLLATION_OID);
	if (conditions == NIL)
		return DEFAULT_PREFIX_SEL;
	return clauselist_selectivity(req->root, conditions, req->varRelid,
								  req->jointype, req->sjinfo);
}

/*
 * What stands behind the < : the successor of a constant prefix (NULL when
 * there is none), or a call that computes it when the scan starts.
 */
static Expr *
successor_expression(FuncExpr *call, Node *prefix, Oid type)
{
	if (IsA(prefix, Const))
	{
		Const	   *constant = (Const *) prefix;
		struct varlena *successor;

		/* begins_with() is strict; sk >= NULL already is never true */
		if (constant->constisnull)
			return NULL;
		successor = successor_or_null(type,
									  PG_DETOAST_DATUM_PACKED(constant->constvalue));
		if (successor == NULL)
			return NULL;
		return (Expr *) makeConst(type, -1, constant->constcollid, -1,
								  PointerGetDatum(successor), false, false);
	}
	else
	{
		char	   *schema = get_namespace_name(get_func_namespace(call->funcid));
		Oid			function;

		function = LookupFuncName(list_make2(makeString(schema),
											 makeString("prefix_successor")),
								  1, &type, false);
		return (Expr *) makeFuncExpr(function, type, list_make1(prefix),
									 exprCollation(prefix), call->inputcollid,
									 COERCE_EXPLICIT_CALL);
	}
}

/* Successor as a new value of the prefix's type, or NULL. */
static struct varlena *
successor_or_null(Oid type, struct varlena *prefix)
{
	const char *data = VARDATA_ANY(prefix);
	size_t		len = VARSIZE_ANY_EXHDR(prefix);
	size_t		successor_len;
	struct varlena *result = palloc(VARHDRSZ + len + 1);
	bool		found;

	if (type == TEXTOID)
		found = text_successor(data, len, VARDATA(result), &successor_len);
	else
		found = key_prefix_successor(data, len, VARDATA(result),
									 &successor_len);
	if (!found)
		return NULL;
	SET_VARSIZE(result, VARHDRSZ + successor_len);
	return result;
}

/*
 * The same for UTF-8, with a valid result, which may be one byte longer than
 * the prefix: trailing U+10FFFF go, the last other character is counted up,
 * over the gap of the surrogates.
 */
static bool
text_successor(const char *prefix, size_t len,
			   char *successor, size_t *successor_len)
{
	while (len > 0)
	{
		size_t		start = len - 1;
		pg_wchar	c;

		while (start > 0 && ((uint8) prefix[start] & 0xC0) == 0x80)
			start--;
		c = utf8_to_unicode((const unsigned char *) prefix + start);
		if (c < 0x10FFFF)
		{
			c = (c == 0xD7FF) ? 0xE000 : c + 1;
			memcpy(successor, prefix, start);
			unicode_to_utf8(c, (unsigned char *) successor + start);
			*successor_len = start + pg_utf_mblen((unsigned char *) successor + start);
			return true;
		}
		len = start;
	}
	return false;
}
