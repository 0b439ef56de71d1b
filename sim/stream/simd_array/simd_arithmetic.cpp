#include "sim/stream/simd_array/simd_arithmetic.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "acg/base/check.h"
#include "sim/stream/common/elements.h"

// Compiled without contraction: a product and a sum are fused only where the page states fma.

namespace covenant::sim {

namespace {

int32_t wrapped(uint32_t value) { return static_cast<int32_t>(value); }
uint32_t bits(int32_t value) { return static_cast<uint32_t>(value); }

/// clamp(value) as an integer; NaN gives `lowest`.
[[gnu::always_inline]] inline int32_t clamped(float value, const Requantization& r) {
  const float raised = value >= r.lowest ? value : r.lowest;
  return static_cast<int32_t>(raised <= r.highest ? raised : r.highest);
}

[[gnu::always_inline]] inline void requant_body(const int32_t* a, const int32_t* b, int32_t* out, size_t count,
                                                const Requantization& r) {
  for (size_t k = 0; k < count; ++k) {
    const float product = static_cast<float>(a[k]) * std::bit_cast<float>(b[k]);
    out[k] = clamped(std::rint(product) + r.zero_point, r);
  }
}

[[gnu::always_inline]] inline void requant_add_body(const int32_t* a, const int32_t* b, int32_t* out, size_t count,
                                                    const Requantization& r) {
  for (size_t k = 0; k < count; ++k) {
    const float first = std::fma(static_cast<float>(a[k]), r.scale_a, r.offset);
    out[k] = clamped(std::rint(std::fma(static_cast<float>(b[k]), r.scale_b, first)), r);
  }
}

/// Two roundings: the sum is not fused with the product.
[[gnu::always_inline]] inline void requant_mul_body(const int32_t* a, const int32_t* b, int32_t* out, size_t count,
                                                    const Requantization& r) {
  for (size_t k = 0; k < count; ++k) {
    const int32_t factors = wrapped((bits(a[k]) - bits(r.zero_a)) * (bits(b[k]) - bits(r.zero_b)));
    const float product = static_cast<float>(factors) * r.scale_a;
    out[k] = clamped(std::rint(product + r.offset), r);
  }
}

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void requant_avx2(const int32_t* a, const int32_t* b, int32_t* out, size_t count,
                                              const Requantization& r) {
  requant_body(a, b, out, count, r);
}
[[gnu::target("avx2,fma")]] void requant_add_avx2(const int32_t* a, const int32_t* b, int32_t* out, size_t count,
                                                  const Requantization& r) {
  requant_add_body(a, b, out, count, r);
}
[[gnu::target("avx2,fma")]] void requant_mul_avx2(const int32_t* a, const int32_t* b, int32_t* out, size_t count,
                                                  const Requantization& r) {
  requant_mul_body(a, b, out, count, r);
}
bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
#else
void requant_avx2(const int32_t* a, const int32_t* b, int32_t* out, size_t count, const Requantization& r) {
  requant_body(a, b, out, count, r);
}
void requant_add_avx2(const int32_t* a, const int32_t* b, int32_t* out, size_t count, const Requantization& r) {
  requant_add_body(a, b, out, count, r);
}
void requant_mul_avx2(const int32_t* a, const int32_t* b, int32_t* out, size_t count, const Requantization& r) {
  requant_mul_body(a, b, out, count, r);
}
bool has_avx2() { return false; }
#endif

template <typename Combine>
void combine(const int32_t* a, const int32_t* b, int32_t* out, size_t count, Combine&& f) {
  for (size_t k = 0; k < count; ++k) out[k] = f(a[k], b[k]);
}

}  // namespace

void load_lanes(acg::SimdType type, const uint8_t* from, int32_t* to, size_t count) {
  switch (type) {
    case acg::SimdType::kI8:
      for (size_t k = 0; k < count; ++k) to[k] = static_cast<int8_t>(from[k]);
      break;
    case acg::SimdType::kU8:
      for (size_t k = 0; k < count; ++k) to[k] = from[k];
      break;
    case acg::SimdType::kI16:
      for (size_t k = 0; k < count; ++k) to[k] = element_at(from, k, 16, false);
      break;
    case acg::SimdType::kU16:
      for (size_t k = 0; k < count; ++k) to[k] = element_at(from, k, 16, true);
      break;
    case acg::SimdType::kI4:
      for (size_t k = 0; k < count; ++k) to[k] = element_at(from, k, 4, false);
      break;
    case acg::SimdType::kU4:
      for (size_t k = 0; k < count; ++k) to[k] = element_at(from, k, 4, true);
      break;
    case acg::SimdType::kI32:
    case acg::SimdType::kF32:
      std::memcpy(to, from, count * sizeof(int32_t));
      break;
  }
}

void store_lanes(acg::SimdType type, const int32_t* from, uint8_t* to, size_t count) {
  switch (bits_of(type)) {
    case 4:
      for (size_t k = 0; k < count; k += 2) to[k / 2] = static_cast<uint8_t>((from[k] & 15) | (from[k + 1] & 15) << 4);
      break;
    case 8:
      for (size_t k = 0; k < count; ++k) to[k] = static_cast<uint8_t>(from[k]);
      break;
    case 16:
      for (size_t k = 0; k < count; ++k) {
        const auto both = static_cast<uint16_t>(from[k]);
        std::memcpy(to + 2 * k, &both, sizeof(both));
      }
      break;
    default:
      std::memcpy(to, from, count * sizeof(int32_t));
  }
}

void apply(acg::Operation operation, const int32_t* a, const int32_t* b, int32_t* out, size_t count,
           const Requantization& r) {
  switch (operation) {
    case acg::Operation::kAdd:
      return combine(a, b, out, count, [](int32_t x, int32_t y) { return wrapped(bits(x) + bits(y)); });
    case acg::Operation::kSub:
      return combine(a, b, out, count, [](int32_t x, int32_t y) { return wrapped(bits(x) - bits(y)); });
    case acg::Operation::kMul:
      return combine(a, b, out, count, [](int32_t x, int32_t y) { return wrapped(bits(x) * bits(y)); });
    case acg::Operation::kMax:
      return combine(a, b, out, count, [](int32_t x, int32_t y) { return std::max(x, y); });
    case acg::Operation::kMin:
      return combine(a, b, out, count, [](int32_t x, int32_t y) { return std::min(x, y); });
    case acg::Operation::kMove:
      std::copy_n(a, count, out);
      return;
    case acg::Operation::kRequant:
      return has_avx2() ? requant_avx2(a, b, out, count, r) : requant_body(a, b, out, count, r);
    case acg::Operation::kRequantAdd:
      return has_avx2() ? requant_add_avx2(a, b, out, count, r) : requant_add_body(a, b, out, count, r);
    case acg::Operation::kRequantMul:
      return has_avx2() ? requant_mul_avx2(a, b, out, count, r) : requant_mul_body(a, b, out, count, r);
    default:
      fail("not an element-wise operation");
  }
}

void look_up(const Table& table, acg::SimdType type, acg::SimdType source, const int32_t* a, int32_t* out,
             size_t count) {
  const uint32_t mask = (1U << bits_of(source)) - 1;
  if (bits_of(type) == 32) {
    for (size_t k = 0; k < count; ++k) std::memcpy(&out[k], &table[(bits(a[k]) & mask) * 4], 4);
  } else {
    for (size_t k = 0; k < count; ++k) out[k] = table[bits(a[k]) & mask];
  }
}

void reduce(acg::Operation operation, const int32_t* a, int32_t* sum, size_t count) {
  if (operation == acg::Operation::kReduceSum) {
    for (size_t k = 0; k < count; ++k) sum[k] = wrapped(bits(sum[k]) + bits(a[k]));
  } else {
    for (size_t k = 0; k < count; ++k) sum[k] = std::max(sum[k], a[k]);
  }
}

}  // namespace covenant::sim
