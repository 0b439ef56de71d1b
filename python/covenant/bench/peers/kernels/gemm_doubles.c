// Four rows of 32 columns; the terms of each row come as double words, two steps at a time.
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
      for (int block = 0; block < PART; ++block) {
        const uint64_t *a0 = (const uint64_t *)rows;
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
        to[0] = s0;
        to[BLOCKS] = s1;
        to[2 * BLOCKS] = s2;
        to[3 * BLOCKS] = s3;
        ++to;
      }
      rows += TILE * TERMS;
      to += TILE * BLOCKS - PART;
      piece += PIECE;
    }
  }
}
