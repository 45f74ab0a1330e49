#pragma once

// On Linux libxml2 is loaded at its first use: it also loads ICU, and most programs read no XML.

#include "Libxml2.h"

typedef void *xmlParserCtxtPtr;
typedef struct patchbay_xml_sax *xmlSAXHandlerPtr;
#include "Libxml2Functions.h"

#define LIBXML2_POINTER(result, name, parameters) result(*name) parameters;
/// The functions of libxml2, valid after patchbay_xml_load has returned true.
extern struct patchbay_libxml2 { LIBXML2_FUNCTIONS(LIBXML2_POINTER) } patchbay_libxml2;
#undef LIBXML2_POINTER
