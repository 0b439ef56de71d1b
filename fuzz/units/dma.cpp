#include "fuzz/units/dma.h"

#include <algorithm>
#include <array>

namespace covenant::runtime::units {
namespace {

using acg::Operation;

constexpr std::array kNeeds{Operation::kLoad, Operation::kStore};

std::optional<uint32_t> bits(const WordNames& names, Operation operation, std::string_view /*operand*/,
                             uint32_t /*part_bits*/) {
  return operation == Operation::kFill ? std::optional(std::max(8U, names.element_bits)) : std::nullopt;
}

}  // namespace

constinit const RandomUnit kDma{.kind = acg::UnitKind::kDma, .needed = kNeeds, .bits = bits};

}  // namespace covenant::runtime::units
