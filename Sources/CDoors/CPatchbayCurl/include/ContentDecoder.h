#pragma once

// Decoders of content codings, on the libraries that libcurl itself has loaded: zlib, brotli and zstd. libcurl's own decoding
// takes a stream that was cut for a whole one (7.88.1, every coding) and refuses a gzip body of several members.

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum patchbay_coding {
    PATCHBAY_CODING_GZIP,
    /// A zlib stream (RFC 1950), or what many senders make of it, bare deflate (RFC 1951).
    PATCHBAY_CODING_DEFLATE,
    PATCHBAY_CODING_BROTLI,
    PATCHBAY_CODING_ZSTD,
};

enum patchbay_decoding {
    /// The stream asks for a larger window than it may: 8 MiB for zstd (RFC 9659, section 3).
    PATCHBAY_DECODING_TOO_LARGE = -2,
    PATCHBAY_DECODING_BROKEN = -1,
    /// There is more to come: more input is needed, or the output is full.
    PATCHBAY_DECODING_OPEN = 0,
    /// The stream is complete, up to here.
    PATCHBAY_DECODING_ENDED = 1,
};

#pragma clang assume_nonnull begin

/// Whether this process has what the coding needs.
int patchbay_coding_is_there(enum patchbay_coding coding);

/// A decoder for one body, or NULL where there is no memory or the coding is not there.
void *_Nullable patchbay_decoder_open(enum patchbay_coding coding);
void patchbay_decoder_close(void *decoder);

/// Decodes as much as it can. Says how many bytes it took and made.
///
/// Call it again with the rest of the input as long as it takes or makes any.
enum patchbay_decoding patchbay_decoder_run(void *decoder, const uint8_t *input, size_t input_count, size_t *taken,
                                            uint8_t *output, size_t capacity, size_t *made);

#pragma clang assume_nonnull end

#ifdef __cplusplus
}
#endif
