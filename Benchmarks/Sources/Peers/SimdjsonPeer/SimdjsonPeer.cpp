#include "SimdjsonPeer.h"

#include <simdjson.h>

struct SimdjsonPeer {
    simdjson::dom::parser parser;
};

SimdjsonPeer *simdjson_peer_new(void) { return new SimdjsonPeer(); }

void simdjson_peer_free(SimdjsonPeer *peer) { delete peer; }

size_t simdjson_peer_parse(SimdjsonPeer *peer, const uint8_t *bytes, size_t count, size_t padded, size_t times) {
    size_t failures = 0;
    for (size_t time = 0; time < times; time++) {
        bool copies = padded < count + simdjson::SIMDJSON_PADDING;
        simdjson::dom::element root;
        if (peer->parser.parse(bytes, count, copies).get(root)) failures++;
    }
    return failures;
}

size_t simdjson_peer_parse_many(SimdjsonPeer *peer, const uint8_t *bytes, size_t count, size_t padded) {
    if (padded < count + simdjson::SIMDJSON_PADDING) return 0;
    simdjson::dom::document_stream documents;
    if (peer->parser.parse_many(bytes, count).get(documents)) return 0;
    size_t parsed = 0;
    for (auto document : documents) parsed += document.error() ? 0 : 1;
    return parsed;
}
