/// The files that the RTL of every machine shares, embedded at build time so that an installed package needs no files.
#pragma once

#include <span>
#include <string_view>

namespace covenant::rtl {

struct SourceText {
  std::string_view name;    ///< file name without folder
  std::string_view folder;  ///< name of the folder that it is in
  std::string_view text;
};

/// Modules of rtl/src and the lint waivers, by name. Defined in a source that rtl/gen/embed.cmake writes.
std::span<const SourceText> source_texts();

/// The bench of rtl/tb and its off-chip memory. Defined in the same way.
std::span<const SourceText> test_texts();

}  // namespace covenant::rtl
