#include "compiler/library/library.h"

#include "compiler/codelet/diagnose.h"
#include "compiler/codelet/parse.h"
#include "compiler/library/texts.h"

namespace covenant::compiler {

std::vector<std::string> library_names() {
  std::vector<std::string> names;
  for (const LibraryText& entry : library_texts()) names.emplace_back(entry.name);
  return names;
}

Result<codelet::Codelet> library_codelet(std::string_view name) {
  for (const LibraryText& entry : library_texts()) {
    if (entry.name != name) continue;
    return codelet::parse(entry.text, "compiler/library/" + std::string(name) + ".cdlt");
  }
  return codelet::diagnose("CDL0070", {}, "", "the library has no such codelet", std::string(name), library_names(),
                           "use one of these operators, or add a codelet to compiler/library");
}

}  // namespace covenant::compiler
