/// Vector instruction sets of the host processor, chosen at run time: the build requires none of them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace covenant::compiler::values {

/// kPortable: works on every processor. kAvx512Vnni: includes vpdpbusd, which sums products of bytes in 32 bits.
enum class Simd : uint8_t { kPortable, kAvx2, kAvx512Vnni };

struct SimdName {
  Simd simd;
  std::string_view name;
};

inline constexpr std::array<SimdName, 3> kSimdNames{
    {{Simd::kPortable, "portable"}, {Simd::kAvx2, "avx2"}, {Simd::kAvx512Vnni, "avx512_vnni"}}};

/// True if this processor has the instruction set.
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

/// The widest instruction set of this processor.
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

/// Runs `loop`, compiled for this instruction set. `loop` is a lambda of plain loops with
/// __attribute__((always_inline)), and so is everything that it calls: the generated code does not depend on the
/// options of the build.
template <typename Loop>
void run_with([[maybe_unused]] Simd simd, const Loop& loop) {
#if defined(__x86_64__)
  if (simd == Simd::kAvx512Vnni) return run_avx512(loop);
  if (simd == Simd::kAvx2) return run_avx2(loop);
#endif
  loop();
}

}  // namespace covenant::compiler::values
