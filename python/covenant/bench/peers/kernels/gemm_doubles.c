// Four rows of 32 columns; the terms of each row come as double words, two steps at a time.
#include "gemm.inc"

void kernel(const uint8_t *restrict a, const uint8_t *restrict b, uint8_t *restrict c) {
  for (int row = 0; row < ROWS; row += 4) {
    for (int block = 0; block < COLUMNS / LANES; ++block) {
      const HVX_Vector *w = vectors(b) + block * STEPS;
      const uint64_t *a0 = (const uint64_t *)(a + row * TERMS);
      const uint64_t *a1 = a0 + STEPS / 2, *a2 = a1 + STEPS / 2, *a3 = a2 + STEPS / 2;
      HVX_Vector s0 = Q6_V_vzero(), s1 = s0, s2 = s0, s3 = s0;
      for (int step = 0; step < STEPS; step += 2) {
        const HVX_Vector v = *w++, u = *w++;
        const uint64_t x0 = *a0++, x1 = *a1++, x2 = *a2++, x3 = *a3++;
        s0 = Q6_Vuw_vrmpyacc_VuwVubRub(s0, v, (uint32_t)x0);
        s1 = Q6_Vuw_vrmpyacc_VuwVubRub(s1, v, (uint32_t)x1);
        s2 = Q6_Vuw_vrmpyacc_VuwVubRub(s2, v, (uint32_t)x2);
        s3 = Q6_Vuw_vrmpyacc_VuwVubRub(s3, v, (uint32_t)x3);
        s0 = Q6_Vuw_vrmpyacc_VuwVubRub(s0, u, (uint32_t)(x0 >> 32));
        s1 = Q6_Vuw_vrmpyacc_VuwVubRub(s1, u, (uint32_t)(x1 >> 32));
        s2 = Q6_Vuw_vrmpyacc_VuwVubRub(s2, u, (uint32_t)(x2 >> 32));
        s3 = Q6_Vuw_vrmpyacc_VuwVubRub(s3, u, (uint32_t)(x3 >> 32));
      }
      HVX_Vector *to = vectors_of(c) + row * (COLUMNS / LANES) + block;
      to[0] = s0;
      to[COLUMNS / LANES] = s1;
      to[2 * COLUMNS / LANES] = s2;
      to[3 * COLUMNS / LANES] = s3;
    }
  }
}
