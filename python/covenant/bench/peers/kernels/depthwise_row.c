// Two pixels of one row.
#include "depthwise.inc"

void kernel(const uint8_t *restrict image, const uint8_t *restrict second, uint8_t *restrict output) {
  const HVX_Vector *const given = vectors(second);
  const Ending *const ending = (const Ending *)(given + 2 * TAP_VECTORS + 2);
  const HVX_Vector taps[TAP_VECTORS] = {given[0], given[1], given[2], given[3], given[4], given[5]};
  const HVX_Vector fractions[2] = {given[2 * TAP_VECTORS], given[2 * TAP_VECTORS + 1]};
  const HVX_Vector zero = Q6_Vh_vsplat_R(ending->zero), none = Q6_V_vzero();
  const int32_t shift = ending->shift;
  HVX_Vector *to = vectors_of(output);
  prefetch(image, ROW_BYTES, ROW_BYTES, 4);
  for (int y = 0; y < SIDE; ++y) {
    const HVX_Vector *r0 = vectors(image) + y * ROW_VECTORS, *r1 = r0 + ROW_VECTORS, *r2 = r1 + ROW_VECTORS;
    if (y + 4 < PADDED) prefetch(r0 + 4 * ROW_VECTORS, ROW_BYTES, ROW_BYTES, 1);
    Words now = words_of(*r0++, *r1++, *r2++, none);
    for (int x = 0; x < SIDE; x += 2) {
      const Words next = words_of(*r0++, *r1++, *r2++, none);
      *to++ = two_pixels(&now, &next, taps, fractions, shift, zero);
      now = next;
    }
  }
}
