/*
 * expr_cache.c
 *	  Parsed expressions that a session keeps, least recently used out first.
 *
 * Applications use few texts many times, so most calls find their expressions
 * parsed.  An entry owns its memory context.  A prepared expression pins its
 * entry until the memory context that it lives in is reset or deleted; an
 * entry that is evicted while it is pinned leaves the table at once and is
 * freed with its last pin.
 *
 * Errors cannot leave a half-made entry: a parse becomes part of the cache
 * only when it is complete, by steps that cannot fail.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "utils/memutils.h"

#include "base/guc.h"
#include "expr/expr_private.h"

/* What identifies an entry: what it was parsed from. */
typedef struct ExprCacheKey
{
	ExprKind	kind;
	uint32		len;
	const char *text;
} ExprCacheKey;

typedef struct ExprCacheEntry
{
	ExprCacheKey key;			/* text points into the parse */
	ExprParse  *parse;
	uint32		hash;
	char		status;
} ExprCacheEntry;

static inline uint32
hash_key(ExprCacheKey key)
{
	return hash_bytes((const unsigned char *) key.text, key.len) ^
		(uint32) key.kind;
}

static inline bool
equal_keys(ExprCacheKey a, ExprCacheKey b)
{
	return a.kind == b.kind && a.len == b.len &&
		memcmp(a.text, b.text, a.len) == 0;
}

#define SH_PREFIX			exprcache
#define SH_ELEMENT_TYPE		ExprCacheEntry
#define SH_KEY_TYPE			ExprCacheKey
#define SH_KEY				key
#define SH_HASH_KEY(tb, k)	hash_key(k)
#define SH_EQUAL(tb, a, b)	equal_keys(a, b)
#define SH_STORE_HASH
#define SH_GET_HASH(tb, a)	((a)->hash)
#define SH_SCOPE			static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

static exprcache_hash *cache = NULL;
static MemoryContext cache_context = NULL;
static dlist_head cache_lru = DLIST_STATIC_INIT(cache_lru); /* newest first */

static void
evict_oldest(void)
{
	ExprParse  *parse = dlist_tail_element(ExprParse, lru, &cache_lru);
	ExprCacheKey key = {parse->kind, parse->len, parse->text};

	dlist_delete(&parse->lru);
	exprcache_delete(cache, key);
	parse->cached = false;
	if (parse->pins == 0)
		MemoryContextDelete(parse->context);
}

/*
 * Parsed form of a text.  If ->cached is set the caller must pin it, with no
 * error in between; otherwise it lives in the current memory context.
 */
ExprParse *
expr_cache_get(ExprKind kind, const char *text, size_t len)
{
	ExprCacheKey key = {kind, len, text};
	ExprCacheEntry *entry;
	ExprParse  *parse;
	bool		found;

	if (cache != NULL)
	{
		entry = exprcache_lookup(cache, key);
		if (entry != NULL)
		{
			dlist_move_head(&cache_lru, &entry->parse->lru);
			return entry->parse;
		}
	}

	parse = expr_parse(kind, text, len);

	if (cache == NULL)
	{
		if (cache_context == NULL)
			cache_context = AllocSetContextCreate(CacheMemoryContext,
												  "expression cache",
												  ALLOCSET_DEFAULT_SIZES);
		cache = exprcache_create(cache_context, 64, NULL);
	}
	while (cache->members > 0 &&
		   cache->members >= (uint32) guc_expression_cache_size)
		evict_oldest();
	if (guc_expression_cache_size == 0)
		return parse;

	/* the last step that can fail leaves the table as it was */
	key.text = parse->text;
	entry = exprcache_insert(cache, key, &found);
	Assert(!found);
	entry->parse = parse;
	MemoryContextSetParent(parse->context, cache_context);
	dlist_push_head(&cache_lru, &parse->lru);
	parse->cached = true;
	return parse;
}

/*
 * Gives up one pin; callback of the memory context of a prepared expression.
 */
void
expr_cache_unpin(void *arg)
{
	ExprParse  *parse = arg;

	Assert(parse->pins > 0);
	if (--parse->pins == 0 && !parse->cached)
		MemoryContextDelete(parse->context);
}
