#include "acg/lang/load.h"

#include <filesystem>
#include <fmt/format.h>
#include <optional>

#include "acg/base/failure.h"
#include "acg/base/suggest.h"
#include "acg/base/text_file.h"
#include "acg/lang/builtin.h"
#include "acg/lang/parameters.h"
#include "acg/lang/parser.h"
#include "acg/lang/resolve.h"
#include "acg/validate/validate.h"

namespace covenant::acg {
namespace {

struct MachineName {
  std::string base;
  std::string preset;
};

constexpr uint64_t kMaxFileBytes = uint64_t{16} << 20;

bool is_path(std::string_view base) { return base.ends_with(".acg") || base.find('/') != std::string_view::npos; }

/// Splits `base:preset` at the last colon, so that a path may contain colons.
MachineName split(std::string_view spec) {
  const size_t colon = spec.rfind(':');
  if (colon == std::string_view::npos || spec.find('/', colon) != std::string_view::npos)
    return {std::string(spec), ""};
  return {std::string(spec.substr(0, colon)), std::string(spec.substr(colon + 1))};
}

Result<std::string> read_text(const std::string& path) {
  if (std::optional<std::string> text = read_text_file(path, kMaxFileBytes)) return *std::move(text);
  return Diagnostic{
      "ACG0008", {path, 0, 0}, "", "cannot read the file", path, {}, "check that the path names a readable file"};
}

std::vector<std::string> builtins_of(lang::BuiltinKind kind) {
  std::vector<std::string> names;
  for (const lang::BuiltinText& builtin : lang::builtin_texts()) {
    if (builtin.kind == kind) names.emplace_back(builtin.name);
  }
  return names;
}

Diagnostic driven_by_commands(const lang::Word& name) {
  return {"BEH0015",
          name.where,
          "",
          "a machine that is driven by commands, where one is needed that programs run on",
          name.text,
          builtin_machines(),
          fmt::format("send it commands: covenant replay FILE -m {}", name.text)};
}

}  // namespace

Result<MachineText> machine_text(std::string_view spec, std::vector<std::string> known) {
  MachineName name = split(spec);
  if (is_path(name.base)) {
    Result<std::string> text = read_text(name.base);
    return text ? Result<MachineText>(MachineText{*std::move(text), name.base, name.preset}) : text.error();
  }
  for (const lang::BuiltinText& builtin : lang::builtin_texts()) {
    if (builtin.kind != lang::BuiltinKind::kIncluded && builtin.name == name.base) {
      return MachineText{std::string(builtin.text), std::string(builtin.file_name), name.preset};
    }
  }
  std::string fix = suggest(name.base, known) + "; a file's path ends in .acg or contains /";
  return Diagnostic{"ACG0007", {}, "", "unknown machine", name.base, std::move(known), std::move(fix)};
}

Result<lang::IncludedText> read_include(const std::string& from, const std::string& written) {
  const std::filesystem::path beside = (std::filesystem::path(from).parent_path() / written).lexically_normal();
  Result<std::string> text = read_text(beside.string());
  if (text) return lang::IncludedText{beside.string(), *std::move(text)};
  for (const lang::BuiltinText& builtin : lang::builtin_texts()) {
    if (std::filesystem::path(builtin.file_name).filename() != written) continue;
    return lang::IncludedText{std::string(builtin.file_name), std::string(builtin.text)};
  }
  Diagnostic diagnostic = text.error();
  diagnostic.allowed = {"a file beside this one", "the file of a builtin machine"};
  return diagnostic;
}

Result<Machine> parse_machine(std::string_view text, std::string_view file_name, std::string_view preset,
                              const std::vector<std::pair<std::string, std::string>>& set,
                              const lang::ReadInclude& read) {
  return guarded<Machine>([&] {
    const lang::MachineSpec spec = lang::parse_spec(text, file_name, read);
    if (spec.has_behaviour) throw Failure{driven_by_commands(spec.name)};
    lang::Resolved resolved = lang::resolve(spec, preset, set);
    const Status valid = validate(resolved.machine, resolved.places);
    if (!valid) throw Failure{valid.error()};
    return std::move(resolved.machine);
  });
}

Result<Machine> load_machine(std::string_view spec, const std::vector<std::pair<std::string, std::string>>& set) {
  const Result<MachineText> found = machine_text(spec, builtin_machines());
  return found ? parse_machine(found->text, found->file_name, found->preset, set) : found.error();
}

Result<std::map<std::string, int64_t>> machine_parameters(std::string_view spec,
                                                          const std::vector<std::pair<std::string, std::string>>& set) {
  const Result<MachineText> found = machine_text(spec, builtin_machines());
  if (!found) return found.error();
  return guarded<std::map<std::string, int64_t>>([&] {
    return lang::parameter_values(lang::parse_spec(found->text, found->file_name, read_include), found->preset, set)
        .values;
  });
}

std::vector<std::string> builtin_machines() { return builtins_of(lang::BuiltinKind::kMachine); }
std::vector<std::string> builtin_command_machines() { return builtins_of(lang::BuiltinKind::kCommandMachine); }

std::vector<std::string> builtin_presets(std::string_view machine) {
  std::vector<std::string> names;
  for (const lang::BuiltinText& builtin : lang::builtin_texts()) {
    if (builtin.kind == lang::BuiltinKind::kIncluded || builtin.name != machine) continue;
    for (const lang::PresetSpec& preset : lang::parse_spec(builtin.text, builtin.file_name, read_include).presets) {
      names.push_back(preset.name.text);
    }
  }
  return names;
}

}  // namespace covenant::acg
