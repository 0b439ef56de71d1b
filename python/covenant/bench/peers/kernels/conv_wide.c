// Four pixels of all 64 channels; the channels of each pixel come as words.
#include "conv.inc"

void kernel(const uint8_t *restrict image, const uint8_t *restrict weights, uint8_t *restrict output) {
  prepare(image);
  const int32_t *starts = all_starts();
  for (int y = 0; y < SIDE; ++y, starts += START_WORDS) {
    prefetch_row(image, weights, y);
    for (int x = 0; x < SIDE; x += 4) {
      const HVX_Vector *w = vectors(weights), *z = w + TAPS * TAPS * STEPS;
      HVX_Vector s0 = start(starts, x), s1 = start(starts, x + 1);
      HVX_Vector s2 = start(starts, x + 2), s3 = start(starts, x + 3);
      HVX_Vector t0 = s0, t1 = s1, t2 = s2, t3 = s3;
      for (int ky = 0; ky < TAPS; ++ky) {
        const uint32_t *p0 = (const uint32_t *)(image + ((y + ky) * PADDED + x) * CHANNELS);
        const uint32_t *p1 = p0 + STEPS, *p2 = p1 + STEPS, *p3 = p2 + STEPS;
        for (int step = 0; step < TAPS * STEPS; ++step) {
          const HVX_Vector v = *w++, u = *z++;
          const uint32_t r0 = *p0++, r1 = *p1++, r2 = *p2++, r3 = *p3++;
          s0 = products(s0, v, r0);
          s1 = products(s1, v, r1);
          s2 = products(s2, v, r2);
          s3 = products(s3, v, r3);
          t0 = products(t0, u, r0);
          t1 = products(t1, u, r1);
          t2 = products(t2, u, r2);
          t3 = products(t3, u, r3);
        }
      }
      HVX_Vector *to = vectors_of(output) + (y * SIDE + x) * (CHANNELS / LANES);
      to[0] = s0;
      to[1] = t0;
      to[2] = s1;
      to[3] = t1;
      to[4] = s2;
      to[5] = t2;
      to[6] = s3;
      to[7] = t3;
    }
  }
}
