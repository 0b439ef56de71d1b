// 56x56x64 sums become bytes: times a fraction of 31 bits, shifted right and rounded, plus a zero point, saturated.
// The second input holds one word each: multiplier, shift, zero point.
#include "kernel.inc"

enum { COUNT = 56 * 56 * 64 };

static inline HVX_Vector scaled(HVX_Vector sums, HVX_Vector multiplier) {
  const HVX_Vector even = Q6_Vw_vmpye_VwVuh(sums, multiplier);
  return Q6_Vw_vmpyoacc_VwVwVh_s1_rnd_sat_shift(even, sums, multiplier);
}

void kernel(const uint8_t *restrict input, const uint8_t *restrict scale, uint8_t *restrict output) {
  const int32_t *const numbers = (const int32_t *)scale;
  const HVX_Vector multiplier = Q6_V_vsplat_R(numbers[0]);
  const HVX_Vector zero = Q6_Vh_vsplat_R(numbers[2]);
  const int32_t shift = numbers[1];
  const HVX_Vector *from = vectors(input);
  HVX_Vector *to = vectors_of(output);
  for (int i = 0; i < COUNT / VECTOR_BYTES; ++i) {
    const HVX_Vector w0 = scaled(*from++, multiplier), w1 = scaled(*from++, multiplier);
    const HVX_Vector w2 = scaled(*from++, multiplier), w3 = scaled(*from++, multiplier);
    const HVX_Vector low = Q6_Vh_vasr_VwVwR_rnd_sat(w1, w0, shift), high = Q6_Vh_vasr_VwVwR_rnd_sat(w3, w2, shift);
    *to++ = Q6_Vub_vsat_VhVh(Q6_Vh_vadd_VhVh_sat(high, zero), Q6_Vh_vadd_VhVh_sat(low, zero));
  }
}
