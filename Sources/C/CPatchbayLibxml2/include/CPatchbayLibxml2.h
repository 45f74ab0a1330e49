#pragma once

// libxml2's push parser with the handlers of the caller. It never builds a tree, and has no handler that could open
// anything.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma clang assume_nonnull begin

/// The callbacks of libxml2 during a parse; the first argument is the context of the handlers. Strings end with a zero
/// byte unless they have a count, and are only valid during the call.
struct patchbay_xml_handlers {
    /// A start tag. Namespaces come in pairs: prefix (NULL for the default namespace) and URI. Attributes come in
    /// fives: local name, prefix or NULL, URI or NULL, the first byte of the value, and the byte after its last.
    void (*start)(
        void *context, const uint8_t *name, const uint8_t *_Nullable prefix, const uint8_t *_Nullable uri, int namespaces,
        const uint8_t *_Nullable *_Nullable namespace_pairs, int attributes, int defaulted,
        const uint8_t *_Nullable *_Nullable attribute_fives);
    void (*end)(
        void *context, const uint8_t *name, const uint8_t *_Nullable prefix, const uint8_t *_Nullable uri);
    /// A part of a text. One text can be passed in several parts.
    void (*text)(void *context, const uint8_t *bytes, int count);
    void (*cdata)(void *context, const uint8_t *bytes, int count);
    void (*comment)(void *context, const uint8_t *text);
    void (*instruction)(void *context, const uint8_t *target, const uint8_t *_Nullable data);
    /// A document type declaration, before its contents are read.
    void (*doctype)(
        void *context, const uint8_t *name, const uint8_t *_Nullable public_id, const uint8_t *_Nullable system_id);
    /// An error or a warning, for patchbay_xml_error_number and patchbay_xml_is_warning.
    void (*error)(void *context, const void *error);
};

/// Loads libxml2, unless an earlier call has done so. Returns false if libxml2 is missing or lacks a function. After a
/// failure, the next call tries again.
bool patchbay_xml_load(void);
/// For tests, before libxml2 is loaded: the name of the library to load as libxml2, at most 63 characters.
void patchbay_xml_use_library(const char *name);
/// Makes a parser; NULL if libxml2 is missing, or there is no memory.
void *_Nullable patchbay_xml_open(struct patchbay_xml_handlers handlers, void *context);
void patchbay_xml_close(void *parser);
/// Parses the next bytes of the document. If `last` is not 0, also parses the bytes that the parser has buffered.
void patchbay_xml_parse(void *parser, const char *_Nullable bytes, int count, int last);
/// Ends the parse, so that no more handlers are called. Call it from a handler.
void patchbay_xml_stop(void *parser);
/// The position of the parser, counted from 1.
int patchbay_xml_line(void *parser);
int patchbay_xml_column(void *parser);
/// The number of an error (libxml/xmlerror.h).
int patchbay_xml_error_number(const void *error);
/// Whether an error is a warning, by its level: an error and a warning can have the same number.
bool patchbay_xml_is_warning(const void *error);

#pragma clang assume_nonnull end

#ifdef __cplusplus
}
#endif
