#pragma once

#include <stdint.h>

// The used part of zlib's stable ABI.

struct zlib_stream {
    const uint8_t *next_in;
    unsigned int avail_in;
    unsigned long total_in;
    uint8_t *next_out;
    unsigned int avail_out;
    unsigned long total_out;
    const char *msg;
    void *state;
    void *(*zalloc)(void *, unsigned int, unsigned int);
    void (*zfree)(void *, void *);
    void *opaque;
    int data_type;
    unsigned long adler;
    unsigned long reserved;
};

enum { ZLIB_OK = 0, ZLIB_STREAM_END = 1, ZLIB_BUF_ERROR = -5, ZLIB_NO_FLUSH = 0, ZLIB_FINISH = 4 };
enum { ZLIB_BARE = -15, ZLIB_WRAPPED = 15, ZLIB_GZIP = 15 + 16 };
enum { ZLIB_USUAL_LEVEL = -1, ZLIB_DEFLATED = 8, ZLIB_USUAL_MEMORY = 8, ZLIB_USUAL_STRATEGY = 0 };
#define ZLIB_VERSION_ASKED_FOR "1.2.11"
