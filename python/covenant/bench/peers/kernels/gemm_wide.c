// Four rows of 64 columns; the terms of each row come as words.
#include "gemm.inc"

void kernel(const uint8_t *restrict a, const uint8_t *restrict b, uint8_t *restrict c) {
  const HVX_Vector *weights = vectors(b);
  for (int part = 0; part < BLOCKS; part += PART, weights += PART_VECTORS) {
    const uint8_t *rows = a;
    const HVX_Vector *piece = weights + PART_VECTORS;
    HVX_Vector *to = vectors_of(c) + part;
    for (int row = 0; row < ROWS; row += TILE) {
      prefetch_tile(rows, weights, piece, part, row);
      const HVX_Vector *w = weights;
      for (int block = 0; block < PART; block += 2) {
        const HVX_Vector *x = w + STEPS;
        const uint32_t *a0 = (const uint32_t *)rows;
        const uint32_t *a1 = a0 + STEPS, *a2 = a1 + STEPS, *a3 = a2 + STEPS;
        HVX_Vector s0 = Q6_V_vzero(), s1 = s0, s2 = s0, s3 = s0, t0 = s0, t1 = s0, t2 = s0, t3 = s0;
        for (int step = 0; step < STEPS; ++step) {
          const HVX_Vector v = *w++, u = *x++;
          const uint32_t r0 = *a0++, r1 = *a1++, r2 = *a2++, r3 = *a3++;
          s0 = Q6_Vuw_vrmpyacc_VuwVubRub(s0, v, r0);
          s1 = Q6_Vuw_vrmpyacc_VuwVubRub(s1, v, r1);
          s2 = Q6_Vuw_vrmpyacc_VuwVubRub(s2, v, r2);
          s3 = Q6_Vuw_vrmpyacc_VuwVubRub(s3, v, r3);
          t0 = Q6_Vuw_vrmpyacc_VuwVubRub(t0, u, r0);
          t1 = Q6_Vuw_vrmpyacc_VuwVubRub(t1, u, r1);
          t2 = Q6_Vuw_vrmpyacc_VuwVubRub(t2, u, r2);
          t3 = Q6_Vuw_vrmpyacc_VuwVubRub(t3, u, r3);
        }
        to[0] = s0;
        to[1] = t0;
        to[BLOCKS] = s1;
        to[BLOCKS + 1] = t1;
        to[2 * BLOCKS] = s2;
        to[2 * BLOCKS + 1] = t2;
        to[3 * BLOCKS] = s3;
        to[3 * BLOCKS + 1] = t3;
        to += 2;
        w = x;
      }
      rows += TILE * TERMS;
      to += TILE * BLOCKS - PART;
      piece += PIECE;
    }
  }
}
