#include "acg/isa/word_limits.h"

#include <algorithm>

namespace covenant::acg {
namespace {

constexpr int64_t kMostLast = 65535;  ///< 16 bits in every unit

/// The largest value that every mnemonic for `operation` can give `operand`.
int64_t highest(const Machine& machine, Operation operation, std::string_view operand) {
  int64_t most = kMostLast;
  for (const Mnemonic& mnemonic : machine.mnemonics) {
    if (mnemonic.does != operation) continue;
    for (const Field& field : mnemonic.fields) {
      if (field.operand == operand) most = std::min(most, highest_value(field));
    }
  }
  return most;
}

}  // namespace

WordLimits word_limits(const Machine& machine) {
  const int64_t run =
      std::min(highest(machine, Operation::kLoad, "run_last"), highest(machine, Operation::kStore, "run_last"));
  return {.tile_trips = highest(machine, Operation::kLoop, "last") + 1,
          .walk_trips = highest(machine, Operation::kTrip, "last") + 1,
          .nest_trips = highest(machine, Operation::kSimdTrip, "last") + 1,
          .run_bytes = run + 1,
          .axis_length = highest(machine, Operation::kLimit, "value"),
          .slots = 1 + std::min({highest(machine, Operation::kBase, "slot"), highest(machine, Operation::kWait, "slot"),
                                 highest(machine, Operation::kPost, "slot")})};
}

}  // namespace covenant::acg
