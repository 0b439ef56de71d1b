// Convolution of 3x3, 64 channels to 64, on 56x56 pixels: u8 * u8 -> i32.
// The image has a border of one pixel: [58][58][64]. Weights are packed for vrmpy: [64 / 32][3][3][64 / 4][32][4].
#ifndef COVENANT_PEERS_CONV_H
#define COVENANT_PEERS_CONV_H

#include "kernel.h"

enum { SIDE = 56, PADDED = SIDE + 2, CHANNELS = 64, LANES = 32, QUAD = 4, TAPS = 3, STEPS = CHANNELS / QUAD };

#endif
