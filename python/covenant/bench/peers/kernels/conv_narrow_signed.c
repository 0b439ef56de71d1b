// As conv_narrow.c, with signed pixels and weights.
#define SIGNED
#include "conv_narrow.c"
