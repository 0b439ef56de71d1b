// Mean over 2x2 pixels of 56x56x64 bytes, halves up: two pixels lie in a vector, so first their halves are dealt.
#include "kernel.inc"

enum { SIDE = 56, CHANNELS = 64, ROW_BYTES = SIDE * CHANNELS, ROW_VECTORS = ROW_BYTES / VECTOR_BYTES };

// Sums of the four left and right pixels of two vectors, the even channels below the odd ones.
static inline HVX_VectorPair sums(HVX_Vector right, HVX_Vector left) {
  const HVX_VectorPair pixels = Q6_W_vdeal_VVR(right, left, 64);
  return Q6_Wh_vadd_VubVub(Q6_V_lo_W(pixels), Q6_V_hi_W(pixels));
}

void kernel(const uint8_t *restrict input, const uint8_t *restrict unused, uint8_t *restrict output) {
  (void)unused;
  HVX_Vector *to = vectors_of(output);
  prefetch(input, ROW_BYTES, ROW_BYTES, SIDE);
  for (int y = 0; y < SIDE; y += 2) {
    const HVX_Vector *upper = vectors(input) + y * ROW_VECTORS, *lower = upper + ROW_VECTORS;
    for (int x = 0; x < ROW_VECTORS; x += 2) {
      const HVX_VectorPair above = sums(upper[1], upper[0]), below = sums(lower[1], lower[0]);
      upper += 2;
      lower += 2;
      const HVX_Vector even = Q6_Vh_vadd_VhVh(Q6_V_lo_W(above), Q6_V_lo_W(below));
      const HVX_Vector odd = Q6_Vh_vadd_VhVh(Q6_V_hi_W(above), Q6_V_hi_W(below));
      *to++ = Q6_Vub_vasr_VhVhR_rnd_sat(odd, even, 2);
    }
  }
}
