#ifdef PATCHBAY_FASTJSON

#if !__has_include(<simdjson.h>)
#error "the trait FastJSON needs simdjson: install libsimdjson-dev, or build without the trait"
#endif

#include "CPatchbaySimdjson.h"

// Nothing thrown may cross into Swift, and without exceptions simdjson throws nothing.
#define SIMDJSON_EXCEPTIONS 0
#include <simdjson.h>

static_assert(PATCHBAY_SIMDJSON_PADDING >= simdjson::SIMDJSON_PADDING, "simdjson reads further than promised");

struct PatchbayTokens {
    std::unique_ptr<simdjson::internal::dom_parser_implementation> parser;
};

namespace {

// The baseline of x86-64 has vectors of 16 bytes; the processor at hand mostly has larger ones. The choice is made while the
// program is loaded, when ThreadSanitizer, which would watch it, is not there yet.
#if defined(__x86_64__) && defined(__linux__) && !__has_feature(thread_sanitizer)
#define PATCHBAY_EVERY_PROCESSOR __attribute__((target_clones("avx512bw", "avx2", "default")))
#else
#define PATCHBAY_EVERY_PROCESSOR
#endif

constexpr size_t block = 4096;

PATCHBAY_EVERY_PROCESSOR
bool has_minus_zero(const uint8_t *text, size_t count) {
    uint8_t found = 0;
    for (size_t i = 0; i < count; i++) found |= static_cast<uint8_t>((text[i] == '-') & (text[i + 1] == '0'));
    return found != 0;
}

PATCHBAY_EVERY_PROCESSOR
size_t count_tokens(const uint8_t *text, size_t count) {
    // Each separator and bracket is a token, and so is a scalar, which one of them follows.
    size_t total = 0;
    while (count > 0) {
        size_t part = count < 128 ? count : 128;
        uint8_t sum = 0;
        for (size_t i = 0; i < part; i++) {
            uint8_t letter = text[i] | 0x20;
            sum = static_cast<uint8_t>(sum + (text[i] == ',') + (text[i] == ':') + (letter == '{') + (letter == '}'));
        }
        total += sum;
        text += part;
        count -= part;
    }
    return total;
}

// simdjson reads the integer -0 as 0, and Patchbay keeps its sign. In a string this is found too, which costs time only.
bool may_hold_integer_minus_zero(const uint8_t *text, size_t count) {
    for (size_t start = 0; start + 1 < count; start += block) {
        size_t part = count - 1 - start < block ? count - 1 - start : block;
        if (!has_minus_zero(text + start, part)) continue;
        for (size_t i = start; i < start + part; i++) {
            if (text[i] != '-' || text[i + 1] != '0') continue;
            uint8_t before = i > 0 ? text[i - 1] : ' ';
            uint8_t after = i + 2 < count ? text[i + 2] : ' ';
            bool begins = before <= ' ' || before == ',' || before == ':' || before == '[';
            bool ends = after <= ' ' || after == ',' || after == ']' || after == '}';
            if (begins && ends) return true;
        }
    }
    return false;
}

} // namespace

extern "C" size_t patchbay_tokens_estimate(const uint8_t *text, size_t count) { return 2 * count_tokens(text, count) + 1; }

extern "C" PatchbayTokens *patchbay_tokens_find(const uint8_t *text, size_t count, size_t maximum_depth) {
    if (count == 0 || count >= simdjson::SIMDJSON_MAXSIZE_BYTES) return nullptr;
    if (may_hold_integer_minus_zero(text, count)) return nullptr;
    std::unique_ptr<simdjson::internal::dom_parser_implementation> parser;
    // simdjson counts the document itself as one level, and an empty container as none. So it refuses what reaches the last level.
    auto error = simdjson::get_active_implementation()->create_dom_parser_implementation(count, maximum_depth, parser);
    if (error || !parser) return nullptr;
    if (parser->stage1(text, count, simdjson::stage1_mode::regular)) return nullptr;
    return new (std::nothrow) PatchbayTokens{std::move(parser)};
}

extern "C" size_t patchbay_tokens_count(const PatchbayTokens *tokens) { return tokens->parser->n_structural_indexes; }

extern "C" bool patchbay_tokens_write(PatchbayTokens *tokens, uint64_t *words, uint8_t *strings) {
    simdjson::dom::document document;
    // Lent: a document frees what it holds.
    document.tape.reset(words);
    document.string_buf.reset(strings);
    auto error = tokens->parser->stage2(document);
    (void)document.tape.release();
    (void)document.string_buf.release();
    return !error;
}

extern "C" void patchbay_tokens_free(PatchbayTokens *tokens) { delete tokens; }

#endif
