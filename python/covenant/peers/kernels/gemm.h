// Products of 384 rows and 1024 columns over 1024 terms: u8 * u8 -> i32.
// The second operand is packed for vrmpy: [columns / 32][terms / 4][32 columns][4 terms].
#ifndef COVENANT_PEERS_GEMM_H
#define COVENANT_PEERS_GEMM_H

#include "kernel.h"

enum { ROWS = 384, COLUMNS = 1024, TERMS = 1024, LANES = 32, QUAD = 4, STEPS = TERMS / QUAD };

#endif
