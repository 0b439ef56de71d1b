#include "acg/lang/machine_hash.h"

#include "acg/lang/print.h"

namespace covenant::acg {

uint64_t machine_hash(const Machine& machine) {
  constexpr uint64_t kBasis = 0xcbf29ce484222325ULL;
  constexpr uint64_t kPrime = 0x100000001b3ULL;
  uint64_t hash = kBasis;
  for (const char character : print(machine)) hash = (hash ^ static_cast<uint8_t>(character)) * kPrime;
  return hash;
}

}  // namespace covenant::acg
