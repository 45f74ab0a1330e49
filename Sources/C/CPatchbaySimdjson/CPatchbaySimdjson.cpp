#ifdef PATCHBAY_FASTJSON

#if !__has_include(<simdjson.h>)
#error "the trait FastJSON needs simdjson: install libsimdjson-dev, or build without the trait"
#endif

#include "CPatchbaySimdjson.h"

// No exception is allowed to reach Swift. Without exceptions, simdjson throws nothing.
#define SIMDJSON_EXCEPTIONS 0
#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <simdjson.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#include "TapeWriter.h"

namespace {

// Internals of simdjson are used: the first step of its parser, which finds the tokens, and its functions for numbers
// and escapes. Later versions can have changed them. The tests have passed with 3.0.1; 3.6.4 gave the same tapes for a
// few large documents. With a version for which `is_known` is false, this file finds no tokens, and Patchbay's own
// parser reads every text. Run JSONTests with a newer version before admitting it.
constexpr bool is_known = simdjson::SIMDJSON_VERSION_MAJOR == 3 && simdjson::SIMDJSON_VERSION_MINOR <= 8;

// The only code that uses members of simdjson's parser. It is a template, so that a member that a version lacks is no
// error unless it is used.
template <bool is_known, typename Parser> struct Steps {
    // The third argument is the mode, and its first value reads one whole document.
    static bool find(Parser &parser, const uint8_t *text, size_t count) {
        return !parser.implementation->stage1(text, count, {});
    }

    static size_t count(const Parser &parser) { return parser.implementation->n_structural_indexes; }

    static uint32_t *places(const Parser &parser) { return parser.implementation->structural_indexes.get(); }

    static auto unescape(const Parser &parser) {
        return [implementation = parser.implementation.get()](const uint8_t *text, uint8_t *out) {
            return call(implementation, text, out, 0);
        };
    }

private:
    // Later versions have a third parameter: whether unpaired surrogates are allowed.
    template <typename Implementation>
    static auto call(Implementation *implementation, const uint8_t *text, uint8_t *out, int)
        -> decltype(implementation->parse_string(text, out)) {
        return implementation->parse_string(text, out);
    }

    template <typename Implementation>
    static uint8_t *call(Implementation *implementation, const uint8_t *text, uint8_t *out, long) {
        return implementation->parse_string(text, out, false);
    }
};

template <typename Parser> struct Steps<false, Parser> {
    static bool find(Parser &, const uint8_t *, size_t) { return false; }
    static size_t count(const Parser &) { return 0; }
    static uint32_t *places(const Parser &) { return nullptr; }
    static auto unescape(const Parser &) {
        return [](const uint8_t *, uint8_t *) -> uint8_t * { return nullptr; };
    }
};

using Simdjson = Steps<is_known, simdjson::dom::parser>;
using Writer = TapeWriter<decltype(Simdjson::unescape(simdjson::dom::parser{}))>;

// Whether simdjson is allowed to read a text with this number of readable bytes after it.
bool can_read(size_t count, size_t padding) {
    return is_known && count > 0 && count < simdjson::SIMDJSON_MAXSIZE_BYTES && padding >= simdjson::SIMDJSON_PADDING;
}

} // namespace

struct PatchbayTokens {
    simdjson::dom::parser parser;
    const uint8_t *text;
    size_t length;
    // The tokens of the document that patchbay_tokens_write writes, and the end of the item that was read last.
    size_t first, end, place;
    Shapes shapes;
    Writer::Level levels[Writer::maximum_depth];
};

