#include <optional>

#include "acg/base/suggest.h"
#include "acg/base/text_file.h"
#include "offchip/builtin.h"
#include "offchip/parameters.h"

namespace covenant::offchip {
namespace {

constexpr uint64_t kMaxFileBytes = uint64_t{1} << 20;

bool is_path(std::string_view name) { return name.ends_with(".json") || name.find('/') != std::string_view::npos; }

}  // namespace

Result<Parameters> load_parameters(std::string_view name_or_path) {
  if (is_path(name_or_path)) {
    const std::string path(name_or_path);
    if (const std::optional<std::string> text = read_text_file(path, kMaxFileBytes)) {
      return parse_parameters(*text, path);
    }
    return Diagnostic{"MEM0002",
                      {path, 0, 0},
                      "",
                      "cannot read the file of a memory's parameters",
                      path,
                      {},
                      "check that the path names a readable file of at most 1 MiB"};
  }
  for (const BuiltinSet& set : builtin_sets()) {
    if (set.name == name_or_path) return parse_parameters(set.text, std::string(set.name));
  }
  std::vector<std::string> allowed = builtin_parameters();
  allowed.insert(allowed.begin(), "fixed");
  const std::string fix = suggest(name_or_path, allowed);
  return Diagnostic{
      "MEM0001", {"<memory>", 0, 0}, "", "there is no such off-chip memory", std::string(name_or_path), allowed, fix};
}

std::vector<std::string> builtin_parameters() {
  std::vector<std::string> names;
  for (const BuiltinSet& set : builtin_sets()) names.emplace_back(set.name);
  return names;
}

}  // namespace covenant::offchip
