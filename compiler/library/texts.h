/// The library's files as text; the build generates the definition.
#pragma once

#include <span>
#include <string_view>

namespace covenant::compiler {

struct LibraryText {
  std::string_view name;
  std::string_view text;
};

/// Sorted by name.
std::span<const LibraryText> library_texts();

}  // namespace covenant::compiler
