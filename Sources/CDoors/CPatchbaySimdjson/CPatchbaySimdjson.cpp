#ifdef PATCHBAY_FASTJSON

#if !__has_include(<simdjson.h>)
#error "the trait FastJSON needs simdjson: install libsimdjson-dev, or build without the trait"
#endif

#include "CPatchbaySimdjson.h"

// No exception is allowed to reach Swift. Without exceptions, simdjson throws nothing.
#define SIMDJSON_EXCEPTIONS 0
#include <atomic>
#include <cstring>
#include <simdjson.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace {

// Two internals of simdjson are used: the two steps of its parser, between which the caller allocates memory, and the
// layout of its tape. Later versions can have changed the steps or the layout; the tests have passed with 3.0.1 and
// 3.8.0. With a version for which `is_known` is false, this file finds no tokens, and Patchbay's own parser reads every
// text. Run JSONTests with a newer version before admitting it.
constexpr bool is_known = simdjson::SIMDJSON_VERSION_MAJOR == 3 && simdjson::SIMDJSON_VERSION_MINOR <= 8;

// The only code that uses internals of simdjson. It is a template, so that a member that a version lacks is no error
// unless it is used.
template <bool is_known, typename Parser> struct Steps {
    // The third argument is the mode, and its first value reads one whole document.
    static bool find(Parser &parser, const uint8_t *text, size_t count) {
        return !parser.implementation->stage1(text, count, {});
    }

    static size_t count(const Parser &parser) { return parser.implementation->n_structural_indexes; }

    static uint32_t *places(const Parser &parser) { return parser.implementation->structural_indexes.get(); }

    static bool write(Parser &parser, uint64_t *words, uint8_t *strings) {
        decltype(parser.doc) document;
        // The document would free its memory, but the caller owns this memory. So the pointers are released from the
        // document, whatever the parser returned.
        document.tape.reset(words);
        document.string_buf.reset(strings);
        auto error = parser.implementation->stage2(document);
        (void)document.tape.release();
        (void)document.string_buf.release();
        return !error;
    }

    static const uint64_t *words(const Parser &parser) { return parser.doc.tape.get(); }

    static const uint8_t *strings(const Parser &parser) { return parser.doc.string_buf.get(); }
};

template <typename Parser> struct Steps<false, Parser> {
    static bool find(Parser &, const uint8_t *, size_t) { return false; }
    static size_t count(const Parser &) { return 0; }
    static uint32_t *places(const Parser &) { return nullptr; }
    static bool write(Parser &, uint64_t *, uint8_t *) { return false; }
    static const uint64_t *words(const Parser &) { return nullptr; }
    static const uint8_t *strings(const Parser &) { return nullptr; }
};

using Simdjson = Steps<is_known, simdjson::dom::parser>;

// Whether simdjson is allowed to read a text with this number of readable bytes after it.
bool can_read(size_t count, size_t padding) {
    return is_known && count > 0 && count < simdjson::SIMDJSON_MAXSIZE_BYTES && padding >= simdjson::SIMDJSON_PADDING;
}

} // namespace

struct PatchbayTokens {
    simdjson::dom::parser parser;
    const uint8_t *text;
    size_t length;
};

