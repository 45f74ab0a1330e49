#pragma once

// The part of libxml2 that the C code calls, as declarations of its stable ABI, so that no header is needed. A test
// compiles Libxml2Check.c, which compares them with libxml2's own headers if these are installed.

#include "CPatchbayLibxml2.h"

#define PATCHBAY_XML_SAX2_MAGIC 0xDEEDBEAF
// Replaces character and predefined entity references; never fetches anything.
#define PATCHBAY_XML_PARSE_NOENT 2
#define PATCHBAY_XML_PARSE_NONET 2048
// The bytes are UTF-8, whatever the XML declaration names.
#define PATCHBAY_XML_PARSE_IGNORE_ENC 2097152

/// xmlSAXHandler; the unnamed handlers are never set.
struct patchbay_xml_sax {
    void (*internal_subset)(void *, const uint8_t *, const uint8_t *, const uint8_t *);
    void *declarations[15];
    void *reference;
    void (*characters)(void *, const uint8_t *, int);
    void (*ignorable_whitespace)(void *, const uint8_t *, int);
    void (*processing_instruction)(void *, const uint8_t *, const uint8_t *);
    void (*comment)(void *, const uint8_t *);
    void *messages[4];
    void (*cdata_block)(void *, const uint8_t *, int);
    void *external_subset;
    unsigned int initialized;
    void *own;
    void (*start_element_ns)(
        void *, const uint8_t *, const uint8_t *, const uint8_t *, int, const uint8_t **, int, int, const uint8_t **);
    void (*end_element_ns)(void *, const uint8_t *, const uint8_t *, const uint8_t *);
    void (*structured_error)(void *, const void *);
};

/// The first fields of xmlError.
struct patchbay_xml_error {
    int domain;
    int code;
    char *message;
    int level;
};

#define PATCHBAY_XML_ERR_WARNING 1
