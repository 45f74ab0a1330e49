#pragma once

// Decoders of content codings, with the libraries that libcurl has loaded: zlib, brotli and zstd. libcurl's own
// decoding accepts a truncated stream (7.88.1, every coding) and refuses a gzip body of several members.

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum patchbay_coding {
    PATCHBAY_CODING_GZIP,
    /// A zlib stream (RFC 1950), or bare deflate (RFC 1951), which many senders use instead.
    PATCHBAY_CODING_DEFLATE,
    PATCHBAY_CODING_BROTLI,
    PATCHBAY_CODING_ZSTD,
};

enum patchbay_decoding {
    /// The stream needs a larger window than the limit: 8 MiB for zstd (RFC 9659, section 3).
    PATCHBAY_DECODING_TOO_LARGE = -2,
    PATCHBAY_DECODING_BROKEN = -1,
    /// The stream is not complete: the decoder needs more input, or the output is full.
    PATCHBAY_DECODING_OPEN = 0,
    /// The stream is complete at this position.
    PATCHBAY_DECODING_ENDED = 1,
};

#pragma clang assume_nonnull begin

/// Whether the library for the coding is available.
int patchbay_coding_is_there(enum patchbay_coding coding);

/// A decoder for one body, or NULL if there is no memory or no library.
void *_Nullable patchbay_decoder_open(enum patchbay_coding coding);
void patchbay_decoder_close(void *decoder);

/// Decodes as much as possible, and returns the numbers of bytes taken and made.
///
/// Call the function again with the remaining input, until it neither takes nor makes any bytes.
enum patchbay_decoding patchbay_decoder_run(void *decoder, const uint8_t *input, size_t input_count, size_t *taken,
                                            uint8_t *output, size_t capacity, size_t *made);

#pragma clang assume_nonnull end

#ifdef __cplusplus
}
#endif
