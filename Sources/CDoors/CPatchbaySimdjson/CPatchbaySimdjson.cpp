#ifdef PATCHBAY_FASTJSON

#if !__has_include(<simdjson.h>)
#error "the trait FastJSON needs simdjson: install libsimdjson-dev, or build without the trait"
#endif

#include "CPatchbaySimdjson.h"

// Nothing thrown may cross into Swift, and without exceptions simdjson throws nothing.
#define SIMDJSON_EXCEPTIONS 0
#include <atomic>
#include <cstring>
#include <simdjson.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

static_assert(PATCHBAY_SIMDJSON_PADDING >= simdjson::SIMDJSON_PADDING, "simdjson reads further than promised");

struct PatchbayTokens {
    std::unique_ptr<simdjson::internal::dom_parser_implementation> parser;
    const uint8_t *text;
    size_t length;
    bool holds_long_numbers;
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

// A number with more digits than every Double keeps has them beside it, as LongNumber.swift says.
constexpr size_t digits_of_double = 15;
constexpr size_t digits_of_integer = 19;
constexpr size_t longest_text = 255;
constexpr double powers[] = {1,    1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                             1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr int64_t most_places = sizeof powers / sizeof *powers - 1;

inline uint8_t is_digit(uint8_t byte) { return static_cast<uint8_t>(byte - '0') < 10; }

// Whether a block may hold a number that is no integer and has more than 15 digits: of those eight at least stand on one side of
// its point, or before its exponent. Two or three of the eight are looked at. Elsewhere it costs time only.
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

// Whether a number that is no integer and has more than 15 digits has its point or its exponent there.
bool is_in_long_number(const uint8_t *text, size_t i) {
    if (text[i] != '.' && (text[i] | 0x20) != 'e') return false;
    size_t first = i, last = i;
    while (first > 0 && (is_digit(text[first - 1]) || text[first - 1] == '.')) first--;
    while (text[i] == '.' && is_digit(text[last + 1])) last++;
    uint8_t before = first > 0 ? text[first - 1] : ' ';
    bool begins = before <= ' ' || before == ',' || before == ':' || before == '[' || before == '-';
    // With the point among them.
    return begins && last - first > digits_of_double;
}

// Whether a part of a text holds such a number, or a string that looks like one. A part that may is looked at again in smaller
// ones, so that few bytes are looked at alone: those, and the first ones, before which there is nothing to look at.
bool holds_long_number(const uint8_t *text, size_t start, size_t part) {
    size_t end = start + part;
    if (start >= 8 && !has_many_digits(text + start, part)) return false;
    for (size_t size = 256; start < end; start += size) {
        if (size > end - start) size = end - start;
        if (start >= 8 && !has_many_digits(text + start, size)) continue;
        for (size_t i = start; i < start + size; i++) {
            if (is_in_long_number(text, i)) return true;
        }
    }
    return false;
}

struct Number {
    size_t length = 0;
    size_t digits = 0;
    // Wraps past 19 digits.
    uint64_t significand = 0;
    int64_t exponent = 0;
};

// The number that starts there, which simdjson has read.
Number read_number(const uint8_t *text, size_t count) {
    Number number;
    bool is_fraction = false;
    size_t &i = number.length;
    for (i = text[0] == '-'; i < count; i++) {
        uint8_t digit = static_cast<uint8_t>(text[i] - '0');
        if (digit < 10) {
            number.significand = number.significand * 10 + digit;
            number.digits += number.digits > 0 || digit > 0;
            number.exponent -= is_fraction;
        } else if (text[i] == '.') {
            is_fraction = true;
        } else {
            break;
        }
    }
    if (i == count || (text[i] | 0x20) != 'e') return number;
    i++;
    bool is_negative = i < count && text[i] == '-';
    if (i < count && (text[i] == '-' || text[i] == '+')) i++;
    int64_t written = 0;
    for (; i < count && static_cast<uint8_t>(text[i] - '0') < 10; i++) {
        if (written < 1000000000000) written = written * 10 + (text[i] - '0');
    }
    number.exponent += is_negative ? -written : written;
    return number;
}

// The value of eight digits, the first of them in the lowest byte, as every processor that simdjson is built for here reads it.
inline uint64_t eight_digits(uint64_t text) {
    text = (text & 0x0F0F0F0F0F0F0F0F) * 2561 >> 8;
    text = (text & 0x00FF00FF00FF00FF) * 6553601 >> 16;
    return (text & 0x0000FFFF0000FFFF) * 42949672960001 >> 32;
}

inline bool are_digits(uint64_t text) {
    return (((text & 0xF0F0F0F0F0F0F0F0) | ((text + 0x0606060606060606) & 0xF0F0F0F0F0F0F0F0) >> 4)) == 0x3333333333333333;
}

// The same for what most long numbers are: up to eight digits, a point, and 8 to 16 more, 19 in all. False for any other.
inline bool read_plain_number(const uint8_t *text, size_t count, Number &number) {
    static constexpr uint64_t powers_of_ten[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    size_t i = text[0] == '-';
    uint64_t whole = 0;
    size_t start = i;
    for (; i < start + 8 && static_cast<uint8_t>(text[i] - '0') < 10; i++) whole = whole * 10 + (text[i] - '0');
    if (text[i] != '.') return false;
    size_t places = count - i - 1;
    if (count < i + 9 || places > 16 || i - start + places > digits_of_integer) return false;
    uint64_t first, last;
    memcpy(&first, text + i + 1, sizeof first);
    memcpy(&last, text + count - 8, sizeof last);
    if (!are_digits(first) || !are_digits(last)) return false;
    // What of the last eight was among the first becomes zeros.
    size_t more = places - 8;
    uint64_t common = more < 8 ? ~uint64_t{0} >> 8 * more : 0;
    last = (last & ~common) | (0x3030303030303030 & common);
    number.significand = (whole * powers_of_ten[8] + eight_digits(first)) * powers_of_ten[more] + eight_digits(last);
    number.exponent = -static_cast<int64_t>(places);
    number.digits = number.significand >= 1000000000000000 ? digits_of_integer : 0;
    number.length = count;
    return true;
}

// Whether the payload of a word has the digits that a Double does not have.
bool fits_in_payload(const Number &number) {
    return number.digits <= digits_of_integer && -number.exponent >= 0 && -number.exponent <= most_places;
}

bool needs_text(const Number &number) {
    return number.digits > digits_of_double && !fits_in_payload(number) && number.length <= longest_text;
}

// JSON's own blanks: simdjson takes other control characters for scalars, before it refuses them.
inline uint8_t is_blank(uint8_t byte) { return (byte == ' ') | (byte == '\n') | (byte == '\t') | (byte == '\r'); }

inline uint8_t is_mark(uint8_t byte) {
    uint8_t letter = byte | 0x20;
    return (byte == ',') | (byte == ':') | (letter == '{') | (letter == '}');
}

// At least as many tokens as there are, in a text that is no JSON as well: each separator and bracket, and each scalar, which
// one of them, a blank or a quote comes before.
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

// Whether a block may hold the integer -0, which simdjson reads as 0, and whose sign Patchbay keeps. In a string it is found
// too, which costs time only.
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

// Whether simdjson may look for the tokens: it writes down four bytes for each, before it says how many there are.
bool is_suitable(const uint8_t *text, size_t count, size_t memory, bool &holds_long_numbers) {
    size_t tokens = 1;
    holds_long_numbers = false;
    for (size_t start = 0; start < count; start += block) {
        size_t part = count - start < block ? count - start : block;
        // The last byte is no minus before a zero.
        if (may_hold_integer_minus_zero(text, count, start, start + part < count ? part : part - 1)) return false;
        holds_long_numbers = holds_long_numbers || holds_long_number(text, start, part);
        if (count <= memory / 8) continue;
        tokens += count_tokens(text + start, part);
        if (4 * tokens > memory) return false;
    }
    return true;
}

// Up to two parsers that nobody uses wait for the next texts, with what they have noted of tokens: pages of memory, which take
// longer to get than to fill.
constexpr size_t largest_idle_text = 4 << 20;
constexpr size_t most_idle_tokens = 1 << 20;
std::atomic<PatchbayTokens *> idle[2];

PatchbayTokens *take(size_t count, size_t maximum_depth) {
    for (auto &slot : idle) {
        std::unique_ptr<PatchbayTokens> tokens{slot.exchange(nullptr)};
        if (!tokens || tokens->parser->capacity() < count) continue;
        if (tokens->parser->max_depth() != maximum_depth && tokens->parser->set_max_depth(maximum_depth)) continue;
        return tokens.release();
    }
    size_t capacity = 64 << 10;
    while (capacity < count && capacity < largest_idle_text) capacity *= 2;
    if (capacity < count) capacity = count;
    std::unique_ptr<PatchbayTokens> tokens{new (std::nothrow) PatchbayTokens};
    if (!tokens) return nullptr;
    // simdjson counts the document itself as one level, and an empty container as none. So it refuses what reaches the last level.
    auto error = simdjson::get_active_implementation()->create_dom_parser_implementation(capacity, maximum_depth, tokens->parser);
    if (error || !tokens->parser) return nullptr;
#ifdef __linux__
    if (capacity > largest_idle_text) {
        // So large a block begins and ends with pages of its own.
        auto start = (reinterpret_cast<uintptr_t>(tokens->parser->structural_indexes.get()) + 4095) & ~uintptr_t{4095};
        madvise(reinterpret_cast<void *>(start), (capacity * sizeof(uint32_t) - 4096) & ~size_t{4095}, MADV_HUGEPAGE);
    }
#endif
    return tokens.release();
}

} // namespace

extern "C" PatchbayTokens *patchbay_tokens_find(const uint8_t *text, size_t count, size_t maximum_depth, size_t memory) {
    bool holds_long_numbers;
    if (count == 0 || count >= simdjson::SIMDJSON_MAXSIZE_BYTES) return nullptr;
    if (!is_suitable(text, count, memory, holds_long_numbers)) return nullptr;
    std::unique_ptr<PatchbayTokens> tokens{take(count, maximum_depth)};
    if (!tokens || tokens->parser->stage1(text, count, simdjson::stage1_mode::regular)) return nullptr;
    tokens->text = text;
    tokens->length = count;
    tokens->holds_long_numbers = holds_long_numbers;
    return tokens.release();
}

extern "C" size_t patchbay_tokens_count(const PatchbayTokens *tokens) { return tokens->parser->n_structural_indexes; }

extern "C" PatchbayTapeSize patchbay_tokens_size(const PatchbayTokens *tokens) {
    const uint32_t *indexes = tokens->parser->structural_indexes.get();
    size_t count = tokens->parser->n_structural_indexes;
    PatchbayTapeSize size{2, 0};
    for (size_t i = 0; i < count; i++) {
        size_t start = indexes[i];
        size_t end = i + 1 < count ? indexes[i + 1] : tokens->length;
        uint8_t letter = tokens->text[start];
        bool is_number = letter == '-' || static_cast<uint8_t>(letter - '0') < 10;
        size.words += letter == ',' || letter == ':' ? 0 : is_number ? 2 : 1;
        // Two quotes go, and a length of four bytes and a zero come.
        size.string_bytes += letter == '"' ? end - start + 3 : 0;
        if (!is_number || !tokens->holds_long_numbers || end - start <= digits_of_double) continue;
        Number number = read_number(tokens->text + start, end - start);
        // With a byte of length.
        size.string_bytes += needs_text(number) ? number.length + 1 : 0;
    }
    return size;
}

// How many words of the tape begin with a token, by its first letter.
struct WordsOfLetters {
    uint8_t words[256];
    constexpr WordsOfLetters() : words() {
        for (auto &count : words) count = 1;
        for (uint8_t letter = '0'; letter <= '9'; letter++) words[letter] = 2;
        words[uint8_t{'-'}] = 2;
        words[uint8_t{','}] = words[uint8_t{':'}] = 0;
    }
};
static constexpr WordsOfLetters of_letters;

// Adds to a finished tape what its Doubles do not have of their numbers. There is room behind the strings: a record is as long as
// its number and the separator behind it.
static void add_long_numbers(const PatchbayTokens *tokens, uint64_t *words, uint8_t *strings) {
    const uint32_t *indexes = tokens->parser->structural_indexes.get();
    size_t count = tokens->parser->n_structural_indexes;
    const uint8_t *text = tokens->text;
    uint64_t *word = words + 1;
    uint64_t *last_string = nullptr;
    bool needs_texts = false;
    for (size_t i = 0; i < count; i++) {
        size_t start = indexes[i], end = i + 1 < count ? indexes[i + 1] : tokens->length;
        uint8_t letter = text[start];
        if (letter == '"') last_string = word;
        if (end - start > digits_of_double && of_letters.words[letter] == 2 && *word >> 56 == 'd') {
            while (is_blank(text[end - 1])) end--;
            Number number;
            if (!read_plain_number(text + start, end - start, number)) number = read_number(text + start, end - start);
            if (number.digits > digits_of_double && fits_in_payload(number)) {
                int64_t places = -number.exponent;
                double value;
                memcpy(&value, word + 1, sizeof value);
                double product = (value < 0 ? -value : value) * powers[places];
                uint64_t scaled = product < 0x1p64 ? static_cast<uint64_t>(product) : 0;
                *word |= uint64_t{1} << 54 | static_cast<uint64_t>(places) << 32
                    | static_cast<uint32_t>(number.significand - scaled);
            } else {
                needs_texts = needs_texts || needs_text(number);
            }
        }
        word += of_letters.words[letter];
    }
    if (!needs_texts) return;
    size_t used = 0;
    if (last_string) {
        size_t record = static_cast<size_t>(*last_string & 0xFFFFFFFF);
        uint32_t length;
        memcpy(&length, strings + record, sizeof length);
        used = record + sizeof length + length + 1;
    }
    word = words + 1;
    for (size_t i = 0; i < count; i++) {
        size_t start = indexes[i], end = i + 1 < count ? indexes[i + 1] : tokens->length;
        if (end - start > digits_of_double && *word >> 56 == 'd' && of_letters.words[text[start]] == 2) {
            Number number = read_number(text + start, end - start);
            if (needs_text(number)) {
                strings[used] = static_cast<uint8_t>(number.length);
                memcpy(strings + used + 1, text + start, number.length);
                *word |= used + 1;
                used += number.length + 1;
            }
        }
        word += of_letters.words[text[start]];
    }
}

extern "C" bool patchbay_tokens_write(PatchbayTokens *tokens, uint64_t *words, uint8_t *strings) {
    simdjson::dom::document document;
    // Lent: a document frees what it holds.
    document.tape.reset(words);
    document.string_buf.reset(strings);
    auto error = tokens->parser->stage2(document);
    (void)document.tape.release();
    (void)document.string_buf.release();
    if (error) return false;
    if (tokens->holds_long_numbers) add_long_numbers(tokens, words, strings);
    return true;
}

extern "C" void patchbay_tokens_free(PatchbayTokens *tokens) {
    bool is_large = tokens->parser->capacity() > largest_idle_text || patchbay_tokens_count(tokens) > most_idle_tokens;
    if (is_large) return delete tokens;
    for (auto &slot : idle) {
        tokens = slot.exchange(tokens);
        if (!tokens) return;
    }
    delete tokens;
}

#endif