namespace {

// The baseline of x86-64 has vectors of 16 bytes, but most processors have larger vectors. The processor is detected
// while the program is loaded, before ThreadSanitizer, which would instrument the detection, is initialized.
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

// The number of digits that every Double keeps. For a number with more digits, only the text has all of them.
constexpr size_t digits_of_double = 15;
// The longest text of a number, with the byte after it.
constexpr size_t longest_number = 256;

inline uint8_t is_digit(uint8_t byte) { return static_cast<uint8_t>(byte - '0') < 10; }

// Whether a block possibly holds a number that is no integer and has more than 15 digits. Of 16 digits, at least eight
// stand together after the number's point, or before its point or exponent; a few of these eight are checked, one, four
// and eight bytes away. Such a number is never missed, and a false match costs a second check. The function reads eight
// bytes on either side of the block. After the text they are the padding. Before the text there are none, so the first
// block is not checked.
PATCHBAY_EVERY_PROCESSOR
bool has_many_digits(const uint8_t *text, size_t count) {
    uint8_t found = 0;
    for (size_t i = 0; i < count; i++) {
        uint8_t after = is_digit(text[i + 1]);
        uint8_t exponent = ((text[i] | 0x20) == 'e') & (after | (static_cast<uint8_t>(text[i + 1] - '+') < 3));
        uint8_t point = (text[i] == '.') & after;
        found |= (point & is_digit(text[i + 4]) & is_digit(text[i + 8]))
            | ((point | exponent) & is_digit(*(text + i - 8)) & is_digit(*(text + i - 4)) & is_digit(*(text + i - 1)));
    }
    return found != 0;
}

// Whether eight bytes in a row, at a multiple of eight from the start, can all belong to a number. Any row of 15 bytes
// contains eight such bytes, and a number with more digits and a point is longer; a number with as many digits before
// an exponent is longer, too. A few other bytes are taken for digits, which costs a second check.
PATCHBAY_EVERY_PROCESSOR
bool has_long_run(const uint8_t *text, size_t count) {
    uint64_t found = 0;
    for (size_t i = 0; i < count; i += 8) {
        uint64_t bytes;
        memcpy(&bytes, text + i, sizeof bytes);
        // Two are added to each byte: then the upper half of the point, which is two below the zero, and of all digits
        // is 3. A byte over 0xFD carries into the next byte and could turn that byte into a digit, but is not a digit
        // itself, so the check fails at its own half.
        found |= ((bytes + 0x0202020202020202) & 0xF0F0F0F0F0F0F0F0) == 0x3030303030303030;
    }
    return found != 0;
}

// Whether the point or exponent of a number that is no integer and has more than 15 digits stands at `i`.
bool is_in_long_number(const uint8_t *text, size_t count, size_t i) {
    if (text[i] != '.' && (text[i] | 0x20) != 'e') return false;
    size_t first = i, last = i;
    while (first > 0 && (is_digit(text[first - 1]) || text[first - 1] == '.')) first--;
    while (text[i] == '.' && last + 1 < count && is_digit(text[last + 1])) last++;
    uint8_t before = first > 0 ? text[first - 1] : ' ';
    bool begins = before <= ' ' || before == ',' || before == ':' || before == '[' || before == '-';
    // The point is counted too.
    return begins && last - first > digits_of_double;
}

// Whether a block possibly holds the point or the exponent of a number: a digit before it, and a digit or a sign after
// it.
PATCHBAY_EVERY_PROCESSOR
bool has_mark_of_number(const uint8_t *text, size_t count) {
    uint8_t found = 0;
    for (size_t i = 0; i < count; i++) {
        uint8_t after = is_digit(text[i + 1]);
        uint8_t exponent = ((text[i] | 0x20) == 'e') & (after | (static_cast<uint8_t>(text[i + 1] - '+') < 3));
        found |= (((text[i] == '.') & after) | exponent) & is_digit(*(text + i - 1));
    }
    return found != 0;
}

// Whether a part of a text, which starts at a multiple of 4,096, holds a number for which is_in_long_number is true, or
// a string that looks like one. A suspicious part is checked again in smaller parts, so that few bytes are checked one
// by one: the bytes of suspicious smaller parts, and the first bytes of the text, which have no bytes before them.
bool holds_long_number(const uint8_t *text, size_t count, size_t start, size_t part) {
    if (start > 0 && !has_mark_of_number(text + start, part)) return false;
    size_t end = start + part;
    for (size_t size = 256; start < end; start += size) {
        if (size > end - start) size = end - start;
        const uint8_t *bytes = text + start;
        // The eight bytes in a row can extend over the start or the end of the part.
        bool may_hold = start == 0
            || (has_mark_of_number(bytes, size) && has_long_run(bytes - 16, size + 32) && has_many_digits(bytes, size));
        for (size_t i = start; may_hold && i < start + size; i++) {
            if (is_in_long_number(text, count, i)) return true;
        }
    }
    return false;
}

// Whether a finished tape holds a Double. An integer can also match, which only costs time.
PATCHBAY_EVERY_PROCESSOR
bool has_double(const uint64_t *words, size_t count) {
    uint64_t found = 0;
    for (size_t i = 0; i < count; i++) found |= words[i] == uint64_t{'d'} << 56;
    return found != 0;
}

bool holds_double(const uint64_t *words, size_t count) {
    for (size_t start = 0; start < count; start += block) {
        if (has_double(words + start, count - start < block ? count - start : block)) return true;
    }
    return false;
}

// A number of bytes that contain all numbers found by holds_long_number; 0 for none. The bytes go to the end of the
// last block of 4,096 bytes that holds such a number, and 256 bytes further, because the number can end after the
// block; or to the end of the text.
size_t end_of_long_numbers(const uint8_t *text, size_t count) {
    for (size_t blocks = (count + block - 1) / block; blocks > 0; blocks--) {
        size_t start = (blocks - 1) * block;
        size_t part = count - start < block ? count - start : block;
        if (holds_long_number(text, count, start, part)) {
            return count - start - part < longest_number ? count : start + part + longest_number;
        }
    }
    return 0;
}

// The whitespace of JSON: simdjson first takes other control characters for scalars, and refuses them later.
inline uint8_t is_blank(uint8_t byte) { return (byte == ' ') | (byte == '\n') | (byte == '\t') | (byte == '\r'); }

inline uint8_t is_mark(uint8_t byte) {
    uint8_t letter = byte | 0x20;
    return (byte == ',') | (byte == ':') | (letter == '{') | (letter == '}');
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

// Whether a block possibly holds the integer -0, which simdjson reads as 0, and whose sign Patchbay keeps. A string can
// also match, which only costs time.
bool may_hold_integer_minus_zero(const uint8_t *text, size_t count, size_t start, size_t part) {
    if (!has_minus_zero(text + start, part)) return false;
    for (size_t i = start; i < start + part; i++) {
        if (text[i] != '-' || text[i + 1] != '0') continue;
        uint8_t before = i > 0 ? text[i - 1] : ' ';
        uint8_t after = i + 2 < count ? text[i + 2] : ' ';
        bool begins = before <= ' ' || before == ',' || before == ':' || before == '[';
        bool ends = after <= ' ' || after == ',' || after == ']' || after == '}';
        if (begins && ends) return true;
    }
    return false;
}

// Whether simdjson is allowed to search for the tokens: it writes four bytes for each token before it reports the
// number of tokens.
bool is_suitable(const uint8_t *text, size_t count, size_t memory) {
    size_t tokens = 1;
    for (size_t start = 0; start < count; start += block) {
        size_t part = count - start < block ? count - start : block;
        // The last byte is not a minus before a zero.
        if (may_hold_integer_minus_zero(text, count, start, start + part < count ? part : part - 1)) return false;
        if (count <= memory / 8) continue;
        tokens += count_tokens(text + start, part);
        if (4 * tokens > memory) return false;
    }
    return true;
}

// Up to two idle parsers are kept for the next texts, with their token memory, which takes longer to allocate than to
// fill. Two threads cannot get the same parser: a slot is only ever exchanged, so only one thread gets its pointer.
constexpr size_t largest_idle_text = 4 << 20;
constexpr size_t most_idle_tokens = 1 << 20;
std::atomic<PatchbayTokens *> idle[2];

PatchbayTokens *take(size_t count, size_t maximum_depth) {
    for (auto &slot : idle) {
        std::unique_ptr<PatchbayTokens> tokens{slot.exchange(nullptr)};
        if (!tokens || tokens->parser.capacity() < count) continue;
        bool has_depth = tokens->parser.max_depth() == maximum_depth;
        if (!has_depth && tokens->parser.allocate(tokens->parser.capacity(), maximum_depth)) continue;
        return tokens.release();
    }
    size_t capacity = 64 << 10;
    while (capacity < count && capacity < largest_idle_text) capacity *= 2;
    if (capacity < count) capacity = count;
    std::unique_ptr<PatchbayTokens> tokens{new (std::nothrow) PatchbayTokens};
    if (!tokens) return nullptr;
    // simdjson counts the document as one level and an empty container as none, so it refuses a text that reaches the
    // last level.
    if (tokens->parser.allocate(capacity, maximum_depth)) return nullptr;
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
    const uint8_t *text, size_t count, size_t padding, size_t maximum_depth, size_t memory) {
    if (!can_read(count, padding) || !is_suitable(text, count, memory)) return nullptr;
    std::unique_ptr<PatchbayTokens> tokens{take(count, maximum_depth)};
    if (!tokens || !Simdjson::find(tokens->parser, text, count)) return nullptr;
    tokens->text = text;
    tokens->length = count;
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
        size.string_bytes += letter == '"' ? end - start + 3 : 0;
    }
    return size;
}

extern "C" bool patchbay_tokens_write(PatchbayTokens *tokens, uint64_t *words, uint8_t *strings) {
    return Simdjson::write(tokens->parser, words, strings);
}

extern "C" size_t patchbay_tokens_end_of_long_numbers(const PatchbayTokens *tokens, const uint64_t *words) {
    if (!holds_double(words, static_cast<size_t>(*words & 0xFFFFFFFF))) return 0;
    return end_of_long_numbers(tokens->text, tokens->length);
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

struct PatchbayLines {
    simdjson::dom::parser parser;
    simdjson::dom::document_stream documents;
    simdjson::dom::document_stream::iterator document;
    const uint8_t *text;
    size_t length;
    // The start of the next line.
    size_t place;
    bool has_begun;
};

namespace {

// Up to two idle readers are kept for the next lines, with less than 1 MiB each.
std::atomic<PatchbayLines *> idle_lines[2];

PatchbayLines *take_lines(size_t maximum_depth) {
    for (auto &slot : idle_lines) {
        std::unique_ptr<PatchbayLines> lines{slot.exchange(nullptr)};
        if (lines && lines->parser.max_depth() == maximum_depth) return lines.release();
    }
    std::unique_ptr<PatchbayLines> lines{new (std::nothrow) PatchbayLines};
    if (!lines || lines->parser.allocate(PATCHBAY_LINES_LARGEST, maximum_depth)) return nullptr;
#ifdef SIMDJSON_THREADS_ENABLED
    lines->parser.threaded = false;
#endif
    return lines.release();
}

// The size of the strings of a tape. They are stored in the order of the tape, so the last string gives the end.
size_t count_string_bytes(const uint64_t *words, size_t count, const uint8_t *strings) {
    const uint64_t *last = nullptr;
    for (size_t i = 1; i < count; i++) {
        uint8_t tag = words[i] >> 56;
        if (tag == '"') last = words + i;
        // The next word is the number.
        if (tag == 'l' || tag == 'u' || tag == 'd') i++;
    }
    if (!last) return 0;
    size_t start = *last & 0xFFFFFFFF;
    uint32_t length;
    memcpy(&length, strings + start, sizeof length);
    return start + sizeof length + length + 1;
}

} // namespace

extern "C" PatchbayLines *patchbay_lines_open(const uint8_t *text, size_t count, size_t padding, size_t maximum_depth) {
    if (!can_read(count, padding) || count > PATCHBAY_LINES_LARGEST || maximum_depth == 0) return nullptr;
    if (!is_suitable(text, count, SIZE_MAX) || end_of_long_numbers(text, count) > 0) return nullptr;
    std::unique_ptr<PatchbayLines> lines{take_lines(maximum_depth)};
    if (!lines) return nullptr;
    if (lines->parser.parse_many(text, count, PATCHBAY_LINES_LARGEST).get(lines->documents)) return nullptr;
    lines->text = text;
    lines->length = count;
    lines->place = 0;
    lines->has_begun = false;
    return lines.release();
}

// simdjson splits the text into documents without regard to lines. So each document must begin and end with its line,
// except for whitespace.
extern "C" bool patchbay_lines_next(PatchbayLines *lines, PatchbayLine *line) {
    line->lines = 0;
    while (lines->place < lines->length) {
        const uint8_t *first = lines->text + lines->place;
        auto *feed = static_cast<const uint8_t *>(memchr(first, '\n', lines->length - lines->place));
        if (!feed) return false;
        line->start = lines->place;
        line->end = lines->place = static_cast<size_t>(feed - lines->text) + 1;
        line->lines++;
        while (first < feed && is_blank(*first)) first++;
        if (first == feed) continue;
        while (is_blank(feed[-1])) feed--;
        if (*first != '{' && *first != '[') return false;
        if (lines->has_begun) ++lines->document;
        else lines->document = lines->documents.begin();
        lines->has_begun = true;
        if (!(lines->document != lines->documents.end()) || (*lines->document).error()) return false;
        size_t start = static_cast<size_t>(first - lines->text);
        if (lines->document.current_index() != start) return false;
        if (lines->document.source().size() != static_cast<size_t>(feed - first)) return false;
        line->words = Simdjson::words(lines->parser);
        line->strings = Simdjson::strings(lines->parser);
        line->word_count = static_cast<size_t>(*line->words & 0xFFFFFFFF);
        line->string_bytes = count_string_bytes(line->words, line->word_count, line->strings);
        return true;
    }
    return false;
}

extern "C" void patchbay_lines_close(PatchbayLines *lines) {
    for (auto &slot : idle_lines) {
        lines = slot.exchange(lines);
        if (!lines) return;
    }
    delete lines;
}

#endif
