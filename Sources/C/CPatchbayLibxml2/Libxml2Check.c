// Compares the declarations of this folder with libxml2's own headers. Only a test compiles it, with the path of the
// headers.

#ifdef PATCHBAY_LIBXML2_HEADERS

#include "Libxml2.h"

#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <libxml/xmlerror.h>

#include "Libxml2Functions.h"
LIBXML2_FUNCTIONS(LIBXML2_DECLARATION)

#define SAME(name, value) _Static_assert((long long)(name) == (long long)(value), #name " is not what libxml2 says");
#define SAME_FIELD(own, field)                                                                                         \
    SAME(offsetof(struct patchbay_xml_sax, own), offsetof(xmlSAXHandler, field))                                       \
    SAME(sizeof(((struct patchbay_xml_sax *)0)->own), sizeof(((xmlSAXHandler *)0)->field))

SAME(PATCHBAY_XML_SAX2_MAGIC, XML_SAX2_MAGIC)
SAME(PATCHBAY_XML_PARSE_NOENT, XML_PARSE_NOENT)
SAME(PATCHBAY_XML_PARSE_NONET, XML_PARSE_NONET)
SAME(PATCHBAY_XML_PARSE_IGNORE_ENC, XML_PARSE_IGNORE_ENC)
SAME(sizeof(xmlChar), sizeof(uint8_t))
SAME(sizeof(struct patchbay_xml_sax), sizeof(xmlSAXHandler))
SAME_FIELD(internal_subset, internalSubset)
SAME_FIELD(reference, reference)
SAME_FIELD(characters, characters)
SAME_FIELD(ignorable_whitespace, ignorableWhitespace)
SAME_FIELD(processing_instruction, processingInstruction)
SAME_FIELD(comment, comment)
SAME_FIELD(cdata_block, cdataBlock)
SAME_FIELD(external_subset, externalSubset)
SAME_FIELD(initialized, initialized)
SAME_FIELD(own, _private)
SAME_FIELD(start_element_ns, startElementNs)
SAME_FIELD(end_element_ns, endElementNs)
SAME_FIELD(structured_error, serror)
SAME(offsetof(struct patchbay_xml_error, domain), offsetof(xmlError, domain))
SAME(offsetof(struct patchbay_xml_error, code), offsetof(xmlError, code))
SAME(offsetof(struct patchbay_xml_error, level), offsetof(xmlError, level))
SAME(sizeof(((struct patchbay_xml_error *)0)->level), sizeof(((xmlError *)0)->level))
SAME(PATCHBAY_XML_ERR_WARNING, XML_ERR_WARNING)

// The handlers as libxml2 calls them. The error handler is missing, because its argument is const only since 2.12.
void patchbay_xml_check(xmlSAXHandler *sax, const struct patchbay_xml_sax *own) {
    sax->internalSubset = own->internal_subset;
    sax->characters = own->characters;
    sax->ignorableWhitespace = own->ignorable_whitespace;
    sax->processingInstruction = own->processing_instruction;
    sax->comment = own->comment;
    sax->cdataBlock = own->cdata_block;
    sax->startElementNs = own->start_element_ns;
    sax->endElementNs = own->end_element_ns;
}

#endif
