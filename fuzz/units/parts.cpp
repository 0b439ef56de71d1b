#include "fuzz/units/parts.h"

#include <array>

namespace covenant::runtime::units {
namespace {

using acg::Operation;
using acg::UnitKind;

constexpr std::array kControlNeeds{Operation::kGroup, Operation::kBlockEnd};
constexpr std::array kSequencerNeeds{Operation::kWait, Operation::kPost};
constexpr std::array kAddressNeeds{Operation::kBase};

constexpr std::array kBase{Operation::kBase};
constexpr std::array kStride{Operation::kStride};
constexpr std::array<PartsOfANumber, 2> kAddressNumbers{kBase, kStride};

std::optional<uint32_t> control_bits(const WordNames& /*names*/, Operation operation, std::string_view operand,
                                     uint32_t /*part_bits*/) {
  return operation == Operation::kBlockEnd && operand == "last" ? std::optional(1U) : std::nullopt;
}

/// Levels of inner loops, which come after those of the sequencer.
std::optional<uint32_t> address_bits(const WordNames& /*names*/, Operation /*operation*/, std::string_view operand,
                                     uint32_t /*part_bits*/) {
  return operand == "level" ? std::optional(5U) : std::nullopt;
}

}  // namespace

constinit const RandomUnit kControl{.kind = UnitKind::kControl, .needed = kControlNeeds, .bits = control_bits};
constinit const RandomUnit kSequencer{.kind = UnitKind::kSequencer, .needed = kSequencerNeeds};
constinit const RandomUnit kAddressGenerator{
    .kind = UnitKind::kAddressGenerator, .needed = kAddressNeeds, .numbers = kAddressNumbers, .bits = address_bits};

}  // namespace covenant::runtime::units