namespace {

// The baseline of x86-64 has vectors of 16 bytes, but most processors have larger vectors. The processor is detected
// while the program is loaded, before ThreadSanitizer, which would instrument the detection, is initialized.
#if defined(__x86_64__) && defined(__linux__) && !__has_feature(thread_sanitizer)
#define PATCHBAY_EVERY_PROCESSOR __attribute__((target_clones("avx512bw", "avx2", "default")))
#else
#define PATCHBAY_EVERY_PROCESSOR
#endif

inline uint8_t is_mark(uint8_t byte) {
    uint8_t letter = byte | 0x20;
    // simdjson compares all four without the bit of lower case, so that 0x0C counts as a comma.
    return (letter == ',') | (letter == ':') | (letter == '{') | (letter == '}');
}

// An upper bound of the number of tokens: each separator and bracket, and each scalar, which follows a separator, a
// bracket, a whitespace or a quote. The bound must also hold for a text that is not JSON, or simdjson would take more
// memory than allowed. The sums are bytes, one for each byte of a vector; after 128 steps each is at most 128, so none
// overflows.
PATCHBAY_EVERY_PROCESSOR
size_t count_tokens(const uint8_t *text, size_t count) {
    size_t total = 0;
    while (count > 0) {
        size_t part = count < 128 ? count : 128;
        uint8_t marks = 0, scalars = 0;
        for (size_t i = 0; i < part; i++) {
            uint8_t mark = is_mark(text[i]);
            uint8_t is_scalar = static_cast<uint8_t>(1 - (is_mark(text[i + 1]) | is_blank(text[i + 1])));
            marks = static_cast<uint8_t>(marks + mark);
            scalars = static_cast<uint8_t>(scalars + (is_scalar & (mark | is_blank(text[i]) | (text[i] == '"'))));
        }
        total += marks + scalars;
        text += part;
        count -= part;
    }
    return total;
}

// Whether simdjson is allowed to search for the tokens: it writes four bytes for each token before it reports the
// number of tokens.
bool is_suitable(const uint8_t *text, size_t count, size_t memory) {
    constexpr size_t block = 4096;
    size_t tokens = 1;
    for (size_t start = 0; count > memory / 8 && start < count; start += block) {
        tokens += count_tokens(text + start, count - start < block ? count - start : block);
        if (4 * tokens > memory) return false;
    }
    return true;
}

// Up to two idle parsers are kept for the next texts, with their token memory, which takes longer to allocate than to
// fill. Two threads cannot get the same parser: a slot is only ever exchanged, so only one thread gets its pointer.
constexpr size_t largest_idle_text = 4 << 20;
constexpr size_t most_idle_tokens = 1 << 20;
std::atomic<PatchbayTokens *> idle[2];

PatchbayTokens *take(size_t count) {
    for (auto &slot : idle) {
        std::unique_ptr<PatchbayTokens> tokens{slot.exchange(nullptr)};
        if (tokens && tokens->parser.capacity() >= count) return tokens.release();
    }
    size_t capacity = 64 << 10;
    while (capacity < count && capacity < largest_idle_text) capacity *= 2;
    if (capacity < count) capacity = count;
    std::unique_ptr<PatchbayTokens> tokens{new (std::nothrow) PatchbayTokens};
    if (!tokens) return nullptr;
    // simdjson's own writer, which needs the depth, is not used.
    if (tokens->parser.allocate(capacity, 1)) return nullptr;
#ifdef __linux__
    if (capacity > largest_idle_text) {
        // A block of this size has its own pages at both ends.
        auto start = (reinterpret_cast<uintptr_t>(Simdjson::places(tokens->parser)) + 4095) & ~uintptr_t{4095};
        madvise(reinterpret_cast<void *>(start), (capacity * sizeof(uint32_t) - 4096) & ~size_t{4095}, MADV_HUGEPAGE);
    }
#endif
    return tokens.release();
}

} // namespace

extern "C" bool patchbay_simdjson_is_known(void) { return is_known; }

extern "C" bool patchbay_simdjson_may_read_pages(void) { return !__has_feature(address_sanitizer); }

extern "C" PatchbayTokens *patchbay_tokens_find(
    const uint8_t *text, size_t count, size_t padding, size_t memory) {
    if (!can_read(count, padding) || !is_suitable(text, count, memory)) return nullptr;
    std::unique_ptr<PatchbayTokens> tokens{take(count)};
    if (!tokens || !Simdjson::find(tokens->parser, text, count)) return nullptr;
    tokens->text = text;
    tokens->length = count;
    tokens->first = tokens->place = 0;
    tokens->end = Simdjson::count(tokens->parser);
    tokens->shapes.clear();
    return tokens.release();
}

extern "C" size_t patchbay_tokens_count(const PatchbayTokens *tokens) { return Simdjson::count(tokens->parser); }

