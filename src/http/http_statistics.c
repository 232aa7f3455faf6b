/*
 * http_statistics.c
 *	  Counts of the service's operations, for each table and index.
 *
 * They are in shared memory, in a table of fixed size, and begin at zero when
 * the server starts.  Those that find no room are counted together, without
 * the names of their tables.  Only a request that succeeds makes an entry for
 * its table: a failed one may have invented the name, and is counted without a
 * table until there is one.  An entry, once made, stays until a reset takes
 * all; a reset has the lock for itself, counting shares it and holds the
 * entry's spinlock for some additions.
 *
 * Durations are counted in buckets that grow by a quarter of a power of two,
 * so percentiles are right within an eighth.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "storage/spin.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "base/compat.h"
#include "http/http_private.h"
#include "wire/wire.h"

#define MAX_ENTRIES			1000
#define OPERATION_LEN		32
#define BUCKETS				100 /* to 2^25 microseconds */
#define TRANCHE				"partitioning statistics"
#define COLUMNS				11

/* What is counted apart; texts are cut and filled with zeros. */
typedef struct StatisticsKey
{
	Oid			database;
	char		operation[OPERATION_LEN];
	char		table[NAMEDATALEN];
	char		index[NAMEDATALEN];
} StatisticsKey;

typedef struct StatisticsCounts
{
	int64		calls;
	int64		errors;
	int64		items_read;
	int64		items_returned;
	int64		read_tenths;
	int64		write_tenths;
	uint32		durations[BUCKETS];
} StatisticsCounts;

typedef struct StatisticsEntry
{
	StatisticsKey key;
	slock_t		mutex;
	StatisticsCounts counts;
} StatisticsEntry;

static HTAB *entries = NULL;
static LWLock *lock = NULL;

static shmem_request_hook_type next_shmem_request_hook = NULL;
static shmem_startup_hook_type next_shmem_startup_hook = NULL;

PG_FUNCTION_INFO_V1(operation_statistics);
PG_FUNCTION_INFO_V1(reset_operation_statistics);

static void request_memory(void);
static void start_memory(void);
static void begin_sql_request(const WireObservation *observation);
static void end_sql_request(const WireObservation *observation, bool failed);
static void count_one(const StatisticsKey *key, const WireTableUse *use,
					  bool failed, int bucket);
static void copy_name(char *to, size_t size, const char *from, size_t len);
static StatisticsEntry *find_entry(const StatisticsKey *key);
static int	bucket_of(int64 microseconds);
static double milliseconds_of(int bucket);
static double percentile(const StatisticsCounts *counts, double share);
static void put_row(Tuplestorestate *store, TupleDesc desc,
					StatisticsEntry *entry);

static TimestampTz sql_request_began = 0;
static const WireObserver observer = {begin_sql_request, end_sql_request};

void
http_statistics_init(void)
{
	next_shmem_request_hook = shmem_request_hook;
	shmem_request_hook = request_memory;
	next_shmem_startup_hook = shmem_startup_hook;
	shmem_startup_hook = start_memory;
}

static void
request_memory(void)
{
	if (next_shmem_request_hook != NULL)
		next_shmem_request_hook();
	RequestAddinShmemSpace(hash_estimate_size(MAX_ENTRIES,
											  sizeof(StatisticsEntry)));
	RequestNamedLWLockTranche(TRANCHE, 1);
}

static void
start_memory(void)
{
	HASHCTL		info;

	if (next_shmem_startup_hook != NULL)
		next_shmem_startup_hook();
	info.keysize = sizeof(StatisticsKey);
	info.entrysize = sizeof(StatisticsEntry);
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	entries = ShmemInitHash("partitioning statistics", MAX_ENTRIES,
							MAX_ENTRIES, &info, HASH_ELEM | HASH_BLOBS);
	lock = &GetNamedLWLockTranche(TRANCHE)->lock;
	LWLockRelease(AddinShmemInitLock);
	wire_observer = &observer;
}

/* Requests of dynamodb(). */
static void
begin_sql_request(const WireObservation *observation)
{
	sql_request_began = GetCurrentTimestamp();
}

static void
end_sql_request(const WireObservation *observation, bool failed)
{
	TimestampTz now = GetCurrentTimestamp();

	/* one that could not be read has taken no time to speak of */
	http_statistics_count(observation, failed,
						  sql_request_began == 0 ? 0 : now - sql_request_began);
	sql_request_began = 0;
}

/*
 * Counts a request that took so many microseconds: for each table, or without
 * a table if it names none.  Raises no error.
 */
void
http_statistics_count(const WireObservation *observation, bool failed,
					  int64 duration)
{
	StatisticsKey key;
	int			bucket = bucket_of(duration);

	if (entries == NULL || observation->operation == NULL)
		return;
	memset(&key, 0, sizeof(key));
	key.database = MyDatabaseId;
	strlcpy(key.operation, observation->operation, sizeof(key.operation));
	if (observation->n_tables == 0)
	{
		count_one(&key, NULL, failed, bucket);
		return;
	}
	if (observation->index_name != NULL)
		copy_name(key.index, sizeof(key.index), observation->index_name,
				  observation->index_name_len);
	for (int i = 0; i < observation->n_tables; i++)
	{
		const WireTableUse *use = &observation->tables[i];

		memset(key.table, 0, sizeof(key.table));
		copy_name(key.table, sizeof(key.table), use->name, use->name_len);
		count_one(&key, use, failed, bucket);
	}
}

/* Cuts at a character; the rest is zero already. */
static void
copy_name(char *to, size_t size, const char *from, size_t len)
{
	if (len >= size)
		len = pg_mbcliplen(from, len, size - 1);
	memcpy(to, from, len);
}

