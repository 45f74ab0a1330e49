#pragma once

// Finds the tokens of a text with simdjson, and writes the tape into memory of the caller. Only the trait FastJSON
// builds it, and it then needs libsimdjson-dev.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Whether the internals of this simdjson are known. Otherwise no tokens are found.
bool patchbay_simdjson_is_known(void);

// Whether bytes after a text are allowed to be read up to the end of their page. Such reads are not allowed under a
// sanitizer that watches these functions.
bool patchbay_simdjson_may_read_pages(void);

typedef struct PatchbayTokens PatchbayTokens;

// Finds the starts of the tokens of a text: of one JSON text, or of several, one on each line or with commas between
// them. Returns NULL if simdjson refuses the text, would read more than `padding` bytes after the text, or would take
// more than `memory` bytes. The text must outlive the result.
PatchbayTokens *patchbay_tokens_find(const uint8_t *text, size_t count, size_t padding, size_t memory);

// The number of tokens. Each token takes four bytes of memory. A tape has at most eight more words than tokens. The
// strings of a tape take at most 5/3 of the bytes of the text, and at most eight bytes more than the number of bytes of
// the text plus the number of tokens: each string takes three more bytes than in the text, a kept text of a number one
// more, and a token follows both.
size_t patchbay_tokens_count(const PatchbayTokens *tokens);

typedef struct {
    size_t words;
    size_t string_bytes;
} PatchbayTapeSize;

// An upper bound of the size of the tape, from a pass over every token.
PatchbayTapeSize patchbay_tokens_size(const PatchbayTokens *tokens);

typedef struct {
    size_t words, string_bytes;
    // The objects in which a key can be repeated, by their words. All other objects have no repeated key. Valid until
    // the tokens are freed or the next item is read.
    const uint32_t *objects;
    size_t object_count;
} PatchbayTape;

// Writes the tape of the text, or of the item that was read last. `words` and `strings` need the sizes that
// patchbay_tokens_count or patchbay_tokens_size gives, plus eight words and 64 bytes. Returns false if the text is not
// JSON, if it has more nested containers than `maximum_depth`, which is at most 4096, if an integer does not fit in 64
// bits, or if the text is a number, a boolean or null. Call it at most once for the text and for each item: it overwrites
// tokens. After false, read no further items.
bool patchbay_tokens_write(
    PatchbayTokens *tokens, size_t maximum_depth, uint64_t *words, uint8_t *strings, PatchbayTape *tape);

// A line, or an element.
typedef struct {
    // The number of bytes, without the line end.
    size_t bytes;
    // The end in the text, with the line end.
    size_t end;
    // The number of lines up to the end of this line: this line, and the blank lines directly before it; 1 for an element.
    size_t lines;
    // The number of tokens, which bounds the tape like patchbay_tokens_count.
    size_t tokens;
} PatchbayItem;

// Reads the next line that is not blank. Returns false at the end, and from the first line on that is not an object
// or array, or that no LF ends.
bool patchbay_tokens_next_line(PatchbayTokens *tokens, PatchbayItem *line);

// Reads the next element of an array whose bracket is not in the text. Returns false at the end, and from the first
// element on that is not an object or array, that no bracket ends, or that has no comma before it; the first one needs
// none.
bool patchbay_tokens_next_element(PatchbayTokens *tokens, PatchbayItem *element);

void patchbay_tokens_free(PatchbayTokens *tokens);

#ifdef __cplusplus
}
#endif
