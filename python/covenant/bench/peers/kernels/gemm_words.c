// Four rows of 32 columns; the terms of each row come as words.
#include "gemm.inc"

void kernel(const uint8_t *restrict a, const uint8_t *restrict b, uint8_t *restrict c) {
  for (int row = 0; row < ROWS; row += 4) {
    for (int block = 0; block < COLUMNS / LANES; ++block) {
      const HVX_Vector *w = vectors(b) + block * STEPS;
      const uint32_t *a0 = (const uint32_t *)(a + row * TERMS);
      const uint32_t *a1 = a0 + STEPS, *a2 = a1 + STEPS, *a3 = a2 + STEPS;
      HVX_Vector s0 = Q6_V_vzero(), s1 = s0, s2 = s0, s3 = s0;
      for (int step = 0; step < STEPS; ++step) {
        const HVX_Vector v = *w++;
        s0 = Q6_Vuw_vrmpyacc_VuwVubRub(s0, v, *a0++);
        s1 = Q6_Vuw_vrmpyacc_VuwVubRub(s1, v, *a1++);
        s2 = Q6_Vuw_vrmpyacc_VuwVubRub(s2, v, *a2++);
        s3 = Q6_Vuw_vrmpyacc_VuwVubRub(s3, v, *a3++);
      }
      HVX_Vector *to = vectors_of(c) + row * (COLUMNS / LANES) + block;
      to[0] = s0;
      to[COLUMNS / LANES] = s1;
      to[2 * COLUMNS / LANES] = s2;
      to[3 * COLUMNS / LANES] = s3;
    }
  }
}