extern "C" PatchbayTapeSize patchbay_tokens_size(const PatchbayTokens *tokens) {
    const uint32_t *indexes = Simdjson::places(tokens->parser);
    size_t count = Simdjson::count(tokens->parser);
    PatchbayTapeSize size{2, 0};
    for (size_t i = 0; i < count; i++) {
        size_t start = indexes[i];
        size_t end = i + 1 < count ? indexes[i + 1] : tokens->length;
        uint8_t letter = tokens->text[start];
        bool is_number = letter == '-' || static_cast<uint8_t>(letter - '0') < 10;
        size.words += letter == ',' || letter == ':' ? 0 : is_number ? 2 : 1;
        // Two quotes are removed; four bytes of length and a zero are added.
        // A number with an exponent or more than 19 digits can have a record, with a byte of length.
        bool is_kept = is_number && end - start > Writer::shortest_text
            && (end - start > 20 || memchr(tokens->text + start, 'e', end - start)
                || memchr(tokens->text + start, 'E', end - start));
        size.string_bytes += letter == '"' ? end - start + 3 : is_kept ? end - start + 1 : 0;
    }
    return size;
}

extern "C" bool patchbay_tokens_write(
    PatchbayTokens *tokens, size_t maximum_depth, uint64_t *words, uint8_t *strings, PatchbayTape *tape) {
    uint32_t *places = Simdjson::places(tokens->parser);
    Writer writer{tokens->text, words, strings, tokens->shapes, tokens->levels, Simdjson::unescape(tokens->parser)};
    if (maximum_depth > Writer::maximum_depth) return false;
    if (!writer.write(places + tokens->first, places + tokens->end, maximum_depth)) return false;
    tape->words = static_cast<size_t>(writer.word - words);
    tape->string_bytes = static_cast<size_t>(writer.string - strings);
    tape->objects = places + tokens->first;
    tape->object_count = writer.unknown_objects;
    return true;
}

extern "C" void patchbay_tokens_free(PatchbayTokens *tokens) {
    bool is_large = tokens->parser.capacity() > largest_idle_text || patchbay_tokens_count(tokens) > most_idle_tokens;
    if (is_large) return delete tokens;
    for (auto &slot : idle) {
        tokens = slot.exchange(tokens);
        if (!tokens) return;
    }
    delete tokens;
}

extern "C" bool patchbay_tokens_next_line(PatchbayTokens *tokens, PatchbayItem *line) {
    const uint32_t *places = Simdjson::places(tokens->parser);
    if (tokens->place == 0) tokens->end = 0;
    line->lines = 0;
    while (tokens->place < tokens->length) {
        const uint8_t *start = tokens->text + tokens->place;
        auto *feed = static_cast<const uint8_t *>(memchr(start, '\n', tokens->length - tokens->place));
        if (!feed) return false;
        line->bytes = static_cast<size_t>(feed - start);
        line->end = tokens->place += line->bytes + 1;
        line->lines++;
        // The search for the end begins with the number of tokens of the line before, which most lines have, too.
        size_t count = Simdjson::count(tokens->parser), former = tokens->end - tokens->first;
        tokens->first = tokens->end;
        tokens->end = std::min(tokens->end + former, count);
        while (tokens->end > tokens->first && places[tokens->end - 1] >= line->end) tokens->end--;
        while (tokens->end < count && places[tokens->end] < line->end) tokens->end++;
        if (tokens->first == tokens->end) continue;
        uint8_t letter = tokens->text[places[tokens->first]];
        line->tokens = tokens->end - tokens->first;
        return letter == '{' || letter == '[';
    }
    return false;
}

extern "C" bool patchbay_tokens_next_element(PatchbayTokens *tokens, PatchbayItem *element) {
    const uint32_t *places = Simdjson::places(tokens->parser);
    const uint8_t *text = tokens->text;
    size_t count = Simdjson::count(tokens->parser), end = 0, depth = 0;
    if (tokens->place > 0) {
        end = tokens->end;
        if (end == count || text[places[end++]] != ',') return false;
    }
    tokens->first = end;
    do {
        if (end == count) return false;
        // The kinds of the brackets don't matter here: the writer refuses brackets that don't match.
        uint8_t letter = text[places[end++]];
        if (letter == '{' || letter == '[') depth++;
        else if (depth == 0) return false;
        else if (letter == '}' || letter == ']') depth--;
    } while (depth > 0);
    tokens->end = end;
    tokens->place = places[end - 1] + size_t{1};
    *element = {tokens->place - places[tokens->first], tokens->place, 1, end - tokens->first};
    return true;
}

#endif
