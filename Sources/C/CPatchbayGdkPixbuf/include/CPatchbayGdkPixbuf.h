#pragma once

// The decoder of gdk-pixbuf as one function. Only the trait Images builds it, and it then needs
// libgdk-pixbuf-2.0-dev.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int32_t width;
    int32_t height;
    // 3 for RGB, 4 for RGBA; each channel has eight bits.
    int32_t channels;
    int32_t row_bytes;
    // The display time of the frame; -1 for forever.
    int32_t delay_milliseconds;
    const uint8_t *pixels;
    // The last row has no padding.
    size_t pixel_bytes;
    // The owner of the pixels, for patchbay_image_release; NULL if the pixels are only valid until the sink returns.
    void *owner;
} PatchbayImageFrame;

// Takes one frame, and its owner if it has one. Returning false ends the decoding. In this case the decoder still owns
// the frame.
typedef bool (*PatchbayImageSink)(void *context, const PatchbayImageFrame *frame);

enum {
    PATCHBAY_IMAGE_OK = 0,
    // gdk-pixbuf has no loader with this name.
    PATCHBAY_IMAGE_NO_LOADER = -1,
    // The loader announced dimensions over the limit.
    PATCHBAY_IMAGE_TOO_LARGE = -2,
    // The bytes contain no image.
    PATCHBAY_IMAGE_NOTHING = -3,
    PATCHBAY_IMAGE_STOPPED = -4,
    // gdk-pixbuf cannot be loaded.
    PATCHBAY_IMAGE_NO_LIBRARY = -5,
};

// Decodes the first frames of an image with the named loader. A single frame has an owner. A result of 1 or more is 1
// + the code of GdkPixbufError.
int32_t patchbay_image_decode(const char *loader, const uint8_t *bytes, size_t count, int32_t max_width,
                              int32_t max_height, int32_t frames, PatchbayImageSink sink, void *context);

// Releases the pixels of a frame, on any thread.
void patchbay_image_release(void *owner);

#ifdef __cplusplus
}
#endif
