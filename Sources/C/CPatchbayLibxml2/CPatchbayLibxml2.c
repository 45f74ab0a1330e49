#include "Libxml2Loader.h"

void *patchbay_xml_open(struct patchbay_xml_handlers handlers, void *context) {
    struct patchbay_xml_sax sax = {
        .internal_subset = handlers.doctype,
        .characters = handlers.text,
        // The same function as for text, so that libxml2 does not try to distinguish them.
        .ignorable_whitespace = handlers.text,
        .processing_instruction = handlers.instruction,
        .comment = handlers.comment,
        .cdata_block = handlers.cdata,
        .initialized = PATCHBAY_XML_SAX2_MAGIC,
        .start_element_ns = handlers.start,
        .end_element_ns = handlers.end,
        .structured_error = handlers.error,
    };
    if (!patchbay_xml_load()) return NULL;
    void *parser = patchbay_libxml2.xmlCreatePushParserCtxt(&sax, context, NULL, 0, NULL);
    if (!parser) return NULL;
    patchbay_libxml2.xmlCtxtUseOptions(
        parser, PATCHBAY_XML_PARSE_NOENT | PATCHBAY_XML_PARSE_NONET | PATCHBAY_XML_PARSE_IGNORE_ENC);
    return parser;
}

void patchbay_xml_close(void *parser) {
    // Frees the document that libxml2 makes for entities even without a tree; xmlFreeParserCtxt does not free it.
    patchbay_libxml2.xmlCtxtReset(parser);
    patchbay_libxml2.xmlFreeParserCtxt(parser);
}

void patchbay_xml_parse(void *parser, const char *bytes, int count, int last) {
    // Errors are reported to the handler.
    (void)patchbay_libxml2.xmlParseChunk(parser, bytes, count, last);
}

void patchbay_xml_stop(void *parser) { patchbay_libxml2.xmlStopParser(parser); }
int patchbay_xml_line(void *parser) { return patchbay_libxml2.xmlSAX2GetLineNumber(parser); }
int patchbay_xml_column(void *parser) { return patchbay_libxml2.xmlSAX2GetColumnNumber(parser); }
int patchbay_xml_error_number(const void *error) { return ((const struct patchbay_xml_error *)error)->code; }
bool patchbay_xml_is_warning(const void *error) {
    return ((const struct patchbay_xml_error *)error)->level == PATCHBAY_XML_ERR_WARNING;
}
