// 56x56x64 sums become bytes, all by one fraction. The second input holds one word each: fraction, shift, zero point.
#include "requantise.inc"

enum { COUNT = 56 * 56 * 64, SUM_VECTORS = COUNT / 32 };

void kernel(const uint8_t *restrict input, const uint8_t *restrict scale, uint8_t *restrict output) {
  const int32_t *const numbers = (const int32_t *)scale;
  const HVX_Vector fraction = Q6_V_vsplat_R(numbers[0]);
  const HVX_Vector zero = Q6_Vh_vsplat_R(numbers[2]);
  const int32_t shift = numbers[1];
  const HVX_Vector *from = vectors(input);
  HVX_Vector *to = vectors_of(output);
  prefetch(input, VECTOR_BYTES, VECTOR_BYTES, SUM_VECTORS);
  for (int i = 0; i < COUNT / VECTOR_BYTES; ++i) {
    const HVX_Vector w0 = scaled(*from++, fraction), w1 = scaled(*from++, fraction);
    const HVX_Vector w2 = scaled(*from++, fraction), w3 = scaled(*from++, fraction);
    *to++ = Q6_Vub_vsat_VhVh(halves(w3, w2, shift, zero), halves(w1, w0, shift, zero));
  }
}
