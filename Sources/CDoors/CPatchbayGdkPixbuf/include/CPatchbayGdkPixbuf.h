#pragma once

// The decoder of gdk-pixbuf as one function. It is built with the trait Images only, and needs libgdk-pixbuf-2.0-dev then.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int32_t width;
    int32_t height;
    // 3 for RGB, 4 for RGBA; eight bits each.
    int32_t channels;
    int32_t row_bytes;
    // How long the frame is shown; -1 for ever.
    int32_t delay_milliseconds;
    const uint8_t *pixels;
    // The last row has no padding.
    size_t pixel_bytes;
    // What keeps the pixels, for patchbay_image_release; NULL where they are gone after the sink has returned.
    void *owner;
} PatchbayImageFrame;

// Takes one frame, and its owner where there is one; false ends the decoding, and takes nothing.
typedef bool (*PatchbayImageSink)(void *context, const PatchbayImageFrame *frame);

enum {
    PATCHBAY_IMAGE_OK = 0,
    // gdk-pixbuf has no loader of the name.
    PATCHBAY_IMAGE_NO_LOADER = -1,
    // The loader announced other dimensions than it may.
    PATCHBAY_IMAGE_TOO_LARGE = -2,
    // There is no image in the bytes.
    PATCHBAY_IMAGE_NOTHING = -3,
    PATCHBAY_IMAGE_STOPPED = -4,
};

// Decodes the first frames of an image with the loader of that name. A single frame has an owner. A result of 1 and more is 1 + the code of GdkPixbufError.
int32_t patchbay_image_decode(const char *loader, const uint8_t *bytes, size_t count, int32_t max_width,
                              int32_t max_height, int32_t frames, PatchbayImageSink sink, void *context);

// Lets go of the pixels of a frame, on any thread.
void patchbay_image_release(void *owner);

#ifdef __cplusplus
}
#endif
