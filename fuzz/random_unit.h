/// Properties of each kind of unit that random words and broken machines need: one row a kind, in `fuzz/units`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "acg/operations/operation.h"
#include "fuzz/random_words.h"

namespace covenant::runtime {

/// Operations whose words set one number in parts, all as wide: the low part, then the higher ones.
using PartsOfANumber = std::span<const acg::Operation>;

struct RandomUnit {
  acg::UnitKind kind = acg::UnitKind::kDescribed;
  /// Operations without which no program runs.
  std::span<const acg::Operation> needed{};
  /// Numbers whose parts have a random width.
  std::span<const PartsOfANumber> numbers{};
  /// Bits that an operand needs where its name alone does not tell; `part_bits` are those of a part that the operation
  /// sets. Null: names tell all.
  std::optional<uint32_t> (*bits)(const WordNames& names, acg::Operation operation, std::string_view operand,
                                  uint32_t part_bits) = nullptr;
  /// Names that an operand may have, if not all of its kind. Null: all.
  std::optional<std::vector<std::string>> (*choices)(const WordNames& names, acg::Operation operation,
                                                     const acg::OperandInfo& operand) = nullptr;
  /// True if machines of these names have the operation. Null: all operations.
  bool (*is_said)(const WordNames& names, acg::Operation operation) = nullptr;
};

/// The rows, in the order of UnitKind: units of which random machines are made.
std::span<const RandomUnit* const> random_units();
/// The row of a kind; null if random machines have none.
const RandomUnit* find_random_unit(acg::UnitKind kind);

/// The machine's narrow elements as choices of an operand, then `others`.
std::vector<std::string> element_types(const WordNames& names, const std::vector<std::string>& others);

}  // namespace covenant::runtime
