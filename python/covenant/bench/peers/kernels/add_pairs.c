// Halves of both tensors side by side in words, so that one instruction multiplies and adds both.
#include "add.inc"

void kernel(const uint8_t *restrict a, const uint8_t *restrict b, uint8_t *restrict output) {
  const Numbers *const numbers = (const Numbers *)(b + COUNT);
  const HVX_Vector scales = Q6_V_vsplat_R(numbers->scales);
  const HVX_Vector offset = Q6_V_vsplat_R(numbers->offset);
  const int32_t shift = numbers->shift;
  const HVX_Vector *left = vectors(a), *right = vectors(b);
  HVX_Vector *to = vectors_of(output);
  prefetch_turn(left, right);
  for (int turn = 0; turn < TURNS; ++turn) {
    if (turn + 1 < TURNS) prefetch_turn(left + TURN, right + TURN);
    for (int i = 0; i < TURN; ++i) {
      const HVX_VectorPair x = Q6_Wuh_vzxt_Vub(*left++), y = Q6_Wuh_vzxt_Vub(*right++);
      const HVX_VectorPair even = Q6_W_vshuff_VVR(Q6_V_lo_W(y), Q6_V_lo_W(x), 2);
      const HVX_VectorPair odd = Q6_W_vshuff_VVR(Q6_V_hi_W(y), Q6_V_hi_W(x), 2);
      const HVX_Vector w0 = Q6_Vw_vdmpyacc_VwVhVh_sat(offset, Q6_V_lo_W(even), scales);
      const HVX_Vector w1 = Q6_Vw_vdmpyacc_VwVhVh_sat(offset, Q6_V_lo_W(odd), scales);
      const HVX_Vector w2 = Q6_Vw_vdmpyacc_VwVhVh_sat(offset, Q6_V_hi_W(even), scales);
      const HVX_Vector w3 = Q6_Vw_vdmpyacc_VwVhVh_sat(offset, Q6_V_hi_W(odd), scales);
      const HVX_Vector low = Q6_Vh_vasr_VwVwR_sat(w2, w0, shift), high = Q6_Vh_vasr_VwVwR_sat(w3, w1, shift);
      *to++ = Q6_Vub_vsat_VhVh(high, low);
    }
  }
}
