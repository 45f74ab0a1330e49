#include "ImagePeer.h"

#include <stdlib.h>
#include <string.h>

// gdk-pixbuf's headers need include paths that only pkg-config knows; these are the declarations used here.
typedef struct GdkPixbuf GdkPixbuf;
typedef struct GdkPixbufLoader GdkPixbufLoader;
typedef struct GError GError;

extern GdkPixbuf *gdk_pixbuf_new(int colorspace, int has_alpha, int bits_per_sample, int width, int height);
extern unsigned char *gdk_pixbuf_get_pixels(const GdkPixbuf *pixbuf);
extern int gdk_pixbuf_get_rowstride(const GdkPixbuf *pixbuf);
extern int gdk_pixbuf_save_to_buffer(GdkPixbuf *pixbuf, char **buffer, size_t *size, const char *type, GError **error, ...);
extern GdkPixbufLoader *gdk_pixbuf_loader_new(void);
extern int gdk_pixbuf_loader_write(GdkPixbufLoader *loader, const unsigned char *buf, size_t count, GError **error);
extern int gdk_pixbuf_loader_close(GdkPixbufLoader *loader, GError **error);
extern GdkPixbuf *gdk_pixbuf_loader_get_pixbuf(GdkPixbufLoader *loader);
extern void g_object_unref(void *object);
extern void g_free(void *memory);

uint8_t *image_peer_make(const char *format, int32_t side, size_t *count) {
    GdkPixbuf *pixbuf = gdk_pixbuf_new(0, 0, 8, side, side);
    if (!pixbuf) return NULL;
    unsigned char *pixels = gdk_pixbuf_get_pixels(pixbuf);
    int stride = gdk_pixbuf_get_rowstride(pixbuf);
    // Slopes with some noise, so that there is something to compress and something that cannot be.
    uint32_t noise = 1;
    for (int32_t y = 0; y < side; y++) {
        for (int32_t x = 0; x < side; x++) {
            noise = noise * 1664525u + 1013904223u;
            unsigned char *pixel = pixels + (size_t)y * stride + (size_t)x * 3;
            pixel[0] = (unsigned char)(x >> 2);
            pixel[1] = (unsigned char)(y >> 2);
            pixel[2] = (unsigned char)(((x + y) >> 3) + (noise >> 29));
        }
    }
    char *buffer = NULL;
    uint8_t *copy = NULL;
    if (gdk_pixbuf_save_to_buffer(pixbuf, &buffer, count, format, NULL, NULL)) {
        copy = malloc(*count);
        if (copy) memcpy(copy, buffer, *count);
        g_free(buffer);
    }
    g_object_unref(pixbuf);
    return copy;
}

size_t image_peer_decode(const uint8_t *bytes, size_t count, size_t times) {
    size_t failures = 0;
    for (size_t time = 0; time < times; time++) {
        GdkPixbufLoader *loader = gdk_pixbuf_loader_new();
        int written = gdk_pixbuf_loader_write(loader, bytes, count, NULL);
        int closed = gdk_pixbuf_loader_close(loader, NULL);
        if (!written || !closed || !gdk_pixbuf_loader_get_pixbuf(loader)) failures++;
        g_object_unref(loader);
    }
    return failures;
}
