#pragma once

// The part of libxml2 that the C door calls, in declarations of its stable ABI: no header need be installed. A test has
// Libxml2Check.c compare them with libxml2's own, where those are.

#include "CPatchbayLibxml2.h"

#define PATCHBAY_XML_SAX2_MAGIC 0xDEEDBEAF
// Character and predefined entity references are put in place; nothing is ever fetched.
#define PATCHBAY_XML_PARSE_NOENT 2
#define PATCHBAY_XML_PARSE_NONET 2048
// The bytes are UTF-8, whatever the XML declaration says.
#define PATCHBAY_XML_PARSE_IGNORE_ENC 2097152

/// xmlSAXHandler; a handler without a name here is never set.
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
