/// A table of enumerators and their names, used for printing, parsing and messages.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace covenant::acg {

template <typename Enum>
struct NamedValue {
  Enum value;
  std::string_view name;
};

/// The name of `value`; empty if the table has none.
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
