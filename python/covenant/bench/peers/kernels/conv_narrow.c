// Four pixels of 32 channels; the channels of each pixel come as double words, two steps at a time.
#include "conv.inc"

void kernel(const uint8_t *restrict image, const uint8_t *restrict weights, uint8_t *restrict output) {
  for (int block = 0; block < CHANNELS / LANES; ++block) {
    for (int y = 0; y < SIDE; ++y) {
      for (int x = 0; x < SIDE; x += 4) {
        const HVX_Vector *w = vectors(weights) + block * TAPS * TAPS * STEPS;
        HVX_Vector s0 = Q6_V_vzero(), s1 = s0, s2 = s0, s3 = s0;
        for (int ky = 0; ky < TAPS; ++ky) {
          // The three pixels of a row of taps lie one after the other: one loop over all of their channels.
          const uint64_t *p0 = (const uint64_t *)(image + ((y + ky) * PADDED + x) * CHANNELS);
          const uint64_t *p1 = p0 + CHANNELS / 8, *p2 = p1 + CHANNELS / 8, *p3 = p2 + CHANNELS / 8;
          for (int step = 0; step < TAPS * STEPS; step += 2) {
            const HVX_Vector v = *w++, u = *w++;
            const uint64_t x0 = *p0++, x1 = *p1++, x2 = *p2++, x3 = *p3++;
            s0 = Q6_Vuw_vrmpyacc_VuwVubRub(s0, v, (uint32_t)x0);
            s1 = Q6_Vuw_vrmpyacc_VuwVubRub(s1, v, (uint32_t)x1);
            s2 = Q6_Vuw_vrmpyacc_VuwVubRub(s2, v, (uint32_t)x2);
            s3 = Q6_Vuw_vrmpyacc_VuwVubRub(s3, v, (uint32_t)x3);
            s0 = Q6_Vuw_vrmpyacc_VuwVubRub(s0, u, (uint32_t)(x0 >> 32));
            s1 = Q6_Vuw_vrmpyacc_VuwVubRub(s1, u, (uint32_t)(x1 >> 32));
            s2 = Q6_Vuw_vrmpyacc_VuwVubRub(s2, u, (uint32_t)(x2 >> 32));
            s3 = Q6_Vuw_vrmpyacc_VuwVubRub(s3, u, (uint32_t)(x3 >> 32));
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
