/// The words of the text form for modifiers: one table for printing and parsing.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "compiler/srdfg/graph.h"

namespace covenant::compiler::srdfg {

inline constexpr std::array<std::string_view, 4> kModifiers{"input", "output", "state", "param"};

constexpr std::string_view name(Modifier modifier) { return kModifiers[static_cast<size_t>(modifier)]; }

constexpr std::optional<Modifier> modifier_named(std::string_view name) {
  for (size_t i = 0; i < kModifiers.size(); ++i) {
    if (kModifiers[i] == name) return static_cast<Modifier>(i);
  }
  return std::nullopt;
}

}  // namespace covenant::compiler::srdfg
