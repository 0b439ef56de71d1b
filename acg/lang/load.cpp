#include "acg/lang/load.h"

#include <fmt/format.h>
#include <fstream>
#include <sstream>

#include "acg/base/failure.h"
#include "acg/base/suggest.h"
#include "acg/graph/validate.h"
#include "acg/lang/builtin.h"
#include "acg/lang/parser.h"
#include "acg/lang/resolve.h"

namespace covenant::acg {
namespace {

struct MachineName {
  std::string base;
  std::string preset;
};

bool is_path(std::string_view base) { return base.ends_with(".acg") || base.find('/') != std::string_view::npos; }

/// `base:preset`; the last colon counts, so that a path may hold others.
MachineName split(std::string_view spec) {
  const size_t colon = spec.rfind(':');
  if (colon == std::string_view::npos || spec.find('/', colon) != std::string_view::npos)
    return {std::string(spec), ""};
  return {std::string(spec.substr(0, colon)), std::string(spec.substr(colon + 1))};
}

Result<std::string> read_text(const std::string& path) {
  // By way of a buffer: reading a folder throws from an iterator, but only marks a stream as bad.
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file && file.peek() != std::ifstream::traits_type::eof()) text << file.rdbuf();
  if (file.is_open() && !file.bad() && text.good()) return text.str();
  return Diagnostic{
      "ACG0008", {path, 0, 0}, "", "cannot read the file", path, {}, "check that the path names a readable file"};
}

}  // namespace

Result<Machine> parse_machine(std::string_view text, std::string_view file_name, std::string_view preset,
                              const std::vector<std::pair<std::string, std::string>>& set) {
  return guarded<Machine>([&] {
    lang::Resolved resolved = lang::resolve(lang::parse_spec(text, file_name), preset, set);
    const Status valid = validate(resolved.machine, resolved.places);
    if (!valid) throw Failure{valid.error()};
    return std::move(resolved.machine);
  });
}

Result<Machine> load_machine(std::string_view spec, const std::vector<std::pair<std::string, std::string>>& set) {
  const MachineName name = split(spec);
  if (is_path(name.base)) {
    const Result<std::string> text = read_text(name.base);
    if (!text) return text.error();
    return parse_machine(*text, name.base, name.preset, set);
  }
  for (const lang::BuiltinText& builtin : lang::builtin_texts()) {
    if (builtin.name == name.base) return parse_machine(builtin.text, builtin.file_name, name.preset, set);
  }
  std::vector<std::string> known = builtin_machines();
  std::string fix = suggest(name.base, known) + "; a file's path ends in .acg or contains /";
  return Diagnostic{"ACG0007", {}, "", "unknown machine", name.base, std::move(known), std::move(fix)};
}

std::vector<std::string> builtin_machines() {
  std::vector<std::string> names;
  for (const lang::BuiltinText& builtin : lang::builtin_texts()) names.emplace_back(builtin.name);
  return names;
}

std::vector<std::string> builtin_presets(std::string_view machine) {
  std::vector<std::string> names;
  for (const lang::BuiltinText& builtin : lang::builtin_texts()) {
    if (builtin.name != machine) continue;
    for (const lang::PresetSpec& preset : lang::parse_spec(builtin.text, builtin.file_name).presets) {
      names.push_back(preset.name.text);
    }
  }
  return names;
}

}  // namespace covenant::acg
