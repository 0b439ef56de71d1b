// Maximum over 2x2 pixels of 56x56x64 bytes: two pixels lie in a vector, so their halves are compared.
#include "kernel.inc"

enum { SIDE = 56, CHANNELS = 64, ROW_BYTES = SIDE * CHANNELS, ROW_VECTORS = ROW_BYTES / VECTOR_BYTES };

void kernel(const uint8_t *restrict input, const uint8_t *restrict unused, uint8_t *restrict output) {
  (void)unused;
  HVX_Vector *to = vectors_of(output);
  prefetch(input, ROW_BYTES, ROW_BYTES, SIDE);
  for (int y = 0; y < SIDE; y += 2) {
    const HVX_Vector *upper = vectors(input) + y * ROW_VECTORS, *lower = upper + ROW_VECTORS;
    for (int x = 0; x < ROW_VECTORS; x += 2) {
      const HVX_Vector left = Q6_Vub_vmax_VubVub(*upper++, *lower++);
      const HVX_Vector right = Q6_Vub_vmax_VubVub(*upper++, *lower++);
      // The lower halves of both vectors beside each other, and the upper ones.
      const HVX_VectorPair halves = Q6_W_vdeal_VVR(right, left, 64);
      *to++ = Q6_Vub_vmax_VubVub(Q6_V_lo_W(halves), Q6_V_hi_W(halves));
    }
  }
}
