#include "ContentDecoder.h"

#include "LibcurlLoader.h"
#include "Zlib.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

// The used part of the stable ABIs of the three libraries. Their functions are looked up in the libraries that libcurl
// needs: libcurl's build decides which libraries are present. No library must be installed for the build of this package.

struct zstd_input {
    const void *source;
    size_t size;
    size_t position;
};

struct zstd_output {
    void *destination;
    size_t size;
    size_t position;
};

enum { BROTLI_FAILED = 0, BROTLI_DONE = 1 };
enum { ZSTD_WINDOW_LOG_MAX = 100, ZSTD_WINDOW_TOO_LARGE = 16 };
// RFC 9659, section 3: 8 MiB. libzstd's own limit is 128 MiB. The limit of Brotli is 16 MiB without its large window.
enum { ZSTD_WINDOW_LOG = 23 };

static struct {
    int (*inflate_init)(struct zlib_stream *, int, const char *, int);
    int (*inflate)(struct zlib_stream *, int);
    int (*inflate_reset)(struct zlib_stream *);
    int (*inflate_end)(struct zlib_stream *);
    void *(*brotli_open)(void *, void *, void *);
    int (*brotli_run)(void *, size_t *, const uint8_t **, size_t *, uint8_t **, size_t *);
    void (*brotli_close)(void *);
    void *(*zstd_open)(void);
    size_t (*zstd_run)(void *, struct zstd_output *, struct zstd_input *);
    size_t (*zstd_set)(void *, int, int);
    unsigned (*zstd_failed)(size_t);
    int (*zstd_reason)(size_t);
    size_t (*zstd_close)(void *);
} library;

static void look_up(void) {
    // A cast of the address: POSIX has dlsym return functions as void *.
    *(void **)&library.inflate_init = patchbay_libcurl_find("inflateInit2_");
    *(void **)&library.inflate = patchbay_libcurl_find("inflate");
    *(void **)&library.inflate_reset = patchbay_libcurl_find("inflateReset");
    *(void **)&library.inflate_end = patchbay_libcurl_find("inflateEnd");
    *(void **)&library.brotli_open = patchbay_libcurl_find("BrotliDecoderCreateInstance");
    *(void **)&library.brotli_run = patchbay_libcurl_find("BrotliDecoderDecompressStream");
    *(void **)&library.brotli_close = patchbay_libcurl_find("BrotliDecoderDestroyInstance");
    *(void **)&library.zstd_open = patchbay_libcurl_find("ZSTD_createDStream");
    *(void **)&library.zstd_run = patchbay_libcurl_find("ZSTD_decompressStream");
    *(void **)&library.zstd_set = patchbay_libcurl_find("ZSTD_DCtx_setParameter");
    *(void **)&library.zstd_reason = patchbay_libcurl_find("ZSTD_getErrorCode");
    *(void **)&library.zstd_failed = patchbay_libcurl_find("ZSTD_isError");
    *(void **)&library.zstd_close = patchbay_libcurl_find("ZSTD_freeDStream");
}

int patchbay_coding_is_there(enum patchbay_coding coding) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (!patchbay_libcurl_load() || pthread_once(&once, look_up) != 0) return 0;
    switch (coding) {
    case PATCHBAY_CODING_GZIP:
    case PATCHBAY_CODING_DEFLATE:
        return library.inflate_init && library.inflate && library.inflate_reset && library.inflate_end;
    case PATCHBAY_CODING_BROTLI: return library.brotli_open && library.brotli_run && library.brotli_close;
    case PATCHBAY_CODING_ZSTD:
        return library.zstd_open && library.zstd_set && library.zstd_run && library.zstd_failed && library.zstd_reason &&
               library.zstd_close;
    }
    return 0;
}

struct decoder {
    enum patchbay_coding coding;
    enum patchbay_decoding state;
    /// Whether `zlib` was made. This happens at the first byte, which tells the kind of deflate.
    int has_zlib;
    struct zlib_stream zlib;
    void *other;
    /// The number of bytes read of the magic number of a zstd frame.
    int magic_bytes;
    /// Whether the zstd frame is skippable.
    int is_skippable;
};

