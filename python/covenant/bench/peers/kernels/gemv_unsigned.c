// 256 columns at a time. Weights are 128 more than they are, and what that adds too much is in the sums from the start.
#include "gemv.inc"
#include "totals.inc"

// The one sum in all words of a vector.
static inline HVX_Vector total_of(const uint8_t *row) {
  HVX_Vector total = words_of_8(vectors(row));
  for (int bytes = 4; bytes < VECTOR_BYTES; bytes *= 2) total = Q6_Vw_vadd_VwVw(total, Q6_V_vror_VR(total, bytes));
  return total;
}

void kernel(const uint8_t *restrict row, const uint8_t *restrict second, uint8_t *restrict output) {
  const HVX_Vector *const fractions = vectors(second + WEIGHT_BYTES);
  const Ending *const ending = (const Ending *)(fractions + COLUMNS / 32);
  const HVX_Vector zero = Q6_Vh_vsplat_R(ending->zero), total = total_of(row);
  const int32_t shift = ending->shift;
  const HVX_Vector *w = vectors(second);
  HVX_Vector *to = vectors_of(output);
  prefetch_first(row, w);
  for (int part = 0; part < PARTS; ++part) {
    const uint32_t *x = (const uint32_t *)row;
    HVX_Vector s[BLOCKS];
    for (int block = 0; block < BLOCKS; ++block) s[block] = total;
    for (int turn = 0; turn < TURNS; ++turn) {
      prefetch_after(w, part == PARTS - 1 && turn == TURNS - 1);
      for (int step = 0; step < TURN; ++step) {
        const uint32_t r = *x++;
        for (int block = 0; block < BLOCKS; ++block) s[block] = Q6_Vuw_vrmpyacc_VuwVubRub(s[block], *w++, r);
      }
    }
    *to++ = bytes(s, fractions + part * BLOCKS, shift, zero);
    *to++ = bytes(s + 4, fractions + part * BLOCKS + 4, shift, zero);
  }
}
