// Four pixels of 32 channels; the channels of each pixel come as double words, two steps at a time.
#include "conv.inc"

void kernel(const uint8_t *restrict image, const uint8_t *restrict weights, uint8_t *restrict output) {
  prepare(image);
  for (int block = 0; block < CHANNELS / LANES; ++block) {
    const int32_t *starts = all_starts();
    for (int y = 0; y < SIDE; ++y, starts += START_WORDS) {
      if (block == 0) prefetch_row(image, weights, y);
      for (int x = 0; x < SIDE; x += 4) {
        const HVX_Vector *w = vectors(weights) + block * TAPS * TAPS * STEPS;
        HVX_Vector s0 = start(starts, x), s1 = start(starts, x + 1);
        HVX_Vector s2 = start(starts, x + 2), s3 = start(starts, x + 3);
        for (int ky = 0; ky < TAPS; ++ky) {
          // The three pixels of a row of taps lie one after the other: one loop over all of their channels.
          const uint64_t *p0 = (const uint64_t *)(image + ((y + ky) * PADDED + x) * CHANNELS);
          const uint64_t *p1 = p0 + CHANNELS / 8, *p2 = p1 + CHANNELS / 8, *p3 = p2 + CHANNELS / 8;
          for (int step = 0; step < TAPS * STEPS; step += 2) {
            const HVX_Vector v = *w++, u = *w++;
            const uint64_t x0 = *p0++, x1 = *p1++, x2 = *p2++, x3 = *p3++;
            s0 = products(s0, v, (uint32_t)x0);
            s1 = products(s1, v, (uint32_t)x1);
            s2 = products(s2, v, (uint32_t)x2);
            s3 = products(s3, v, (uint32_t)x3);
            s0 = products(s0, u, (uint32_t)(x0 >> 32));
            s1 = products(s1, u, (uint32_t)(x1 >> 32));
            s2 = products(s2, u, (uint32_t)(x2 >> 32));
            s3 = products(s3, u, (uint32_t)(x3 >> 32));
          }
        }
        HVX_Vector *to = vectors_of(output) + (y * SIDE + x) * (CHANNELS / LANES) + block;
        to[0] = s0;
        to[2] = s1;
        to[4] = s2;
        to[6] = s3;
      }
    }
  }
}