/// A zstd decoder with a limit for its window.
static void *open_zstd(void) {
    void *zstd = library.zstd_open();
    if (!zstd || !library.zstd_failed(library.zstd_set(zstd, ZSTD_WINDOW_LOG_MAX, ZSTD_WINDOW_LOG))) return zstd;
    library.zstd_close(zstd);
    return NULL;
}

void *patchbay_decoder_open(enum patchbay_coding coding) {
    if (!patchbay_coding_is_there(coding)) return NULL;
    struct decoder *decoder = calloc(1, sizeof(struct decoder));
    if (!decoder) return NULL;
    decoder->coding = coding;
    if (coding == PATCHBAY_CODING_BROTLI) decoder->other = library.brotli_open(NULL, NULL, NULL);
    if (coding == PATCHBAY_CODING_ZSTD) decoder->other = open_zstd();
    if ((coding == PATCHBAY_CODING_BROTLI || coding == PATCHBAY_CODING_ZSTD) && !decoder->other) {
        free(decoder);
        return NULL;
    }
    return decoder;
}

void patchbay_decoder_close(void *pointer) {
    struct decoder *decoder = pointer;
    if (decoder->has_zlib) library.inflate_end(&decoder->zlib);
    if (decoder->other && decoder->coding == PATCHBAY_CODING_BROTLI) library.brotli_close(decoder->other);
    if (decoder->other && decoder->coding == PATCHBAY_CODING_ZSTD) library.zstd_close(decoder->other);
    free(decoder);
}

static int open_zlib(struct decoder *decoder, uint8_t first) {
    int bits = ZLIB_GZIP;
    if (decoder->coding == PATCHBAY_CODING_DEFLATE) {
        // RFC 1950: the method is 8 and the window at most 7. In bare deflate, such a byte would be a stored block
        // with nonzero padding.
        bits = (first & 0x0F) == 8 && first >> 4 <= 7 ? ZLIB_WRAPPED : ZLIB_BARE;
    }
    decoder->has_zlib = library.inflate_init(&decoder->zlib, bits, ZLIB_VERSION_ASKED_FOR, (int)sizeof(struct zlib_stream)) == ZLIB_OK;
    return decoder->has_zlib;
}

static enum patchbay_decoding run_zlib(struct decoder *decoder, const uint8_t *input, size_t input_count,
                                       size_t *taken, uint8_t *output, size_t capacity, size_t *made) {
    if (decoder->state == PATCHBAY_DECODING_ENDED) {
        if (input_count == 0) return PATCHBAY_DECODING_ENDED;
        // A gzip file can have several members (RFC 1952, section 2.2); a zlib stream is always one.
        if (decoder->coding != PATCHBAY_CODING_GZIP) return PATCHBAY_DECODING_BROKEN;
        if (library.inflate_reset(&decoder->zlib) != ZLIB_OK) return PATCHBAY_DECODING_BROKEN;
    }
    if (!decoder->has_zlib) {
        if (input_count == 0) return PATCHBAY_DECODING_OPEN;
        if (!open_zlib(decoder, input[0])) return PATCHBAY_DECODING_BROKEN;
    }
    unsigned int input_piece = input_count > UINT_MAX ? UINT_MAX : (unsigned int)input_count;
    unsigned int output_piece = capacity > UINT_MAX ? UINT_MAX : (unsigned int)capacity;
    decoder->zlib.next_in = input;
    decoder->zlib.avail_in = input_piece;
    decoder->zlib.next_out = output;
    decoder->zlib.avail_out = output_piece;
    int result = library.inflate(&decoder->zlib, ZLIB_NO_FLUSH);
    *taken = input_piece - decoder->zlib.avail_in;
    *made = output_piece - decoder->zlib.avail_out;
    if (result == ZLIB_STREAM_END) return PATCHBAY_DECODING_ENDED;
    return result == ZLIB_OK || result == ZLIB_BUF_ERROR ? PATCHBAY_DECODING_OPEN : PATCHBAY_DECODING_BROKEN;
}

