#pragma once

// The called functions of libxml2, with libxml2's own type names: result, name, parameters. Libxml2Check.c declares
// them again after the real headers, so that a difference is a compiler error.
#define LIBXML2_FUNCTIONS(X)                                                                                           \
    X(void, xmlInitParser, (void))                                                                                     \
    X(xmlParserCtxtPtr, xmlCreatePushParserCtxt,                                                                       \
      (xmlSAXHandlerPtr sax, void *context, const char *chunk, int size, const char *file))                            \
    X(int, xmlCtxtUseOptions, (xmlParserCtxtPtr parser, int options))                                                  \
    X(int, xmlParseChunk, (xmlParserCtxtPtr parser, const char *chunk, int size, int terminate))                       \
    X(void, xmlStopParser, (xmlParserCtxtPtr parser))                                                                  \
    X(void, xmlCtxtReset, (xmlParserCtxtPtr parser))                                                                   \
    X(void, xmlFreeParserCtxt, (xmlParserCtxtPtr parser))                                                              \
    X(int, xmlSAX2GetLineNumber, (void *parser))                                                                       \
    X(int, xmlSAX2GetColumnNumber, (void *parser))

#define LIBXML2_DECLARATION(result, name, parameters) result name parameters;
