#include "ContentEncoder.h"

#include "LibcurlLoader.h"
#include "Zlib.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

static struct {
    int (*init)(struct zlib_stream *, int, int, int, int, int, const char *, int);
    unsigned long (*bound)(struct zlib_stream *, unsigned long);
    int (*run)(struct zlib_stream *, int);
    int (*end)(struct zlib_stream *);
} library;

static void look_up(void) {
    // A cast of the address: POSIX has dlsym return functions as void *.
    *(void **)&library.init = patchbay_libcurl_find("deflateInit2_");
    *(void **)&library.bound = patchbay_libcurl_find("deflateBound");
    *(void **)&library.run = patchbay_libcurl_find("deflate");
    *(void **)&library.end = patchbay_libcurl_find("deflateEnd");
}

/// The part of a size that fits into one of zlib's counters.
static unsigned int piece(size_t size) { return size > UINT_MAX ? UINT_MAX : (unsigned int)size; }

uint8_t *patchbay_encode(enum patchbay_coding coding, const uint8_t *input, size_t count, size_t *made) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (!patchbay_libcurl_load() || pthread_once(&once, look_up) != 0) return NULL;
    if (!library.init || !library.bound || !library.run || !library.end) return NULL;
    struct zlib_stream stream = {0};
    int bits = coding == PATCHBAY_CODING_GZIP ? ZLIB_GZIP : ZLIB_WRAPPED;
    if (library.init(&stream, ZLIB_USUAL_LEVEL, ZLIB_DEFLATED, bits, ZLIB_USUAL_MEMORY, ZLIB_USUAL_STRATEGY,
                     ZLIB_VERSION_ASKED_FOR, (int)sizeof(struct zlib_stream))
        != ZLIB_OK)
        return NULL;
    size_t capacity = library.bound(&stream, count);
    uint8_t *output = malloc(capacity);
    int result = output ? ZLIB_OK : ZLIB_BUF_ERROR;
    stream.next_in = input;
    stream.next_out = output;
    size_t left = count, room = capacity;
    while (result == ZLIB_OK) {
        // zlib advances its pointers and counts down its sizes.
        stream.avail_in = piece(left);
        stream.avail_out = piece(room);
        unsigned int given = stream.avail_in, free_before = stream.avail_out;
        result = library.run(&stream, given == left ? ZLIB_FINISH : ZLIB_NO_FLUSH);
        left -= given - stream.avail_in;
        room -= free_before - stream.avail_out;
    }
    library.end(&stream);
    if (result != ZLIB_STREAM_END) {
        free(output);
        return NULL;
    }
    *made = capacity - room;
    return output;
}
