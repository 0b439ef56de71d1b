#include "tests/cosim/platforms/manner.h"

#include <fmt/format.h>

namespace covenant::platforms {

std::string Manner::text() const {
  std::string flags;
  const auto add = [&](bool is_set, const char* name) {
    if (is_set) flags += std::string(" ") + name;
  };
  add(completes, "completes");
  add(responds, "responds");
  add(accepts, "accepts");
  add(skips, "skips");
  add(ends_later, "ends-later");
  add(annotates, "annotates");
  add(samples_late, "samples-late");
  add(!restores, "keeps-addresses");
  if (grants) flags += fmt::format(" grants, moves every {} ns", moves);
  return fmt::format("reads {}..{} ns, writes {}..{} ns, bus {} ns, serial {} ns,{}", read_low, read_high, write_low,
                     write_high, bus, serial, flags.empty() ? " plain" : flags);
}

uint64_t drawn(uint64_t seed, uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
  uint64_t state = seed;
  for (const uint64_t part : {a, b, c, d}) {  // the finaliser of SplitMix64 after each part
    state += part + 0x9E3779B97F4A7C15U;
    state = (state ^ state >> 30U) * 0xBF58476D1CE4E5B9U;
    state = (state ^ state >> 27U) * 0x94D049BB133111EBU;
    state ^= state >> 31U;
  }
  return state;
}

}  // namespace covenant::platforms
