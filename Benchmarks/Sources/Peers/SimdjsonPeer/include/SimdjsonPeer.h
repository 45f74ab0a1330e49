#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A parser that keeps its memory from one document to the next.
typedef struct SimdjsonPeer SimdjsonPeer;

SimdjsonPeer *simdjson_peer_new(void);
void simdjson_peer_free(SimdjsonPeer *peer);

/// Parses a document `times` times into the DOM; `padded` bytes can be read from `bytes` on. Gives the number of failures.
size_t simdjson_peer_parse(SimdjsonPeer *peer, const uint8_t *bytes, size_t count, size_t padded, size_t times);

/// Parses documents that stand one behind the other into the DOM, one after the other; `padded` bytes can be read from `bytes` on.
/// Gives the number of documents.
size_t simdjson_peer_parse_many(SimdjsonPeer *peer, const uint8_t *bytes, size_t count, size_t padded);

#ifdef __cplusplus
}
#endif