static void
count_one(const StatisticsKey *key, const WireTableUse *use, bool failed,
		  int bucket)
{
	StatisticsEntry *entry;
	StatisticsCounts *counts;

	LWLockAcquire(lock, LW_SHARED);
	entry = hash_search(entries, key, HASH_FIND, NULL);
	if (entry == NULL)
	{
		StatisticsKey nameless;

		/* or invented names would soon take all room */
		if (failed && key->table[0] != '\0')
		{
			memset(&nameless, 0, sizeof(nameless));
			nameless.database = key->database;
			strlcpy(nameless.operation, key->operation,
					sizeof(nameless.operation));
			key = &nameless;
		}
		LWLockRelease(lock);
		LWLockAcquire(lock, LW_EXCLUSIVE);
		entry = find_entry(key);
	}
	if (entry != NULL)
	{
		counts = &entry->counts;
		SpinLockAcquire(&entry->mutex);
		counts->calls++;
		counts->errors += failed;
		counts->durations[bucket]++;
		if (use != NULL)
		{
			counts->items_read += use->items_read;
			counts->items_returned += use->items_returned;
			counts->read_tenths += use->read_tenths;
			counts->write_tenths += use->write_tenths;
		}
		SpinLockRelease(&entry->mutex);
	}
	LWLockRelease(lock);
}

/* Makes an entry, or finds that of all tables without room. */
static StatisticsEntry *
find_entry(const StatisticsKey *key)
{
	StatisticsKey common;
	StatisticsEntry *entry;
	bool		found;

	memset(&common, 0, sizeof(common));
	strlcpy(common.operation, "(others)", sizeof(common.operation));
	/* its place is kept for it */
	if (hash_get_num_entries(entries) >= MAX_ENTRIES - 1 &&
		hash_search(entries, key, HASH_FIND, NULL) == NULL)
		key = &common;
	entry = hash_search(entries, key, HASH_ENTER_NULL, &found);
	if (entry != NULL && !found)
	{
		SpinLockInit(&entry->mutex);
		memset(&entry->counts, 0, sizeof(entry->counts));
	}
	return entry;
}

static int
bucket_of(int64 microseconds)
{
	int			power;
	int			quarter;

	if (microseconds < 4)
		return microseconds < 0 ? 0 : (int) microseconds;
	power = pg_leftmost_one_pos64(microseconds);
	quarter = (microseconds >> (power - 2)) & 3;
	return Min(4 * (power - 1) + quarter, BUCKETS - 1);
}

/* The middle of a bucket. */
static double
milliseconds_of(int bucket)
{
	if (bucket < 4)
		return bucket / 1000.0;
	return ((4 + bucket % 4) + 0.5) * (UINT64CONST(1) << (bucket / 4 - 1)) /
		1000.0;
}

static double
percentile(const StatisticsCounts *counts, double share)
{
	int64		wanted = (int64) (counts->calls * share);
	int64		sum = 0;

	for (int i = 0; i < BUCKETS; i++)
	{
		sum += counts->durations[i];
		if (sum > wanted)
			return milliseconds_of(i);
	}
	return milliseconds_of(BUCKETS - 1);
}

/*
 * operation_statistics() returns rows as the view operation_statistics shows
 * them, of the current database.
 */
Datum
operation_statistics(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	HASH_SEQ_STATUS scan;
	StatisticsEntry *entry;

	compat_materialize(fcinfo);
	if (entries == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("operations are not counted"),
				 errhint("Add partitioning to shared_preload_libraries.")));
	LWLockAcquire(lock, LW_SHARED);
	hash_seq_init(&scan, entries);
	while ((entry = hash_seq_search(&scan)) != NULL)
	{
		if (entry->key.database == MyDatabaseId ||
			entry->key.database == InvalidOid)
			put_row(result->setResult, result->setDesc, entry);
	}
	LWLockRelease(lock);
	return (Datum) 0;
}

static void
put_row(Tuplestorestate *store, TupleDesc desc, StatisticsEntry *entry)
{
	StatisticsCounts counts;
	Datum		values[COLUMNS];
	bool		nulls[COLUMNS] = {false};
	int			n = 0;

	SpinLockAcquire(&entry->mutex);
	counts = entry->counts;
	SpinLockRelease(&entry->mutex);

	nulls[n] = entry->key.table[0] == '\0';
	values[n++] = CStringGetTextDatum(entry->key.table);
	nulls[n] = entry->key.index[0] == '\0';
	values[n++] = CStringGetTextDatum(entry->key.index);
	values[n++] = CStringGetTextDatum(entry->key.operation);
	values[n++] = Int64GetDatum(counts.calls);
	values[n++] = Int64GetDatum(counts.errors);
	values[n++] = Float8GetDatum(percentile(&counts, 0.50));
	values[n++] = Float8GetDatum(percentile(&counts, 0.99));
	values[n++] = Int64GetDatum(counts.items_read);
	values[n++] = Int64GetDatum(counts.items_returned);
	values[n++] = Float8GetDatum(counts.read_tenths / 10.0);
	values[n++] = Float8GetDatum(counts.write_tenths / 10.0);
	tuplestore_putvalues(store, desc, values, nulls);
}

/* reset_operation_statistics() begins anew, for all databases. */
Datum
reset_operation_statistics(PG_FUNCTION_ARGS)
{
	HASH_SEQ_STATUS scan;
	StatisticsEntry *entry;

	if (entries == NULL)
		PG_RETURN_VOID();
	LWLockAcquire(lock, LW_EXCLUSIVE);
	hash_seq_init(&scan, entries);
	while ((entry = hash_seq_search(&scan)) != NULL)
		hash_search(entries, &entry->key, HASH_REMOVE, NULL);
	LWLockRelease(lock);
	PG_RETURN_VOID();
}
