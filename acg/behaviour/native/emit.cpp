#include "acg/behaviour/native/emit.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>
#include <vector>

#include "acg/behaviour/native/code_emitter.h"
#include "acg/behaviour/native/texts.h"
#include "acg/behaviour/uses.h"
#include "acg/behaviour/values.h"

namespace covenant::acg::behaviour::native {
namespace {

/// Folder of the headers, as in this repository.
constexpr std::string_view kFolder = "acg/behaviour/native/";

/// Elements of a large state that have not been written have the numbers of its text.
std::string initial_values(const Behaviour& behaviour) {
  std::string text;
  for (uint32_t i = 0; i < behaviour.states.size(); ++i) {
    const State& state = behaviour.states[i];
    if (state.initial.empty() || state.type.elements() <= kMostFilled) continue;
    const std::string type = memory_type(state.type);
    text += fmt::format("static const {0} numbers_{1}[] = {{{2}}};\n", type, i, fmt::join(state.initial, ", "));
    text += fmt::format(
        "static inline {0} initial_{1}(const {0}* elements, const uint8_t* written, int64_t at) {{ "
        "return is_set(written, at) ? elements[at] : numbers_{1}[at % {2}]; }}\n",
        type, i, state.initial.size());
  }
  return text;
}

/// Which commands an instruction is, and the fields that it reads.
std::string decoding(const Behaviour& behaviour, uint32_t index) {
  const Instruction& instruction = behaviour.instructions[index];
  std::string tests;
  for (const BitTest& test : instruction.decode) {
    const std::string bits = fmt::format("bits_of(bits, {}, {})", test.at, test.bits);
    tests += tests.empty() ? "" : " && ";
    tests += test.low == test.high ? fmt::format("{} == {}U", bits, test.low)
                                   : fmt::format("{0} >= {1}U && {0} <= {2}U", bits, test.low, test.high);
  }
  std::string fields;
  for (const auto& [slot, one] : slots_of(behaviour, instruction.update, instruction.fields)) {
    const auto field = std::find_if(instruction.fields.begin(), instruction.fields.end(),
                                    [wanted = slot](const Field& other) { return other.variable.slot == wanted; });
    if (field == instruction.fields.end() || !one.is_kept) continue;
    const Type& type = field->variable.type;
    for (int64_t i = 0; i < type.elements(); ++i) {
      const std::string bits = fmt::format("bits_of(bits, {}, {})", field->at + i * type.bits, type.bits);
      fields += fmt::format("  f.v{}{} = ", slot, one.elements == 0 ? "" : fmt::format("[{}]", i));
      fields += type.is_signed ? fmt::format("(int64_t)({0} << {1}) >> {1};\n", bits, 64 - type.bits) : bits + ";\n";
    }
  }
  return fmt::format(
      "static inline bool is_{0}(const uint64_t* bits) {{ return {1}; }}\n"
      "static inline void enter_{0}(const uint64_t* bits, void* frame) {{\n"
      "  Frame{0}& f = *static_cast<Frame{0}*>(frame);\n{2}}}\n\n",
      index, tests, fields);
}

std::string decode(const Behaviour& behaviour) {
  std::string text =
      "static int64_t decode(Machine* m, uint64_t port, const uint64_t* bits) {\n"
      "  void* const frame = m->activities[0].frame[0];\n  switch (port) {\n";
  for (uint32_t port = 0; port < behaviour.ports.size(); ++port) {
    if (behaviour.ports[port].is_stream) continue;
    text += fmt::format("    case {}:\n", port);
    for (uint32_t i = 0; i < behaviour.instructions.size(); ++i) {
      if (behaviour.instructions[i].port != port) continue;
      text += fmt::format("      if (is_{0}(bits)) {{ enter_{0}(bits, frame); return {0}; }}\n", i);
    }
    text += "      return -1;\n";
  }
  return text + "    default: return -1;\n  }\n}\n\n";
}

std::string interrupt(const Behaviour& behaviour, ExpressionEmitter& expressions) {
  if (behaviour.interrupt.empty()) return "int asks(Machine&) { return 0; }\nconst bool asks_for_time = false;\n\n";
  Scope none;
  expressions.begin();
  expressions.begin_statement();
  expressions.set_scope(none);
  const std::string truth = expressions.truth(behaviour.interrupt.front());
  return fmt::format(
      "int asks(Machine& m) {{\n{}  bool bad = false;\n  uint64_t work = 0;\n  const bool is_true = {};\n"
      "  return bad || work > kMostWork ? -3 : is_true;\n}}\nconst bool asks_for_time = {};\n\n",
      expressions.state_pointers(), truth, reads_cycle(behaviour, behaviour.interrupt.front()));
}

std::string waits_for_time(const Behaviour& behaviour, const std::vector<CodeList>& lists) {
  std::string text = "bool waits_for_time(uint32_t list, uint32_t at) {\n";
  for (size_t i = 0; i < lists.size(); ++i) {
    for (size_t at = 0; at < lists[i].code->size(); ++at) {
      const Code& code = (*lists[i].code)[at];
      if (code.kind != CodeKind::kWait || !reads_cycle(behaviour, code.expressions.front())) continue;
      text += fmt::format("  if (list == {} && at == {}) return true;\n", i, at);
    }
  }
  return text + "  return false;\n}\n\n";
}

std::string tables(const Behaviour& behaviour, const std::vector<CodeList>& lists) {
  std::string sizes, frames, runs;
  uint64_t numbers = 1;
  for (const Instruction& instruction : behaviour.instructions)
    numbers = std::max<uint64_t>(numbers, instruction.slots);
  for (const Process& process : behaviour.processes) numbers = std::max<uint64_t>(numbers, process.slots);
  for (size_t i = 0; i < lists.size(); ++i) {
    sizes += fmt::format("{}, ", lists[i].code->size());
    frames += fmt::format("sizeof(Frame{}), ", i);
    runs += fmt::format("    case {0}: return list_{0}(machine, activity, level);\n", i);
  }
  return fmt::format(
      "const uint32_t list_sizes[] = {{{}0}};\nstatic const uint64_t frame_bytes[] = {{{}0}};\n"
      "int run_list(Machine& machine, Activity& activity, uint32_t level) {{\n  switch (activity.list[level]) {{\n{}"
      "    default: return kFailed;\n  }}\n}}\n\n"
      "static int tick_machine(Machine* m) {{ return cycle(*m); }}\n"
      "static int run_machine(Machine* m, uint64_t most_cycles) {{ return run(*m, most_cycles); }}\n"
      "static int end_command(Machine* m, uint64_t most_cycles) {{ return command(*m, most_cycles); }}\n"
      "static int asks_host(Machine* m) {{ return asks(*m); }}\n\n"
      "extern \"C\" __attribute__((visibility(\"default\"))) const Library covenant_machine;\n"
      "const Library covenant_machine = {{{}, frame_bytes, {}, decode, tick_machine, run_machine, end_command, "
      "asks_host}};\n",
      sizes, frames, runs, lists.size(), numbers);
}

}  // namespace

std::map<std::string, std::string> emit(const Behaviour& behaviour) {
  std::map<std::string, std::string> files;
  for (const SourceText& text : machine_texts()) files.emplace(fmt::format("{}{}", kFolder, text.name), text.text);
  const std::vector<CodeList> lists = lists_of(behaviour);
  ExpressionEmitter expressions(behaviour);
  CodeEmitter codes(behaviour, expressions);
  std::string frames, decodes, bodies;
  std::string text = "#include \"acg/behaviour/native/runtime.h\"\n\nnamespace covenant::acg::behaviour::native {\n\n";
  text += initial_values(behaviour) + expressions.functions();
  for (uint32_t i = 0; i < lists.size(); ++i) {
    const auto [frame, body] = codes.list(i, lists[i]);
    frames += frame;
    bodies += body;
  }
  for (uint32_t i = 0; i < behaviour.instructions.size(); ++i) decodes += decoding(behaviour, i);
  text += frames + decodes + bodies + decode(behaviour) + interrupt(behaviour, expressions);
  text += waits_for_time(behaviour, lists) + tables(behaviour, lists);
  files[kSource] = text + "\n}  // namespace covenant::acg::behaviour::native\n";
  return files;
}

}  // namespace covenant::acg::behaviour::native
