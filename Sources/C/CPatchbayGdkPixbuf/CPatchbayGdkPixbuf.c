#ifdef PATCHBAY_IMAGES

#include "CPatchbayGdkPixbuf.h"

#include <dlfcn.h>
#include <pthread.h>

#if !__has_include(<gdk-pixbuf-2.0/gdk-pixbuf/gdk-pixbuf.h>)
#error "the trait Images needs gdk-pixbuf: install libgdk-pixbuf-2.0-dev, or build without the trait"
#endif

// The header of gdk-pixbuf needs the include paths of GLib, which only pkg-config knows. These are the used
// declarations; the ABI is stable since 2.0.

typedef struct GdkPixbuf GdkPixbuf;
typedef struct GdkPixbufLoader GdkPixbufLoader;
typedef struct GdkPixbufAnimation GdkPixbufAnimation;
typedef struct GdkPixbufAnimationIter GdkPixbufAnimationIter;
typedef struct {
    uint32_t domain;
    int code;
    char *message;
} GError;
typedef struct {
    long tv_sec;
    long tv_usec;
} GTimeVal;

// The called functions: result, name, parameters.
#define GDK_PIXBUF_FUNCTIONS(X)                                                                                        \
    X(GdkPixbufLoader *, gdk_pixbuf_loader_new_with_type, (const char *image_type, GError **error))                    \
    X(void, gdk_pixbuf_loader_set_size, (GdkPixbufLoader *loader, int width, int height))                              \
    X(int, gdk_pixbuf_loader_write,                                                                                    \
      (GdkPixbufLoader *loader, const unsigned char *buf, size_t count, GError **error))                               \
    X(int, gdk_pixbuf_loader_close, (GdkPixbufLoader *loader, GError **error))                                         \
    X(GdkPixbufAnimation *, gdk_pixbuf_loader_get_animation, (GdkPixbufLoader *loader))                                \
    X(GdkPixbufAnimationIter *, gdk_pixbuf_animation_get_iter,                                                         \
      (GdkPixbufAnimation *animation, const GTimeVal *start))                                                          \
    X(int, gdk_pixbuf_animation_iter_get_delay_time, (GdkPixbufAnimationIter *iter))                                   \
    X(GdkPixbuf *, gdk_pixbuf_animation_iter_get_pixbuf, (GdkPixbufAnimationIter *iter))                               \
    X(int, gdk_pixbuf_animation_iter_advance, (GdkPixbufAnimationIter *iter, const GTimeVal *now))                     \
    X(int, gdk_pixbuf_get_width, (const GdkPixbuf *pixbuf))                                                            \
    X(int, gdk_pixbuf_get_height, (const GdkPixbuf *pixbuf))                                                           \
    X(int, gdk_pixbuf_get_n_channels, (const GdkPixbuf *pixbuf))                                                       \
    X(int, gdk_pixbuf_get_rowstride, (const GdkPixbuf *pixbuf))                                                        \
    X(size_t, gdk_pixbuf_get_byte_length, (const GdkPixbuf *pixbuf))                                                   \
    X(const uint8_t *, gdk_pixbuf_read_pixels, (const GdkPixbuf *pixbuf))                                              \
    X(unsigned long, g_signal_connect_data,                                                                            \
      (void *instance, const char *signal, void (*handler)(void), void *data, void (*destroy)(void *, void *),         \
       int flags))                                                                                                     \
    X(void *, g_object_ref, (void *object))                                                                            \
    X(void, g_object_unref, (void *object))                                                                            \
    X(void, g_error_free, (GError *error))

#define GDK_PIXBUF_POINTER(result, name, parameters) result(*name) parameters;
// Valid after load_library has returned true.
static struct { GDK_PIXBUF_FUNCTIONS(GDK_PIXBUF_POINTER) } library;

// Loads gdk-pixbuf at its first use: with it come fifteen other libraries, and most programs decode no image.
static bool load_library(void) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool is_ready;
    pthread_mutex_lock(&lock);
    // A failure from a lack of files or memory can be temporary, so every call tries again.
    if (!is_ready) {
        void *handle = dlopen("libgdk_pixbuf-2.0.so.0", RTLD_LAZY | RTLD_LOCAL);
        is_ready = handle;
        // The handle also finds the functions of GLib, which gdk-pixbuf needs. A cast of the address: POSIX has dlsym
        // return functions as void *.
#define GDK_PIXBUF_LOOK_UP(result, name, parameters)                                                                   \
    *(void **)&library.name = handle ? dlsym(handle, #name) : NULL;                                                    \
    is_ready = is_ready && library.name;
        GDK_PIXBUF_FUNCTIONS(GDK_PIXBUF_LOOK_UP)
    }
    bool result = is_ready;
    pthread_mutex_unlock(&lock);
    return result;
}

