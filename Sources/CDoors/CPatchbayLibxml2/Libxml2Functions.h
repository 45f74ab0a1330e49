// The functions of libxml2 that are called, in libxml2's own type names. No include guard: Libxml2Check.c includes it after the
// real headers, where a difference is an error of the compiler.

void xmlInitParser(void);
xmlParserCtxtPtr xmlCreatePushParserCtxt(
    xmlSAXHandlerPtr sax, void *context, const char *chunk, int size, const char *file);
int xmlCtxtUseOptions(xmlParserCtxtPtr parser, int options);
int xmlParseChunk(xmlParserCtxtPtr parser, const char *chunk, int size, int terminate);
void xmlStopParser(xmlParserCtxtPtr parser);
void xmlCtxtReset(xmlParserCtxtPtr parser);
void xmlFreeParserCtxt(xmlParserCtxtPtr parser);
int xmlSAX2GetLineNumber(void *parser);
int xmlSAX2GetColumnNumber(void *parser);
