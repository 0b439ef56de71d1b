/// Loads a machine from a name, a file or a text, ready for use.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "acg/lang/include.h"

namespace covenant::acg {

/// Reads the file `written`, relative to the folder of `from`, or else the builtin text whose file has this name.
/// Error: ACG0008.
Result<lang::IncludedText> read_include(const std::string& from, const std::string& written);

/// The machine called `spec`: a builtin name (`genesys`) or a path (it ends in `.acg` or contains `/`), optionally
/// followed by `:PRESET` (`genesys:8x8`). `set` are parameters and the expressions that they take: {{"M", "32"}}. The
/// machine has passed `validate`. Errors: ACG0007 (no such builtin), ACG0008 (file cannot be read) and those of
/// parse_machine.
///
///     Result<Machine> machine = load_machine("genesys:8x8", {{"axi", "64"}});
Result<Machine> load_machine(std::string_view spec, const std::vector<std::pair<std::string, std::string>>& set = {});

/// The text that a name or a path stands for, the name of its file, and which of its presets is asked for.
struct MachineText {
  std::string text;
  std::string file_name;
  std::string preset;
};

/// The text of the machine `spec`, as load_machine takes it. Errors: ACG0007 (`known` are the names that would do),
/// ACG0008.
Result<MachineText> machine_text(std::string_view spec, std::vector<std::string> known);

/// Everything that `set` may name, with its value, including options that a machine does not list while they have their
/// defaults. Works for machines that do not pass `validate`, too. Errors: as load_machine, except those of `validate`.
Result<std::map<std::string, int64_t>> machine_parameters(
    std::string_view spec, const std::vector<std::pair<std::string, std::string>>& set = {});

/// The machine that `text` describes; `file_name` is for messages. An empty `preset` selects the text's own default.
/// `read` loads included files. Errors: all of docs/reference/diagnostics/ACG.md except ACG0007 and ACG0029;
/// BEH0015 (a machine that is driven by commands).
Result<Machine> parse_machine(std::string_view text, std::string_view file_name, std::string_view preset = {},
                              const std::vector<std::pair<std::string, std::string>>& set = {},
                              const lang::ReadInclude& read = read_include);

/// Names that `load_machine` takes without a file, in alphabetical order.
std::vector<std::string> builtin_machines();
/// Names that `behaviour::load_behaviour` takes without a file, in alphabetical order.
std::vector<std::string> builtin_command_machines();
/// Presets of a builtin machine in the order of its text; empty if there is no such machine.
std::vector<std::string> builtin_presets(std::string_view machine);

}  // namespace covenant::acg