typedef struct {
    int32_t max_width;
    int32_t max_height;
    bool too_large;
} Bounds;

// Called before the loader allocates pixels. A size of zero makes the loader stop.
static void size_prepared(GdkPixbufLoader *loader, int width, int height, void *data) {
    Bounds *bounds = data;
    if (width > bounds->max_width || height > bounds->max_height) {
        bounds->too_large = true;
        library.gdk_pixbuf_loader_set_size(loader, 0, 0);
    }
}

static int32_t code_of(GError *error) {
    int32_t code = error && error->code >= 0 && error->code < 1000 ? 1 + error->code : 1;
    if (error) library.g_error_free(error);
    return code;
}

static int32_t give_frames(GdkPixbufAnimation *animation, int32_t frames, PatchbayImageSink sink, void *context) {
    GTimeVal now = {0, 0};
    GdkPixbufAnimationIter *iter = library.gdk_pixbuf_animation_get_iter(animation, &now);
    if (!iter) return PATCHBAY_IMAGE_NOTHING;
    int32_t result = PATCHBAY_IMAGE_OK;
    for (int32_t index = 0; index < frames; index++) {
        GdkPixbuf *pixbuf = library.gdk_pixbuf_animation_iter_get_pixbuf(iter);
        if (!pixbuf) {
            result = PATCHBAY_IMAGE_NOTHING;
            break;
        }
        int delay = library.gdk_pixbuf_animation_iter_get_delay_time(iter);
        PatchbayImageFrame frame = {
            .width = library.gdk_pixbuf_get_width(pixbuf),
            .height = library.gdk_pixbuf_get_height(pixbuf),
            .channels = library.gdk_pixbuf_get_n_channels(pixbuf),
            .row_bytes = library.gdk_pixbuf_get_rowstride(pixbuf),
            .delay_milliseconds = delay < 0 ? -1 : delay,
            .pixels = library.gdk_pixbuf_read_pixels(pixbuf),
            .pixel_bytes = library.gdk_pixbuf_get_byte_length(pixbuf),
            // An animation draws its next frame into the same pixels, so only a single frame can have an owner.
            .owner = frames == 1 ? library.g_object_ref(pixbuf) : NULL,
        };
        if (!sink(context, &frame)) {
            if (frame.owner) library.g_object_unref(frame.owner);
            result = PATCHBAY_IMAGE_STOPPED;
            break;
        }
        if (delay < 0) break;
        now.tv_usec += (long)(delay % 1000) * 1000;
        now.tv_sec += delay / 1000 + now.tv_usec / 1000000;
        now.tv_usec %= 1000000;
        library.gdk_pixbuf_animation_iter_advance(iter, &now);
    }
    library.g_object_unref(iter);
    return result;
}

// The loader of GIF moves the rest of a piece after each block that it has read. With pieces of 64 KiB, a file of blocks
// of one byte takes eight times as long.
enum { PIECE = 4096 };

void patchbay_image_release(void *owner) { library.g_object_unref(owner); }

int32_t patchbay_image_decode(const char *name, const uint8_t *bytes, size_t count, int32_t max_width,
                              int32_t max_height, int32_t frames, PatchbayImageSink sink, void *context) {
    if (!load_library()) return PATCHBAY_IMAGE_NO_LIBRARY;
    GError *error = NULL;
    GdkPixbufLoader *loader = library.gdk_pixbuf_loader_new_with_type(name, &error);
    if (!loader) {
        code_of(error);
        return PATCHBAY_IMAGE_NO_LOADER;
    }
    Bounds bounds = {max_width, max_height, false};
    library.g_signal_connect_data(loader, "size-prepared", (void (*)(void))size_prepared, &bounds, NULL, 0);
    int32_t result = PATCHBAY_IMAGE_OK;
    size_t offset = 0;
    while (offset < count && result == PATCHBAY_IMAGE_OK && !bounds.too_large) {
        size_t piece = count - offset < PIECE ? count - offset : PIECE;
        if (!library.gdk_pixbuf_loader_write(loader, bytes + offset, piece, &error)) result = code_of(error);
        offset += piece;
    }
    // A loader must be closed, even after a failure.
    error = NULL;
    GError **place = result == PATCHBAY_IMAGE_OK ? &error : NULL;
    if (!library.gdk_pixbuf_loader_close(loader, place) && place) result = code_of(error);
    if (bounds.too_large) result = PATCHBAY_IMAGE_TOO_LARGE;
    if (result == PATCHBAY_IMAGE_OK) {
        GdkPixbufAnimation *animation = library.gdk_pixbuf_loader_get_animation(loader);
        result = animation ? give_frames(animation, frames, sink, context) : PATCHBAY_IMAGE_NOTHING;
    }
    library.g_object_unref(loader);
    return result;
}

#endif
