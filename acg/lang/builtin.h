/// The texts in acg/machines, embedded at build time so that an installed package needs no files.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace covenant::acg::lang {

/// Kind of a text: a machine that compiled programs run on, one that commands drive, or statements to include.
enum class BuiltinKind : uint8_t { kMachine, kCommandMachine, kIncluded };

struct BuiltinText {
  std::string_view name;       ///< "genesys"
  std::string_view file_name;  ///< "acg/machines/genesys.acg"
  std::string_view text;
  BuiltinKind kind = BuiltinKind::kMachine;
};

/// All texts by name. Defined in a source file that acg/lang/embed.cmake generates.
std::span<const BuiltinText> builtin_texts();

}  // namespace covenant::acg::lang
