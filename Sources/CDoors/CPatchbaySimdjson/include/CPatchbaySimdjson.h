#pragma once

// simdjson's parser in two steps, between which the caller makes room for what it writes. It is built with the trait
// FastJSON only, and needs libsimdjson-dev then.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Whether this is a simdjson whose inside is known. With any other no tokens are found and no lines opened.
bool patchbay_simdjson_is_known(void);

// Whether what stands behind a text on its page may be read: a sanitizer that watches these functions would mind.
bool patchbay_simdjson_may_read_pages(void);

typedef struct PatchbayTokens PatchbayTokens;

// Finds where the tokens of a text begin. NULL where simdjson refuses the text, would read a number in it otherwise than
// asked, would read further behind it than `padding` bytes, or takes more than so many bytes of memory for it. The text must outlive
// the result. No text with more containers inside each other than the maximum, which is at least 1, will be written; one with exactly
// as many is only where the innermost are empty.
PatchbayTokens *patchbay_tokens_find(
    const uint8_t *text, size_t count, size_t padding, size_t maximum_depth, size_t memory);

// Each has taken four bytes. A tape has no more words than eight more than that. It has no more bytes of strings than 5/3 of the
// text, and eight more than the text has bytes and tokens: each string takes three more than it has there, and a token follows it.
size_t patchbay_tokens_count(const PatchbayTokens *tokens);

typedef struct {
    size_t words;
    size_t string_bytes;
} PatchbayTapeSize;

// What the tape takes at most, found out by a look at every token.
PatchbayTapeSize patchbay_tokens_size(const PatchbayTokens *tokens);

// Writes the tape, for which there must be room as above and for eight words and 64 bytes more. False where the text is not JSON.
bool patchbay_tokens_write(PatchbayTokens *tokens, uint64_t *words, uint8_t *strings);

// How much of the text holds all numbers that are no integers and have more than 15 digits, of at most 255 bytes each, and what
// ends them; 0 where there is none. Of a tape that has been written.
size_t patchbay_tokens_end_of_long_numbers(const PatchbayTokens *tokens, const uint64_t *words);

void patchbay_tokens_free(PatchbayTokens *tokens);

// Many texts in one, a line each, the tokens of all of which are found at once.
typedef struct PatchbayLines PatchbayLines;

// The largest text of lines.
#define PATCHBAY_LINES_LARGEST (64 << 10)

// Begins to read lines, each of which ends with LF. NULL where there is no memory, the text is too large, or simdjson would read a number
// in it otherwise than asked, or would read further behind it than `padding` bytes. The text must outlive the result. No line with more
// containers inside each other than the maximum is given.
PatchbayLines *patchbay_lines_open(const uint8_t *text, size_t count, size_t padding, size_t maximum_depth);

// One line, and its tape, until the next is asked for.
typedef struct {
    // Where it begins and where the next does.
    size_t start, end;
    // How many lines end there and ended not before: this one, and blank ones ahead of it.
    size_t lines;
    const uint64_t *words;
    size_t word_count;
    const uint8_t *strings;
    size_t string_bytes;
} PatchbayLine;

// The next line that is not blank. False where none is left, and from the first on that is no object or array, or that simdjson refuses.
bool patchbay_lines_next(PatchbayLines *lines, PatchbayLine *line);

void patchbay_lines_close(PatchbayLines *lines);

#ifdef __cplusplus
}
#endif
