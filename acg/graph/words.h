/// The words of the text and JSON forms for the enums of a machine: one table for reading, writing and messages.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acg/graph/graph.h"

namespace covenant::acg {

template <typename Enum>
struct NamedValue {
  Enum value;
  std::string_view name;
};

inline constexpr std::array<NamedValue<MemoryKind>, 6> kMemoryKinds{{{MemoryKind::kOffchip, "offchip"},
                                                                     {MemoryKind::kScratchpad, "scratchpad"},
                                                                     {MemoryKind::kInstruction, "instruction"},
                                                                     {MemoryKind::kImmediate, "immediate"},
                                                                     {MemoryKind::kRegisterFile, "register_file"},
                                                                     {MemoryKind::kCache, "cache"}}};

inline constexpr std::array<NamedValue<PortDirection>, 3> kPortDirections{
    {{PortDirection::kIn, "in"}, {PortDirection::kOut, "out"}, {PortDirection::kBoth, "both"}}};

inline constexpr std::array<NamedValue<Trigger>, 2> kTriggers{
    {{Trigger::kMnemonic, "mnemonic"}, {Trigger::kDataflow, "dataflow"}}};

inline constexpr std::array<NamedValue<FieldKind>, 3> kFieldKinds{
    {{FieldKind::kInteger, "ifield"}, {FieldKind::kEnumeration, "efield"}, {FieldKind::kConstant, "constant"}}};

template <typename Enum, size_t count>
constexpr std::string_view name_in(const std::array<NamedValue<Enum>, count>& table, Enum value) {
  for (const NamedValue<Enum>& entry : table) {
    if (entry.value == value) return entry.name;
  }
  return {};
}

template <typename Enum, size_t count>
constexpr std::optional<Enum> value_in(const std::array<NamedValue<Enum>, count>& table, std::string_view name) {
  for (const NamedValue<Enum>& entry : table) {
    if (entry.name == name) return entry.value;
  }
  return std::nullopt;
}

template <typename Enum, size_t count>
std::vector<std::string> names_in(const std::array<NamedValue<Enum>, count>& table) {
  std::vector<std::string> names;
  for (const NamedValue<Enum>& entry : table) names.emplace_back(entry.name);
  return names;
}

}  // namespace covenant::acg
