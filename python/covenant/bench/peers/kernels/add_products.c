// Even and odd bytes by themselves: each becomes halves, which are multiplied by a scale and added.
#include "add.inc"

void kernel(const uint8_t *restrict a, const uint8_t *restrict b, uint8_t *restrict output) {
  const Numbers *const numbers = (const Numbers *)(b + COUNT);
  const HVX_Vector first = Q6_Vh_vsplat_R(numbers->scales), second = Q6_Vh_vsplat_R(numbers->scales >> 16);
  const HVX_Vector offset = Q6_V_vsplat_R(numbers->offset);
  const int32_t shift = numbers->shift;
  const HVX_Vector *left = vectors(a), *right = vectors(b);
  HVX_Vector *to = vectors_of(output);
  prefetch_turn(left, right);
  for (int turn = 0; turn < TURNS; ++turn) {
    if (turn + 1 < TURNS) prefetch_turn(left + TURN, right + TURN);
    for (int i = 0; i < TURN; ++i) {
      const HVX_VectorPair x = Q6_Wuh_vzxt_Vub(*left++), y = Q6_Wuh_vzxt_Vub(*right++);
      HVX_VectorPair even = Q6_W_vcombine_VV(offset, offset), odd = even;
      even = Q6_Ww_vmpyacc_WwVhVh(even, Q6_V_lo_W(x), first);
      odd = Q6_Ww_vmpyacc_WwVhVh(odd, Q6_V_hi_W(x), first);
      even = Q6_Ww_vmpyacc_WwVhVh(even, Q6_V_lo_W(y), second);
      odd = Q6_Ww_vmpyacc_WwVhVh(odd, Q6_V_hi_W(y), second);
      const HVX_Vector low = Q6_Vh_vasr_VwVwR_sat(Q6_V_hi_W(even), Q6_V_lo_W(even), shift);
      const HVX_Vector high = Q6_Vh_vasr_VwVwR_sat(Q6_V_hi_W(odd), Q6_V_lo_W(odd), shift);
      *to++ = Q6_Vub_vsat_VhVh(high, low);
    }
  }
}
