// Four pixels of all 128 channels; the channels of each pixel come as double words, two steps at a time.
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
    const uint64_t *x[TILE];
    HVX_Vector s[TILE][BLOCKS];
    for (int p = 0; p < TILE; ++p) {
      x[p] = (const uint64_t *)(pixels + p * CHANNELS);
      s[p][0] = s[p][1] = s[p][2] = s[p][3] = Q6_V_vsplat_R(*total++);
    }
    for (int step = 0; step < STEPS; step += 2) {
      uint64_t r[TILE];
      for (int p = 0; p < TILE; ++p) r[p] = *x[p]++;
      for (int block = 0; block < BLOCKS; ++block) {
        const HVX_Vector v = w[block], u = w[BLOCKS + block];
        for (int p = 0; p < TILE; ++p) {
          s[p][block] = Q6_Vuw_vrmpyacc_VuwVubRub(s[p][block], v, (uint32_t)r[p]);
          s[p][block] = Q6_Vuw_vrmpyacc_VuwVubRub(s[p][block], u, (uint32_t)(r[p] >> 32));
        }
      }
      w += 2 * BLOCKS;
    }
    for (int p = 0; p < TILE; ++p) *to++ = bytes(s[p][0], s[p][1], s[p][2], s[p][3], fractions, shift, zero);
  }
}
