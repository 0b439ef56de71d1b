#include "acg/validate/validate.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "acg/base/suggest.h"
#include "acg/encoding/instruction_word.h"
#include "acg/graph/limits.h"
#include "acg/graph/queries.h"
#include "acg/validate/validate_context.h"

namespace covenant::acg {
namespace checks {

void refuse(SourceLocation where, std::string subject, Problem problem) {
  throw Failure{{std::string(problem.code), std::move(where), std::move(subject), std::move(problem.message),
                 std::move(problem.offending), std::move(problem.allowed), std::move(problem.fix)}};
}

bool is_word(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (name.empty() || !is_letter(name[0])) return false;
  for (char c : name) {
    if (!is_letter(c) && (c < '0' || c > '9')) return false;
  }
  return true;
}

bool is_quotable(std::string_view name) {
  for (char c : name) {
    if (c < ' ' || c > '~' || c == '"') return false;
  }
  return !name.empty();
}

namespace {

void check_name(const SourceLocation& where, const std::string& subject, const std::string& name) {
  if (is_word(name)) return;
  refuse(where, subject,
         {"ACG0013",
          "a name that the text form cannot spell",
          name,
          {"letters, digits and _, not starting with a digit"},
          "choose another name"});
}

void check_settings(const Context& context) {
  const Machine& machine = context.machine;
  check_name(context.of_machine(""), "machine", machine.name);
  for (const auto& [name, value] : machine.parameters) check_name(context.of_machine(""), "param", name);
  if (!machine.preset.empty() && !is_quotable(machine.preset)) {
    refuse(context.of_machine(""), "preset",
           {"ACG0013",
            "a name that the text form cannot spell",
            machine.preset,
            {"printable ASCII without quotes"},
            "choose another name"});
  }
  if (!(machine.clock_hertz >= 1 && machine.clock_hertz <= 1e12)) {
    refuse(context.of_machine("clock"), "machine",
           {"ACG0013",
            "clock is out of range",
            fmt::format("{} Hz", machine.clock_hertz),
            {"1 Hz..1000 GHz"},
            "give a clock such as `clock = 1 GHz;`"});
  }
  if (machine.word_bits < 8 || machine.word_bits > kMostWordBits || machine.word_bits % 8 != 0) {
    refuse(context.of_machine("word"), "machine",
           {"ACG0013", "word is out of range", fmt::format("{}", machine.word_bits), word_widths(),
            "give whole bytes, at most 32 of them: `word = 64;`"});
  }
  if (const Limits limits = opcode_bits_limits(machine.word_bits); !limits.contains(machine.opcode_bits)) {
    refuse(context.of_machine("opcode"), "machine",
           {"ACG0013",
            "opcode is out of range",
            fmt::format("{}", machine.opcode_bits),
            {text_of(limits)},
            "give the number of opcode bits"});
  }
}

/// Checks a name such as `SIMD.LANE0`: words separated by dots, of which all but the last name the enclosing node.
void check_node_name(const Context& context, const SourceLocation& where, const std::string& subject,
                     const std::string& name) {
  const size_t dot = name.rfind('.');
  if (dot == std::string::npos) return check_name(where, subject, name);
  check_name(where, subject, name.substr(dot + 1));
  const std::string outer = name.substr(0, dot);
  if (find_memory(context.machine, outer) || find_compute(context.machine, outer)) return;
  std::vector<std::string> names;
  for (const Memory& memory : context.machine.memories) names.push_back(memory.name);
  for (const Compute& compute : context.machine.computes) names.push_back(compute.name);
  std::string fix = suggest(outer, names);
  refuse(where, subject,
         {"ACG0046", "an inner node without the node around it", outer, std::move(names), std::move(fix)});
}

void check_dtypes(const Context& context) {
  std::set<std::string> names;
  for (const NamedDType& dtype : context.machine.dtypes) {
    const std::string path = "dtype " + dtype.name;
    const SourceLocation where = context.where(path, context.of_machine(""));
    check_name(where, "dtype", dtype.name);
    if (dtype.name == "fixed" || capability_dtype_named(dtype.name) || !names.insert(dtype.name).second) {
      refuse(where, "dtype",
             {"ACG0004", "an element type that there is already", dtype.name, {}, "choose another name"});
    }
    if (kElementBits.contains(dtype.bits)) continue;
    refuse(context.where(path + " bits", where), path,
           {"ACG0013",
            "bits is out of range",
            fmt::format("{}", dtype.bits),
            {text_of(kElementBits)},
            "say how wide it is: `bits = 8;`"});
  }
}

/// Names of nodes are unique, and so are names of mnemonics. (The parser of the text form has checked this already; the
/// reader of JSON has not.)
void check_names(const Context& context) {
  std::set<std::string> nodes, mnemonics;
  const auto declare = [&](std::set<std::string>& names, const std::string& name, const SourceLocation& where,
                           const std::string& subject) {
    subject == "mnemonic" ? check_name(where, subject, name) : check_node_name(context, where, subject, name);
    if (names.insert(name).second) return;
    refuse(where, subject, {"ACG0004", "a name declared twice", name, {}, "give one of the two another name"});
  };
  for (const Memory& memory : context.machine.memories) declare(nodes, memory.name, memory.where, "memory");
  for (const Compute& compute : context.machine.computes) declare(nodes, compute.name, compute.where, "compute");
  for (const Mnemonic& entry : context.machine.mnemonics) declare(mnemonics, entry.name, entry.where, "mnemonic");
}

}  // namespace
}  // namespace checks

Status validate(const Machine& machine, const Places& places) {
  return guarded<Done>([&] {
    const checks::Context context{machine, places};
    checks::check_settings(context);
    checks::check_dtypes(context);
    checks::check_names(context);
    checks::check_memories(context);
    checks::check_edges(context);
    checks::check_computes(context);
    checks::check_numerics(context);
    checks::check_packet_rules(context);
    checks::check_mnemonics(context);
    checks::check_parse_bits(context);
    checks::check_use(context);
    return Done{};
  });
}

}  // namespace covenant::acg