static enum patchbay_decoding run_brotli(struct decoder *decoder, const uint8_t *input, size_t input_count,
                                         size_t *taken, uint8_t *output, size_t capacity, size_t *made) {
    if (decoder->state == PATCHBAY_DECODING_ENDED) {
        return input_count == 0 ? PATCHBAY_DECODING_ENDED : PATCHBAY_DECODING_BROKEN;
    }
    size_t input_left = input_count, output_left = capacity;
    int result = library.brotli_run(decoder->other, &input_left, &input, &output_left, &output, NULL);
    *taken = input_count - input_left;
    *made = capacity - output_left;
    if (result == BROTLI_FAILED) return PATCHBAY_DECODING_BROKEN;
    return result == BROTLI_DONE ? PATCHBAY_DECODING_ENDED : PATCHBAY_DECODING_OPEN;
}

/// Whether the next bytes begin or continue a frame of RFC 8878 (section 3.1). libzstd can have been built with support
/// for older formats, whose decoders allocate the window that the frame names, up to 128 MiB.
static int is_frame(struct decoder *decoder, const uint8_t *input, size_t count) {
    static const uint8_t magic[2][4] = {{0x28, 0xB5, 0x2F, 0xFD}, {0x50, 0x2A, 0x4D, 0x18}};
    for (size_t i = 0; i < count && decoder->magic_bytes < 4; i++, decoder->magic_bytes++) {
        uint8_t byte = input[i];
        if (decoder->magic_bytes == 0) {
            decoder->is_skippable = (byte & 0xF0) == 0x50;
            // There are sixteen magic numbers of skippable frames.
            if (decoder->is_skippable) byte = 0x50;
        }
        if (byte != magic[decoder->is_skippable][decoder->magic_bytes]) return 0;
    }
    return 1;
}

static enum patchbay_decoding run_zstd(struct decoder *decoder, const uint8_t *input, size_t input_count,
                                       size_t *taken, uint8_t *output, size_t capacity, size_t *made) {
    // Without input, a decoder at the end of a frame would begin the next frame.
    if (decoder->state == PATCHBAY_DECODING_ENDED && input_count == 0) return PATCHBAY_DECODING_ENDED;
    if (!is_frame(decoder, input, input_count)) return PATCHBAY_DECODING_BROKEN;
    struct zstd_input source = {input, input_count, 0};
    struct zstd_output target = {output, capacity, 0};
    size_t result = library.zstd_run(decoder->other, &target, &source);
    *taken = source.position;
    *made = target.position;
    if (library.zstd_failed(result)) {
        return library.zstd_reason(result) == ZSTD_WINDOW_TOO_LARGE ? PATCHBAY_DECODING_TOO_LARGE : PATCHBAY_DECODING_BROKEN;
    }
    if (result != 0) return PATCHBAY_DECODING_OPEN;
    // zstd decodes one frame at a time.
    decoder->magic_bytes = 0;
    return PATCHBAY_DECODING_ENDED;
}

enum patchbay_decoding patchbay_decoder_run(void *pointer, const uint8_t *input, size_t input_count, size_t *taken,
                                            uint8_t *output, size_t capacity, size_t *made) {
    struct decoder *decoder = pointer;
    *taken = 0;
    *made = 0;
    if (decoder->state < PATCHBAY_DECODING_OPEN) return decoder->state;
    switch (decoder->coding) {
    case PATCHBAY_CODING_GZIP:
    case PATCHBAY_CODING_DEFLATE:
        decoder->state = run_zlib(decoder, input, input_count, taken, output, capacity, made);
        break;
    case PATCHBAY_CODING_BROTLI:
        decoder->state = run_brotli(decoder, input, input_count, taken, output, capacity, made);
        break;
    case PATCHBAY_CODING_ZSTD:
        decoder->state = run_zstd(decoder, input, input_count, taken, output, capacity, made);
        break;
    }
    return decoder->state;
}
