#include "CPatchbayCurl.h"
