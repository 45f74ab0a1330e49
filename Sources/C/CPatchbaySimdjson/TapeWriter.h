#pragma once

// Internal to CPatchbaySimdjson.cpp.

#include <cstdint>
#include <cstring>
#include <simdjson.h>

#include "Shapes.h"

namespace {

// The whitespace of JSON: simdjson first takes other control characters for scalars, and refuses them later.
inline bool is_blank(uint8_t byte) { return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r'; }

// The bytes of 16 that equal `byte`, one bit for each.
inline uint32_t matches(const uint8_t *bytes, uint8_t byte) {
    using Chunk = uint8_t __attribute__((ext_vector_type(16)));
    using Bits = bool __attribute__((ext_vector_type(16)));
    Chunk chunk;
    memcpy(&chunk, bytes, sizeof chunk);
    Bits found = __builtin_convertvector(chunk == byte, Bits);
    uint16_t bits;
    static_assert(sizeof bits == sizeof found);
    memcpy(&bits, &found, sizeof bits);
    return bits;
}

inline uint64_t tape_word(uint8_t tag, uint64_t payload = 0) { return uint64_t{tag} << 56 | payload; }

namespace numbers = simdjson::SIMDJSON_BUILTIN_IMPLEMENTATION::numberparsing;

// What simdjson's number parser writes to.
struct NumberWriter {
    uint64_t *word;

    void append(uint8_t tag, uint64_t value) {
        word[0] = tape_word(tag);
        word[1] = value;
        word += 2;
    }
    void append_s64(int64_t value) { append('l', static_cast<uint64_t>(value)); }
    void append_u64(uint64_t value) { append('u', value); }
    void append_double(double value) {
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        append('d', bits);
    }
    void skip_double() { word += 2; }
};

// Writes the tape of one document from the positions of its tokens, with the sign of -0 and the digits of long numbers,
// and finds the objects that can have a key twice.
//
// Unescape is `uint8_t *(const uint8_t *text, uint8_t *out)`: it returns the end of the written bytes, or null.
template <typename Unescape> class TapeWriter {
public:
    static constexpr size_t maximum_depth = 4096;
    // The number of digits that always fit in an Int64.
    static constexpr size_t digits_of_integer = 18;
    // A Double has all digits of a shorter text: 15 digits, and the point or an exponent. The length of a longer one
    // does not fit in a byte.
    static constexpr size_t shortest_text = 16, longest_text = 255;
    static constexpr uint64_t powers[9] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

    struct Level {
        uint32_t word, count;
        Shapes::Shape shape;
    };

    // The number of objects that can have a key twice. Their words replace the positions of the first tokens.
    size_t unknown_objects = 0;
    uint64_t *word;
    uint8_t *string;

    TapeWriter(const uint8_t *text, uint64_t *words, uint8_t *strings, Shapes &shapes, Level *levels, Unescape unescape)
        : word(words), string(strings), text(text), words(words), strings(strings), shapes(shapes), levels(levels),
          unescape(unescape) {}

    // Returns false if the tokens are not a document, if more than `depth_limit` containers are open, or if the
    // document is a number, a boolean or null. One more position must follow the last token: the length of the text.
    bool write(uint32_t *token, const uint32_t *end, size_t depth_limit) {
        if (token == end) return false;
        // Every number and literal is then followed by a token, so it does not extend into the padding.
        uint8_t first = text[*token], last = text[end[-1]];
        if (first != '"' && !((first == '{' || first == '[') && (last == '}' || last == ']'))) return false;
        uint32_t *const tokens = token;
        Level level{0, 0, shapes.unknown()};
        size_t depth = 0;
        *word++ = tape_word('r');

        while (true) {
            const uint8_t *start = text + *token++;
            switch (*start) {
            case '"':
                if (!write_string(start, *token)) return false;
                break;
            case '{':
            case '[':
                if (depth == depth_limit) return false;
                levels[depth++] = level;
                level.word = static_cast<uint32_t>(word - words);
                level.count = 0;
                if (*start == '{') level.shape = shapes.inner(level.shape);
                *word++ = tape_word(*start);
                // The ASCII code of a closing bracket is two more than that of its opening bracket.
                if (text[*token] == *start + 2) goto close;
                level.count = 1;
                if (*start == '{') goto key;
                continue;
            case 't':
                if (memcmp(start, "true", 4) != 0 || !ends(start + 4, *token)) return false;
                *word++ = tape_word('t');
                break;
            case 'f':
                if (memcmp(start, "false", 5) != 0 || !ends(start + 5, *token)) return false;
                *word++ = tape_word('f');
                break;
            case 'n':
                if (memcmp(start, "null", 4) != 0 || !ends(start + 4, *token)) return false;
                *word++ = tape_word('n');
                break;
            default:
                if (!write_number(start, *token)) return false;
            }

            while (depth > 0) {
                if (text[*token] == ',') {
                    token++;
                    level.count++;
                    if (words[level.word] == tape_word('{')) goto key;
                    goto value;
                }
                if (tape_word(text[*token] - 2) != words[level.word]) return false;
            close:
                uint8_t mark = text[*token++];
                *word++ = tape_word(mark, level.word);
                uint64_t count = level.count < 0xFFFFFF ? level.count : 0xFFFFFF;
                words[level.word] = tape_word(mark - 2, count << 32 | static_cast<uint64_t>(word - words));
                if (mark == '}' && level.shape == shapes.unknown()) tokens[unknown_objects++] = level.word;
                level = levels[--depth];
                if (token == end) break;
            }
            if (depth > 0 || token != end) return false;
            words[0] = tape_word('r', static_cast<uint64_t>(word - words));
            *word++ = tape_word('r');
            return true;

        key:
            start = text + *token++;
            if (*start != '"' || !write_string(start, *token, &level.shape) || text[*token++] != ':') return false;
        value:;
        }
    }

private:
    const uint8_t *const text;
    uint64_t *const words;
    uint8_t *const strings;
    Shapes &shapes;
    Level *const levels;
    Unescape unescape;

    // Whether a literal ends here: the next token or whitespace follows.
    bool ends(const uint8_t *end, size_t next) const { return end == text + next || is_blank(*end); }

    // Only whitespace stands between a string and the next token.
    bool write_string(const uint8_t *start, size_t next, Shapes::Shape *shape = nullptr) {
        const uint8_t *last = text + next - 1;
        if (__builtin_expect(*last != '"', 0)) while (*--last != '"') {}
        if (last == start) return false;
        start++;
        size_t length = static_cast<size_t>(last - start);
        *word++ = tape_word('"', static_cast<uint64_t>(string - strings));
        uint8_t *out = string + 4;
        size_t done = 0;
        bool is_plain = true;
        for (; done < length; done += 16) {
            uint32_t escapes = matches(start + done, '\\');
            memcpy(out + done, start + done, 16);
            if (__builtin_expect(escapes != 0, 0)) {
                size_t first = done + static_cast<size_t>(__builtin_ctz(escapes));
                if (first >= length) break;
                uint8_t *end = unescape(start + first, out + first);
                if (!end) return false;
                length = static_cast<size_t>(end - out);
                is_plain = false;
                break;
            }
        }
        if (shape) *shape = is_plain ? shapes.next(*shape, start, static_cast<uint32_t>(length)) : shapes.unknown();
        uint32_t stored = static_cast<uint32_t>(length);
        memcpy(string, &stored, sizeof stored);
        out[length] = 0;
        string = out + length + 1;
        return true;
    }

    bool write_number(const uint8_t *start, size_t next) {
        bool is_negative = *start == '-';
        const uint8_t *first = start + is_negative, *end = first;
        uint64_t value = 0;
        for (; is_digit(*end); end++) value = value * 10 + static_cast<uint64_t>(*end - '0');
        size_t digits = static_cast<size_t>(end - first);
        if (digits == 0 || digits > digits_of_integer || (*first == '0' && digits > 1)) return write_any(start, next);
        if (ends(end, next)) {
            // -0 is a Double.
            if (value == 0 && is_negative) append_double(-0.0);
            else append('l', is_negative ? 0 - value : value);
            return true;
        }
        return *end == '.' ? write_decimal(start, next, end, value) : write_any(start, next);
    }

    // A number with a point; `value` is the integer before it.
    [[gnu::noinline]] bool write_decimal(const uint8_t *start, size_t next, const uint8_t *point, uint64_t value) {
        bool is_negative = *start == '-';
        size_t digits = static_cast<size_t>(point - start) - is_negative;
        const uint8_t *end = point + 1;
        while (true) {
            uint64_t values = load(end) ^ 0x3030303030303030;
            // The lowest bit marks the first byte that is no digit. A sum that is too large only changes later bytes.
            uint64_t others = (values | (values + 0x7676767676767676)) & 0x8080808080808080;
            if (others != 0) {
                size_t bits = static_cast<size_t>(__builtin_ctzll(others)) - 7;
                end += bits / 8;
                // The other bytes are shifted out. Zeros before the digits take their place.
                value = value * powers[bits / 8] + parse_eight(values << 1 << (63 - bits));
                break;
            }
            value = value * powers[8] + parse_eight(values);
            end += 8;
        }
        size_t places = static_cast<size_t>(end - point) - 1;
        if (places == 0 || digits + places > digits_of_integer + 1 || !ends(end, next)) return write_any(start, next);
        double number;
        if (!numbers::compute_float_64(-static_cast<int64_t>(places), value, is_negative, number)) {
            NumberWriter writer{word};
            if (numbers::parse_number(start, writer)) return false;
            memcpy(&number, word + 1, sizeof number);
        }
        // More digits than a Double keeps: LongNumber.digits.
        uint64_t record = uint64_t{1} << 54 | places << 32 | static_cast<uint32_t>(value);
        append_double(number, value > 999999999999999 ? record : 0);
        return true;
    }

    // Any number, by simdjson. A Double with an exponent or with more than 19 digits keeps its text if it can have more
    // digits than the Double: LongNumber.text, with the flag that the digits are not counted yet.
    [[gnu::noinline]] bool write_any(const uint8_t *start, size_t next) {
        NumberWriter writer{word};
        if (numbers::parse_number(start, writer)) return false;
        const uint8_t *end = text + next;
        while (is_blank(end[-1])) end--;
        size_t length = static_cast<size_t>(end - start);
        if (*word == tape_word('d') && length > shortest_text && length <= longest_text) {
            *word |= uint64_t{1} << 53 | (static_cast<uint64_t>(string - strings) + 1);
            *string++ = static_cast<uint8_t>(length);
            memcpy(string, start, length);
            string += length;
        }
        word = writer.word;
        return true;
    }

    void append(uint8_t tag, uint64_t value, uint64_t payload = 0) {
        word[0] = tape_word(tag, payload);
        word[1] = value;
        word += 2;
    }

    void append_double(double value, uint64_t payload = 0) {
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        append('d', bits, payload);
    }

    static bool is_digit(uint8_t byte) { return static_cast<uint8_t>(byte - '0') < 10; }

    // The number of eight digits, each a byte from 0 to 9, from pairs to fours to all eight.
    static uint64_t parse_eight(uint64_t values) {
        uint64_t pairs = (values * 10 + (values >> 8)) & 0x00FF00FF00FF00FF;
        uint64_t fours = (pairs * 100 + (pairs >> 16)) & 0x0000FFFF0000FFFF;
        return (fours * 10000 + (fours >> 32)) & 0xFFFFFFFF;
    }
};

} // namespace
