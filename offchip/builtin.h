/// The texts of offchip/parameters, embedded at build time so that an installed package needs no files.
#pragma once

#include <span>
#include <string_view>

namespace covenant::offchip {

struct BuiltinSet {
  std::string_view name;  ///< "ddr4_2400"
  std::string_view text;
};

/// All sets by name. Defined in a source file that offchip/embed.cmake generates.
std::span<const BuiltinSet> builtin_sets();

}  // namespace covenant::offchip
