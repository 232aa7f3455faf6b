/*
 * digest.c
 *	  SHA-256 by the server's own library.
 */
#include "postgres.h"

#include "common/cryptohash.h"
#include "common/sha2.h"

#include "base/digest.h"

StaticAssertDecl(DIGEST_SIZE == PG_SHA256_DIGEST_LENGTH, "size of SHA-256");

/* Writes the DIGEST_SIZE bytes of the digest. */
void
digest_sha256(const void *data, size_t len, uint8 *digest)
{
	pg_cryptohash_ctx *hash = pg_cryptohash_create(PG_SHA256);

	if (pg_cryptohash_init(hash) < 0 ||
		pg_cryptohash_update(hash, data, len) < 0 ||
		pg_cryptohash_final(hash, digest, DIGEST_SIZE) < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not compute SHA-256: %s",
						pg_cryptohash_error(hash))));
	pg_cryptohash_free(hash);
}
