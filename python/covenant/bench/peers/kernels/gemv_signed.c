// 256 columns at a time; each word of the row is broadcast once for all of them.
#include "gemv.inc"

void kernel(const uint8_t *restrict row, const uint8_t *restrict second, uint8_t *restrict output) {
  const HVX_Vector *const fractions = vectors(second + WEIGHT_BYTES);
  const Ending *const ending = (const Ending *)(fractions + COLUMNS / 32);
  const HVX_Vector zero = Q6_Vh_vsplat_R(ending->zero);
  const int32_t shift = ending->shift;
  const HVX_Vector *w = vectors(second);
  HVX_Vector *to = vectors_of(output);
  prefetch_first(row, w);
  for (int part = 0; part < PARTS; ++part) {
    const uint32_t *x = (const uint32_t *)row;
    HVX_Vector s[BLOCKS];
    for (int block = 0; block < BLOCKS; ++block) s[block] = Q6_V_vzero();
    for (int turn = 0; turn < TURNS; ++turn) {
      prefetch_after(w, part == PARTS - 1 && turn == TURNS - 1);
      for (int step = 0; step < TURN; ++step) {
        const HVX_Vector r = Q6_V_vsplat_R(*x++);
        for (int block = 0; block < BLOCKS; ++block) s[block] = Q6_Vw_vrmpyacc_VwVubVb(s[block], r, *w++);
      }
    }
    *to++ = bytes(s, fractions + part * BLOCKS, shift, zero);
    *to++ = bytes(s + 4, fractions + part * BLOCKS + 4, shift, zero);
  }
}
