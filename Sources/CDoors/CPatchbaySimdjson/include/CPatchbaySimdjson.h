#pragma once

// simdjson's parser in two steps, between which the caller makes room for what it writes. It is built with the trait
// FastJSON only, and needs libsimdjson-dev then.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PatchbayTokens PatchbayTokens;

// How many bytes behind the text simdjson reads, whatever they are.
#define PATCHBAY_SIMDJSON_PADDING 64

// A number that no text has fewer tokens, quotes of strings counted once, than: for a guess at memory before any is used.
size_t patchbay_tokens_estimate(const uint8_t *text, size_t count);

// Finds where the tokens of a text begin. NULL where simdjson refuses the text, would read a number in it otherwise than
// asked, or has no memory. The text must outlive the result. No text with more containers inside each other than the maximum,
// which is at least 1, will be written; one with exactly as many is only where the innermost are empty.
PatchbayTokens *patchbay_tokens_find(const uint8_t *text, size_t count, size_t maximum_depth);

size_t patchbay_tokens_count(const PatchbayTokens *tokens);

// Writes the tape: at most count + 8 words, and at most 5/3 as many bytes as the text has, and the padding. False where the
// text is not JSON.
bool patchbay_tokens_write(PatchbayTokens *tokens, uint64_t *words, uint8_t *strings);

void patchbay_tokens_free(PatchbayTokens *tokens);

#ifdef __cplusplus
}
#endif
