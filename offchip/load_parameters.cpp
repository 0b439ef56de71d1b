#include <filesystem>
#include <fstream>
#include <sstream>

#include "acg/base/suggest.h"
#include "offchip/builtin.h"
#include "offchip/parameters.h"

namespace covenant::offchip {
namespace {

constexpr uintmax_t kMaxFileBytes = uintmax_t{1} << 20;

bool is_path(std::string_view name) { return name.ends_with(".json") || name.find('/') != std::string_view::npos; }

Result<std::string> read_text(const std::string& path) {
  std::error_code error;
  const bool is_small = std::filesystem::is_regular_file(path, error) &&
                        std::filesystem::file_size(path, error) <= kMaxFileBytes && !error;
  std::ifstream file;
  if (is_small) file.open(path, std::ios::binary);
  std::ostringstream text;
  if (file && file.peek() != std::ifstream::traits_type::eof()) text << file.rdbuf();
  if (file.is_open() && !file.bad() && text.good()) return text.str();
  return Diagnostic{"MEM0002",
                    {path, 0, 0},
                    "",
                    "cannot read the file of a memory's parameters",
                    path,
                    {},
                    "check that the path names a readable file of at most 1 MiB"};
}

}  // namespace

Result<Parameters> load_parameters(std::string_view name_or_path) {
  if (is_path(name_or_path)) {
    const std::string path(name_or_path);
    const Result<std::string> text = read_text(path);
    if (!text) return text.error();
    return parse_parameters(*text, path);
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
