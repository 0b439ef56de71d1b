// Four pixels of all 128 channels; the channels of each pixel come as words.
#include "pointwise.inc"

enum { TILE = 4 };

void kernel(const uint8_t *restrict image, const uint8_t *restrict second, uint8_t *restrict output) {
  const HVX_Vector *const fractions = vectors(second + WEIGHT_BYTES);
  const Ending *const ending = (const Ending *)(fractions + BLOCKS);
  const HVX_Vector zero = Q6_Vh_vsplat_R(ending->zero);
  const int32_t shift = ending->shift;
  HVX_Vector *to = vectors_of(output);
  prefetch(image, CHANNELS, CHANNELS, PIXELS);
  prefetch(second, CHANNELS, CHANNELS, CHANNELS + BLOCKS);
  add_up(image);
  const int32_t *total = (const int32_t *)totals;
  const uint8_t *pixels = image;
  for (int tile = 0; tile < PIXELS / TILE; ++tile, pixels += TILE * CHANNELS) {
    const HVX_Vector *w = vectors(second);
    const uint32_t *x[TILE];
    HVX_Vector s[TILE][BLOCKS];
    for (int p = 0; p < TILE; ++p) {
      x[p] = (const uint32_t *)(pixels + p * CHANNELS);
      s[p][0] = s[p][1] = s[p][2] = s[p][3] = Q6_V_vsplat_R(*total++);
    }
    for (int step = 0; step < STEPS; ++step) {
      const HVX_Vector w0 = *w++, w1 = *w++, w2 = *w++, w3 = *w++;
      for (int p = 0; p < TILE; ++p) {
        const uint32_t r = *x[p]++;
        s[p][0] = Q6_Vuw_vrmpyacc_VuwVubRub(s[p][0], w0, r);
        s[p][1] = Q6_Vuw_vrmpyacc_VuwVubRub(s[p][1], w1, r);
        s[p][2] = Q6_Vuw_vrmpyacc_VuwVubRub(s[p][2], w2, r);
        s[p][3] = Q6_Vuw_vrmpyacc_VuwVubRub(s[p][3], w3, r);
      }
    }
    for (int p = 0; p < TILE; ++p) *to++ = bytes(s[p][0], s[p][1], s[p][2], s[p][3], fractions, shift, zero);
  }
}
