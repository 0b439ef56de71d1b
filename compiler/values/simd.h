/// Vector instructions of the processor that this runs on, chosen when it runs: the build needs none of them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace covenant::compiler::values {

/// kPortable: what every processor does. kAvx512Vnni: with vpdpbusd, products of bytes summed in 32 bits.
enum class Simd : uint8_t { kPortable, kAvx2, kAvx512Vnni };

struct SimdName {
  Simd simd;
  std::string_view name;
};

inline constexpr std::array<SimdName, 3> kSimdNames{
    {{Simd::kPortable, "portable"}, {Simd::kAvx2, "avx2"}, {Simd::kAvx512Vnni, "avx512_vnni"}}};

/// Whether this processor has them.
inline bool has(Simd simd) {
#if defined(__x86_64__)
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (simd == Simd::kAvx2) return has_avx2;
  if (simd == Simd::kAvx512Vnni) {
    return has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vnni");
  }
#endif
  return simd == Simd::kPortable;
}

/// The widest that this processor has.
inline Simd widest_simd() {
  if (has(Simd::kAvx512Vnni)) return Simd::kAvx512Vnni;
  return has(Simd::kAvx2) ? Simd::kAvx2 : Simd::kPortable;
}

inline std::optional<Simd> simd_named(std::string_view name) {
  for (const SimdName& entry : kSimdNames) {
    if (entry.name == name) return entry.simd;
  }
  return std::nullopt;
}

#if defined(__x86_64__)
template <typename Loop>
[[gnu::target("avx2,fma"), gnu::noinline]] void run_avx2(const Loop& loop) {
  loop();
}
template <typename Loop>
[[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"), gnu::noinline]] void run_avx512(const Loop& loop) {
  loop();
}
#endif

/// Runs `loop`, compiled for these instructions. It is a lambda of plain loops with __attribute__((always_inline)), and
/// so is all that it calls: what the compiler makes of it does not depend on the options of the build.
template <typename Loop>
void run_with([[maybe_unused]] Simd simd, const Loop& loop) {
#if defined(__x86_64__)
  if (simd == Simd::kAvx512Vnni) return run_avx512(loop);
  if (simd == Simd::kAvx2) return run_avx2(loop);
#endif
  loop();
}

}  // namespace covenant::compiler::values
