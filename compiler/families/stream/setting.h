/// Settings of an engine that a command depends on: bases, strides, trips, limits, types, immediates, ...
///
/// Every engine keeps its settings until they are set again, and starts a block with all of them cleared. Code
/// generation therefore lists the settings of each command and writes only the words that change one.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "acg/isa/word_limits.h"
#include "acg/operations/operation.h"

namespace covenant::compiler::stream {

/// One piece of an engine's state, named by the operation that sets it and the place it sets.
///
/// | kind | first | second | value |
/// |---|---|---|---|
/// | kTrip | level | | last, reduction |
/// | kBase | address generator operand | | address, slot |
/// | kStride | address generator operand | level | stride |
/// | kLimit | axis | | limit |
/// | kFill | | | bytes |
/// | kSimdTrip | level | | last, indexed (0, 1), then the six operands of kSimdIndex |
/// | kSimdReduce | | | first level |
/// | kSimdBase | memory | entry | address |
/// | kSimdStride | memory | entry | stride |
/// | kImmediateLow | slot | | the 32 bits |
/// | kTable | part | | its bits |
/// | kTypes | | | dst, src1, src2 |
/// | kQuantization | | | zero point, lowest, highest |
struct Setting {
  acg::Operation kind = acg::Operation::kTrip;
  int32_t first = 0;
  int32_t second = 0;
  auto operator<=>(const Setting&) const = default;
};

using SettingValue = std::array<int32_t, 8>;
using Settings = std::map<Setting, SettingValue>;

/// The value at the start of a block (docs/reference/units).
SettingValue reset_value(const Setting& setting);

/// The fewest words that change `setting` to `to`. `from` is its present value; nothing if that is unknown. `parts`:
/// the parts in which words set numbers.
std::vector<acg::Instruction> change(const Setting& setting, const std::optional<SettingValue>& from,
                                     const SettingValue& to, const acg::WordParts& parts);

}  // namespace covenant::compiler::stream
