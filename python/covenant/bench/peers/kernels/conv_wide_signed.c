// As conv_wide.c, with signed pixels and weights.
#define SIGNED
#include "conv_wide.c"
