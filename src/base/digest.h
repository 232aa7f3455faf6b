/*
 * digest.h
 *	  SHA-256, and which partition keys it stands for.
 */
#ifndef PT_BASE_DIGEST_H
#define PT_BASE_DIGEST_H

#define DIGEST_SIZE		32

/*
 * A partition key of more bytes is represented in a ptree index by its digest,
 * so hash order is that of the digests where hashes are equal.  On disk:
 * nothing here may change.
 */
#define DIGEST_KEY_WHOLE_MAX	255

extern void digest_sha256(const void *data, size_t len, uint8 *digest);

#endif							/* PT_BASE_DIGEST_H */
