#pragma once

// The structures in the stable ABIs of the libraries that `BodyDecoder` uses. No library must be
// installed for the build of this package.

#include <stddef.h>
#include <stdint.h>

/// zlib's z_stream.
struct patchbay_zlib {
    const uint8_t *_Nullable next_in;
    unsigned int avail_in;
    unsigned long total_in;
    uint8_t *_Nullable next_out;
    unsigned int avail_out;
    unsigned long total_out;
    const char *_Nullable msg;
    void *_Nullable state;
    void *_Nullable (*_Nullable zalloc)(void *_Nullable, unsigned int, unsigned int);
    void (*_Nullable zfree)(void *_Nullable, void *_Nullable);
    void *_Nullable opaque;
    int data_type;
    unsigned long adler;
    unsigned long reserved;
};

/// The ZSTD_inBuffer and the ZSTD_outBuffer of zstd, which have the same members.
struct patchbay_zstd {
    const void *_Nullable bytes;
    size_t size;
    size_t position;
};
