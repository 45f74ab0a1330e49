#pragma once

// simdjson's parser in two steps, between which the caller allocates memory for the results. Only the trait FastJSON
// builds it, and it then needs libsimdjson-dev.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Whether the internals of this simdjson are known. Otherwise no tokens are found and no lines opened.
bool patchbay_simdjson_is_known(void);

// Whether bytes after a text are allowed to be read up to the end of their page. Such reads are not allowed under a
// sanitizer that watches these functions.
bool patchbay_simdjson_may_read_pages(void);

typedef struct PatchbayTokens PatchbayTokens;

// Finds the starts of the tokens of a text. Returns NULL if simdjson refuses the text, would read a number differently
// from Patchbay, would read more than `padding` bytes after the text, or would take more than `memory` bytes. The text
// must outlive the result. `maximum_depth` is at least 1. patchbay_tokens_write refuses a text with more nested
// containers than `maximum_depth`. It also refuses a text with exactly `maximum_depth` nested containers, unless the
// innermost containers are empty.
PatchbayTokens *patchbay_tokens_find(
    const uint8_t *text, size_t count, size_t padding, size_t maximum_depth, size_t memory);

// The number of tokens. Each token takes four bytes of memory. A tape has at most eight more words than tokens. The
// strings of a tape take at most 5/3 of the bytes of the text, and at most eight bytes more than the number of bytes of
// the text plus the number of tokens: each string takes three more bytes than in the text, and a token follows it.
size_t patchbay_tokens_count(const PatchbayTokens *tokens);

typedef struct {
    size_t words;
    size_t string_bytes;
} PatchbayTapeSize;

// An upper bound of the size of the tape, from a pass over every token.
PatchbayTapeSize patchbay_tokens_size(const PatchbayTokens *tokens);

// Writes the tape. `words` and `strings` need the sizes that patchbay_tokens_count or patchbay_tokens_size gives, plus
// eight words and 64 bytes. Returns false if the text is not JSON.
bool patchbay_tokens_write(PatchbayTokens *tokens, uint64_t *words, uint8_t *strings);

// The length of a prefix of the text; 0 if no prefix is needed. The prefix contains every number of at most 255 bytes
// that is not an integer and has more than 15 digits, with the byte after it. It ends 256 bytes after a block of 4,096
// bytes, or with the text. Call this after the tape was written.
size_t patchbay_tokens_end_of_long_numbers(const PatchbayTokens *tokens, const uint64_t *words);

void patchbay_tokens_free(PatchbayTokens *tokens);

// Many JSON texts in one text, one on each line. The tokens of all lines are found at once.
typedef struct PatchbayLines PatchbayLines;

// The size limit for the text of lines.
#define PATCHBAY_LINES_LARGEST (64 << 10)

// Begins to read lines, each of which ends with LF. Returns NULL if there is no memory, the text is too large, or
// simdjson would read a number in it differently from Patchbay, or read more than `padding` bytes after the text. The
// text must outlive the result. Lines with more nested containers than the maximum are not returned.
PatchbayLines *patchbay_lines_open(const uint8_t *text, size_t count, size_t padding, size_t maximum_depth);

// One line with its tape, valid until the next line is read.
typedef struct {
    // The start of the line, and the start of the next line.
    size_t start, end;
    // The number of lines up to the end of this line: this line, and the blank lines directly before it.
    size_t lines;
    const uint64_t *words;
    size_t word_count;
    const uint8_t *strings;
    size_t string_bytes;
} PatchbayLine;

// Reads the next line that is not blank. Returns false at the end, and from the first line on that is not an object
// or array, or that simdjson refuses.
bool patchbay_lines_next(PatchbayLines *lines, PatchbayLine *line);

void patchbay_lines_close(PatchbayLines *lines);

#ifdef __cplusplus
}
#endif
