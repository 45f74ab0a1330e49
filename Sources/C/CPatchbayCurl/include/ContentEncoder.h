#pragma once

// One encoder of content codings, on the zlib that libcurl has loaded.

#include "ContentDecoder.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma clang assume_nonnull begin

/// The input coded with gzip (RFC 1952) or deflate (RFC 1950), in memory that the caller frees; NULL if there is no
/// zlib or no memory.
uint8_t *_Nullable patchbay_encode(enum patchbay_coding coding, const uint8_t *input, size_t count, size_t *made);

#pragma clang assume_nonnull end

#ifdef __cplusplus
}
#endif
