/// Texts of the headers that generated machines include, embedded at build time.
#pragma once

#include <span>
#include <string_view>

namespace covenant::acg::behaviour::native {

struct SourceText {
  std::string_view name;    ///< file name without folder
  std::string_view folder;  ///< name of the folder that it is in
  std::string_view text;
};

/// Defined in a source that rtl/gen/embed.cmake writes.
std::span<const SourceText> machine_texts();

}  // namespace covenant::acg::behaviour::native
