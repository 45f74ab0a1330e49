#pragma once

// Internal to CPatchbaySimdjson.cpp.

#include <cstdint>
#include <cstring>

namespace {

inline uint64_t load(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

// The sequences of keys that the objects of a document have, as trees. The keys on each path are known to be different.
// Most objects have the keys of an earlier object at the same place, so one comparison for each key proves that none is
// repeated.
class Shapes {
    // A key is represented by its length, its first and its last eight bytes, so equal keys are represented equally.
    // `mask` has the bytes of a shorter key.
    struct Node {
        uint64_t first, last, mask;
        uint32_t length, start_of_last;
        // The sequence without its last key; another one with the same parent; the last found sequence with one more
        // key; no keys, for objects inside the value of the last key.
        Node *parent, *sibling, *child, *inner;
        uint32_t depth;

        bool is(const uint8_t *key, uint32_t count) const {
            return count == length && ((load(key) ^ first) & mask) == 0
                && ((load(key + start_of_last) ^ last) & mask) == 0;
        }
    };

public:
    // A sequence of keys.
    using Shape = Node *;

    void clear() {
        nodes[0] = Node{0, 0, 0, UINT32_MAX, 0, nodes, nodes, nodes, nodes, 0};
        count = 1;
    }

    // Keys that are not known to be different.
    Shape unknown() { return nodes; }

    // No keys, for an object inside the value of the last key of `shape`.
    Shape inner(Shape shape) {
        if (shape->inner == unknown() && count < most_nodes) {
            nodes[count] = Node{0, 0, 0, UINT32_MAX, 0, nodes, nodes, nodes, nodes, 0};
            shape->inner = nodes + count++;
        }
        return shape->inner;
    }

    // A sequence with one more key. At least eight bytes after the key are readable.
    Shape next(Shape shape, const uint8_t *key, uint32_t length) {
        Shape child = shape->child;
        return __builtin_expect(child->is(key, length), 1) ? child : find(shape, key, length);
    }

private:
    // The limits bound the time for a key. Keys beyond them are not known to be different.
    static constexpr uint32_t most_nodes = 1024, most_keys = 64, most_siblings = 8;
    Node nodes[most_nodes];
    uint32_t count;

    [[gnu::noinline]] Shape find(Shape shape, const uint8_t *key, uint32_t length) {
        if (shape == unknown()) return shape;
        uint32_t siblings = 0;
        for (Shape *link = &shape->child; *link != unknown(); link = &(*link)->sibling) {
            Shape found = *link;
            if (found->is(key, length)) {
                *link = found->sibling;
                found->sibling = shape->child;
                return shape->child = found;
            }
            if (++siblings < most_siblings) continue;
            *link = unknown();
            break;
        }
        if (count == most_nodes || shape->depth == most_keys) return unknown();
        for (Shape former = shape; former->depth > 0; former = former->parent) {
            if (former->is(key, length)) return unknown();
        }
        uint64_t mask = length < 8 ? (uint64_t{1} << 8 * length) - 1 : ~uint64_t{0};
        uint32_t start_of_last = length < 8 ? 0 : length - 8;
        nodes[count] = Node{load(key), load(key + start_of_last), mask, length, start_of_last,
                            shape, shape->child, nodes, nodes, shape->depth + 1};
        return shape->child = nodes + count++;
    }
};

} // namespace
