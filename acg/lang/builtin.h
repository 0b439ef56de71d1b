/// The texts in acg/machines, embedded at build time so that an installed package needs no files.
#pragma once

#include <span>
#include <string_view>

namespace covenant::acg::lang {

struct BuiltinText {
  std::string_view name;       ///< "genesys"
  std::string_view file_name;  ///< "acg/machines/genesys.acg"
  std::string_view text;
  bool is_machine = true;  ///< false: a file of statements that machines include
};

/// All texts by name. Defined in a source file that acg/lang/embed.cmake generates.
std::span<const BuiltinText> builtin_texts();

}  // namespace covenant::acg::lang
