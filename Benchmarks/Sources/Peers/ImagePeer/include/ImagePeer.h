#pragma once

#include <stddef.h>
#include <stdint.h>

/// Encodes a picture of `side` × `side` pixels as "png" or "jpeg"; the bytes are to be freed. NULL where that fails.
uint8_t *image_peer_make(const char *format, int32_t side, size_t *count);

/// Decodes an image `times` times with a loader of gdk-pixbuf. Gives the number of failures.
size_t image_peer_decode(const uint8_t *bytes, size_t count, size_t times);
