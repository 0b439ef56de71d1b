#include "sim/stream/simd_array/simd_real.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "acg/base/check.h"

// Compiled with contraction off: a product and a sum are never fused here.

namespace covenant::sim {

namespace {

constexpr int32_t kQuietNan = 0x7FC00000;

float real(int32_t bits) { return std::bit_cast<float>(bits); }
int32_t bits(float value) { return std::isnan(value) ? kQuietNan : std::bit_cast<int32_t>(value); }

/// (a - zero point) * scale.
float dequantized(int32_t a, const Requantization& r) {
  const auto centred = static_cast<int32_t>(static_cast<uint32_t>(a) - static_cast<uint32_t>(r.zero_a));
  return static_cast<float>(centred) * r.scale_a;
}

template <typename Combine>
void combine(const int32_t* a, const int32_t* b, int32_t* out, size_t count, Combine&& f) {
  for (size_t k = 0; k < count; ++k) out[k] = bits(f(real(a[k]), real(b[k])));
}

/// clamp(rint(a / b + offset) + zero point); NaN gives `lowest`.
[[gnu::always_inline]] inline void quantize_body(const int32_t* a, const int32_t* b, int32_t* out, size_t count,
                                                 const Requantization& r) {
  for (size_t k = 0; k < count; ++k) {
    const float quotient = real(a[k]) / real(b[k]);
    const float value = std::rint(quotient + r.offset) + r.zero_point;
    const float raised = value >= r.lowest ? value : r.lowest;
    out[k] = static_cast<int32_t>(raised <= r.highest ? raised : r.highest);
  }
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void quantize_avx2(const int32_t* a, const int32_t* b, int32_t* out, size_t count,
                                           const Requantization& r) {
  quantize_body(a, b, out, count, r);
}
void quantize(const int32_t* a, const int32_t* b, int32_t* out, size_t count, const Requantization& r) {
  return __builtin_cpu_supports("avx2") ? quantize_avx2(a, b, out, count, r) : quantize_body(a, b, out, count, r);
}
#else
void quantize(const int32_t* a, const int32_t* b, int32_t* out, size_t count, const Requantization& r) {
  quantize_body(a, b, out, count, r);
}
#endif

}  // namespace

void apply_real(acg::Operation operation, acg::SimdType source, const int32_t* a, const int32_t* b, int32_t* out,
                size_t count, const Requantization& r) {
  switch (operation) {
    case acg::Operation::kAdd:
      return combine(a, b, out, count, [](float x, float y) { return x + y; });
    case acg::Operation::kSub:
      return combine(a, b, out, count, [](float x, float y) { return x - y; });
    case acg::Operation::kMul:
      return combine(a, b, out, count, [](float x, float y) { return x * y; });
    case acg::Operation::kDiv:
      return combine(a, b, out, count, [](float x, float y) { return x / y; });
    case acg::Operation::kMax:
      return combine(a, b, out, count, [](float x, float y) { return y > x ? y : x; });
    case acg::Operation::kMin:
      return combine(a, b, out, count, [](float x, float y) { return y < x ? y : x; });
    case acg::Operation::kSqrt:
      return combine(a, a, out, count, [](float x, float) { return std::sqrt(x); });
    case acg::Operation::kMove:
      if (source == acg::SimdType::kF32) {
        std::copy_n(a, count, out);
      } else {
        for (size_t k = 0; k < count; ++k) out[k] = std::bit_cast<int32_t>(static_cast<float>(a[k]));
      }
      return;
    case acg::Operation::kDequantize:
      for (size_t k = 0; k < count; ++k) out[k] = bits(dequantized(a[k], r));
      return;
    case acg::Operation::kQuantize:
      return quantize(a, b, out, count, r);
    default:
      fail("not an element-wise operation on f32");
  }
}

void reduce_real(acg::Operation operation, const int32_t* a, int32_t* sum, size_t count, bool is_first,
                 const Requantization& r) {
  const bool dequantizes = operation == acg::Operation::kDequantizeSum;
  for (size_t k = 0; k < count; ++k) {
    const int32_t value = dequantizes ? bits(dequantized(a[k], r)) : a[k];
    sum[k] = is_first ? value : bits(real(sum[k]) + real(value));
  }
}

}  // namespace covenant::sim
