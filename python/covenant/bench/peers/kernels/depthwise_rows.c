// Two pixels of two rows, which share the words of four rows.
#include "depthwise.inc"

void kernel(const uint8_t *restrict image, const uint8_t *restrict second, uint8_t *restrict output) {
  const HVX_Vector *const given = vectors(second);
  const Ending *const ending = (const Ending *)(given + 2 * TAP_VECTORS + 2);
  const HVX_Vector *const fractions = given + 2 * TAP_VECTORS;
  const HVX_Vector zero = Q6_Vh_vsplat_R(ending->zero);
  const int32_t shift = ending->shift;
  prefetch(image, ROW_BYTES, ROW_BYTES, 6);
  for (int y = 0; y < SIDE; y += 2) {
    const HVX_Vector *r0 = vectors(image) + y * ROW_VECTORS, *r1 = r0 + ROW_VECTORS;
    const HVX_Vector *r2 = r1 + ROW_VECTORS, *r3 = r2 + ROW_VECTORS;
    HVX_Vector *upper = vectors_of(output) + y * (SIDE * CHANNELS / VECTOR_BYTES);
    HVX_Vector *lower = upper + SIDE * CHANNELS / VECTOR_BYTES;
    if (y + 6 < PADDED) prefetch(r0 + 6 * ROW_VECTORS, ROW_BYTES, ROW_BYTES, 2);
    Words now = words_of(*r0++, *r1++, *r2++, *r3++);
    for (int x = 0; x < SIDE; x += 2) {
      const Words next = words_of(*r0++, *r1++, *r2++, *r3++);
      *upper++ = two_pixels(&now, &next, given, fractions, shift, zero);
      *lower++ = two_pixels(&now, &next, given + TAP_VECTORS, fractions, shift, zero);
      now = next;
    }
  }
}
