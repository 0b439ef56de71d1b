// covenant_f32_pkg against the floating-point unit of the host, which is IEEE 754 to the bit: conversion of all
// integers of 24 bits and below and of every exponent, products and fused products of random and of awkward operands
// (subnormals, ties, near and exact cancellation, infinities, NaN), conversion to bytes of every float that can reach
// one.
//   f32_bench CASES [all]     `all`: conversions of every one of the 2^32 integers and floats too
#include <Vf32_bench.h>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <verilated.h>

namespace {

constexpr uint32_t kSign = 0x80000000U, kFraction = 0x007FFFFFU;

float number(uint32_t bits) { return std::bit_cast<float>(bits); }
uint32_t bits(float value) { return std::bit_cast<uint32_t>(value); }
bool same(uint32_t got, float expected) {
  return std::isnan(expected) ? std::isnan(number(got)) : got == bits(expected);
}

class Bench {
 public:
  explicit Bench(uint64_t seed) : random_(seed) {}

  void arithmetic() {
    const uint32_t a = operand();
    const uint32_t b = operand();
    uint32_t c = operand();
    // Addends that cancel the product wholly, or all but its last bits.
    const uint64_t kind = random_() % 4;
    if (kind <= 1) c = bits(-(number(a) * number(b)));
    if (kind == 1) c += static_cast<uint32_t>(random_() % 5) - 2U;
    top_.a_i = a;
    top_.b_i = b;
    top_.c_i = c;
    top_.eval();
    expect(same(top_.from_o, static_cast<float>(static_cast<int32_t>(a))), "from_i32", a, 0, 0, top_.from_o);
    expect(same(top_.product_o, number(a) * number(b)), "multiply", a, b, 0, top_.product_o);
    expect(same(top_.fused_o, std::fma(number(a), number(b), number(c))), "multiply_add", a, b, c, top_.fused_o);
  }

  void conversions(uint32_t a, int zero_point, int lowest, int highest) {
    top_.a_i = a;
    constexpr uint32_t kPort = (1U << 18) - 1;
    top_.zero_point_i = static_cast<uint32_t>(zero_point) & kPort;
    top_.lowest_i = static_cast<uint32_t>(lowest) & kPort;
    top_.highest_i = static_cast<uint32_t>(highest) & kPort;
    top_.eval();
    const double rounded = std::nearbyint(static_cast<double>(number(a))) + zero_point;
    const int expected =
        std::isnan(number(a))
            ? lowest
            : static_cast<int>(std::clamp(rounded, static_cast<double>(lowest), static_cast<double>(highest)));
    expect(top_.integer_o == static_cast<uint16_t>(expected), "to_integer", a, static_cast<uint32_t>(zero_point), 0,
           top_.integer_o);
    expect(same(top_.from_o, static_cast<float>(static_cast<int32_t>(a))), "from_i32", a, 0, 0, top_.from_o);
  }

  uint32_t operand() {
    static constexpr uint32_t kCorners[] = {0,          kSign,      0x7F800000, 0xFF800000, 0x7FC00000, 1,
                                            0x80000001, 0x7F7FFFFF, 0x00800000, 0x007FFFFF, 0x3F800000, 0xBF800000};
    const auto x = static_cast<uint32_t>(random_());
    switch (random_() % 8) {
      case 0:
        return x & (kSign | kFraction);  // subnormal
      case 1:
        return (x & kSign) | 0x3F800000U | (x & 7U) << (random_() % 20);  // few bits: ties
      case 2:
        return kCorners[x % std::size(kCorners)];
      case 3:
        return (x & (kSign | kFraction)) | static_cast<uint32_t>(120 + random_() % 16) << 23;
      case 4:
        return (x & kSign) | static_cast<uint32_t>(random_() % 255) << 23 | kFraction >> (random_() % 24);
      case 5:
        return (x & (kSign | kFraction)) | static_cast<uint32_t>(random_() % 60) << 23;  // products underflow
      case 6:
        return bits(static_cast<float>(static_cast<int32_t>(x >> (random_() % 32))));
      default:
        return x;
    }
  }

  uint64_t next() { return random_(); }
  uint64_t failures() const { return failures_; }

 private:
  void expect(bool holds, const char* what, uint32_t a, uint32_t b, uint32_t c, uint32_t got) {
    if (holds) return;
    if (failures_++ < 10) std::printf("%s(%08x, %08x, %08x) gave %08x\n", what, a, b, c, got);
  }

  Vf32_bench top_;
  std::mt19937_64 random_;
  uint64_t failures_ = 0;
};

}  // namespace

int main(int count, char** arguments) {
  const uint64_t cases = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 1'000'000;
  Bench bench(1);
  for (uint64_t i = 0; i < cases; ++i) bench.arithmetic();
  // Every float from 2^-2 to 2^10 in steps of its 2^12th part, both signs; ties are among them.
  for (uint32_t top = 0x3E800U; top < 0x44800U; ++top) {
    for (const uint32_t low : {0U, 1U, 0xFFFU}) {
      bench.conversions(top << 12 | low, 0, 0, 255);
      bench.conversions(kSign | top << 12 | low, 100, 0, 255);
    }
  }
  for (uint64_t i = 0; i < cases; ++i) {
    const int lowest = static_cast<int>(bench.next() % 384) - 128;
    bench.conversions(bench.operand(), static_cast<int>(bench.next() % 511) - 255, lowest,
                      std::min(255, lowest + static_cast<int>(bench.next() % 300)));
  }
  if (count > 2) {
    for (uint64_t x = 0; x < (uint64_t{1} << 32); ++x) bench.conversions(static_cast<uint32_t>(x), -7, -128, 127);
  }
  std::printf("%llu failures\n", static_cast<unsigned long long>(bench.failures()));
  return bench.failures() == 0 ? 0 : 1;
}
