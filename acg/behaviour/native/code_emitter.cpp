#include "acg/behaviour/native/code_emitter.h"

#include <fmt/format.h>
#include <set>

#include "acg/behaviour/uses.h"

namespace covenant::acg::behaviour::native {
namespace {

std::string number_type(const Range& range) { return fits_32(range) ? "int32_t" : "int64_t"; }

}  // namespace

std::vector<CodeList> lists_of(const Behaviour& behaviour) {
  std::vector<CodeList> lists;
  for (const Instruction& instruction : behaviour.instructions) {
    lists.push_back({&instruction.update, &instruction.fields});
  }
  for (const Process& process : behaviour.processes) lists.push_back({&process.code, nullptr});
  return lists;
}

std::string CodeEmitter::name_of(uint32_t slot) const {
  return fmt::format("{}v{}", slots_.at(slot).is_kept ? "f." : "", slot);
}

void CodeEmitter::bind() {
  scope_.names.clear();
  for (const auto& [slot, one] : slots_) {
    scope_.names[slot] = {name_of(slot), fits_32(one.range) ? 32 : 64, element_type(one.range), 0, nullptr, nullptr};
  }
}

std::string CodeEmitter::frame() const {
  std::string text = fmt::format("struct Frame{} {{\n", list_);
  for (const auto& [slot, one] : slots_) {
    if (!one.is_kept) continue;
    text += one.elements == 0 ? fmt::format("  {} v{};\n", number_type(one.range), slot)
                              : fmt::format("  {} v{}[{}];\n", element_type(one.range), slot, one.elements);
  }
  return text + "};\n";
}

std::string CodeEmitter::locals() const {
  std::string text;
  for (const auto& [slot, one] : slots_) {
    if (one.is_kept) continue;
    text += one.elements == 0 ? fmt::format("  {} v{};\n", number_type(one.range), slot)
                              : fmt::format("  {} v{}[{}];\n", element_type(one.range), slot, one.elements);
  }
  return text;
}

std::pair<std::string, std::string> CodeEmitter::list(uint32_t list, const CodeList& of) {
  list_ = list;
  code_ = of.code;
  slots_ = slots_of(behaviour_, *of.code, of.fields == nullptr ? std::vector<Field>{} : *of.fields);
  bind();
  expressions_.begin();
  expressions_.set_scope(scope_);
  std::string statements;
  for (uint32_t i = 0; i < code_->size(); ++i) statements += statement(i);
  std::string text = fmt::format(
      "static int list_{0}(Machine& m, Activity& a, uint32_t level) {{\n"
      "  Frame{0}& f = *static_cast<Frame{0}*>(a.frame[level]);\n  uint64_t work = m.work;\n",
      list_);
  text += expressions_.state_pointers() + locals() + "  switch (a.at[level]) {\n";
  const auto size = static_cast<uint32_t>(code_->size());
  for (const uint32_t place : resumptions(*code_)) {
    text += fmt::format("    case {}: goto {};\n", place, place == size ? "End" : fmt::format("L{}", place));
  }
  text += "    default: goto End;\n  }\n" + statements;
  return {frame(), text + fmt::format("End:\n  {}\n}}\n\n", leave(size, "kEnded"))};
}

std::string CodeEmitter::leave(uint32_t at, const char* outcome) const {
  return fmt::format("{{ m.work = work; a.at[level] = {}; return {}; }}", at, outcome);
}

std::string CodeEmitter::statement(uint32_t at) {
  expressions_.begin_statement();
  const Code& code = (*code_)[at];
  const std::string text = body(at, code);
  return fmt::format("L{0}: {{\n  const uint64_t before = work;\n  if (++work > kMostWork) {1}\n  {2}\n}}\n", at,
                     "{ evaluate(m, a, level, " + std::to_string(at) + ", before); return kFailed; }", text);
}

std::string CodeEmitter::or_else(uint32_t at, const std::string& taken) const {
  std::string text;
  if (expressions_.counts_work()) text += "if (work > kMostWork) bad = true; ";
  if (!expressions_.may_be_bad() && !expressions_.counts_work()) return text;
  text += "if (__builtin_expect(bad, 0)) { ";
  for (const uint32_t slot : uses_of((*code_)[at])) {
    const Slot& one = slots_.at(slot);
    if (one.elements == 0) {
      text += fmt::format("m.frame[{}] = {}; ", slot, name_of(slot));
    } else {
      text +=
          fmt::format("for (int64_t i = 0; i < {}; ++i) m.frame[{} + i] = {}[i]; ", one.elements, slot, name_of(slot));
    }
  }
  return text + fmt::format("if (!evaluate(m, a, level, {}, before)) return kFailed; work = m.work; {}}} ", at, taken);
}

std::string CodeEmitter::number(uint32_t at, const Expression& expression, const std::string& name) {
  const std::string type = number_type(range_of(expression));
  const std::string value = expressions_.number(expression).code;
  return fmt::format("bool bad = false; {0} {1} = ({0})({2}); {3}", type, name, value,
                     or_else(at, fmt::format("{} = ({})m.values[0]; ", name, type)));
}

std::string CodeEmitter::body(uint32_t at, const Code& code) {
  const auto label = [&](uint32_t target) {
    return target == code_->size() ? std::string("End") : fmt::format("L{}", target);
  };
  switch (code.kind) {
    case CodeKind::kLet:
      return let(at, code);
    case CodeKind::kAssign:
      return assign(at, code);
    case CodeKind::kJump:
      return fmt::format("goto {};", label(code.target));
    case CodeKind::kJumpUnless: {
      const Expression& condition = code.expressions.front();
      const std::string value = expressions_.truth(condition);
      return fmt::format("bool bad = false; bool is_true = {}; {}if (!is_true) goto {};", value,
                         or_else(at, "is_true = m.values[0] != 0; "), label(code.target));
    }
    case CodeKind::kEndStep:
      return number(at, code.expressions.front(), "cycles") +
             fmt::format("a.remaining = cycles > 1 ? cycles : 1; {}", leave(at + 1, "kStepped"));
    case CodeKind::kWait: {
      const bool is_timed = reads_cycle(behaviour_, code.expressions.front());
      return number(at, code.expressions.front(), "condition") +
             fmt::format("if (condition == 0) {{ {}{} }} a.has_done = true;", is_timed ? "m.is_still = false; " : "",
                         leave(at, "kWaits"));
    }
    case CodeKind::kPop:
      return pop(at, code);
    case CodeKind::kPush:
      return push(at, code);
    case CodeKind::kExecute:
      return execute(at, code);
    case CodeKind::kReply:
      return reply(at, code);
    case CodeKind::kFault:
      break;
  }
  return fmt::format("evaluate(m, a, level, {}, before); return kFailed;", at);
}

std::string CodeEmitter::let(uint32_t at, const Code& code) {
  const Expression& said = code.expressions.front();
  const std::string name = name_of(code.index);
  if (!said.type.is_array()) return number(at, said, "value") + fmt::format("{} = value;", name);
  const std::string element = element_type(slots_.at(code.index).range);
  const std::string filled = expressions_.fill(said, name, element);
  const std::string taken =
      fmt::format("for (int64_t i = 0; i < {}; ++i) {}[i] = ({})m.values[i]; ", said.type.elements(), name, element);
  return fmt::format("bool bad = false; {}{}", filled, or_else(at, taken));
}

std::string CodeEmitter::assign(uint32_t at, const Code& code) {
  const State& state = behaviour_.states[code.index];
  const Expression& said = code.expressions.front();
  const int64_t count = said.type.is_array() ? said.type.elements() : 1;
  const int64_t bytes = memory_bytes(state.type);
  const std::string element = memory_type(state.type);
  const std::string place = expressions_.place(code.expressions, 1, state.type.shape);
  const std::string filled = expressions_.fill(said, "out", element);
  const std::string taken =
      fmt::format("place = m.place; for (int64_t i = 0; i < {}; ++i) out[i] = ({})m.values[i]; ", count, element);
  return fmt::format(
      "bool bad = false; int64_t place = {0}; {1}* const __restrict out = ({1}*)begin_write(a.writes, {2}); {3}{4}"
      "end_write(a.writes, {5}, place, {6}, {7}, {8});",
      place, element, count * bytes, filled, or_else(at, taken), code.index, count, bytes,
      "m.states[" + std::to_string(code.index) + "].written != nullptr");
}

std::string CodeEmitter::pop(uint32_t at, const Code& code) {
  const Type& type = behaviour_.queues[code.queue].type;
  const Slot& slot = slots_.at(code.index);
  std::string text =
      fmt::format("Queue& q = m.queues[{0}]; if (!has_item(q)) {1} const {2}* const item = (const {2}*)oldest(q); ",
                  code.queue, leave(at, "kWaits"), memory_type(type));
  const std::string name = name_of(code.index);
  text += slot.elements == 0 ? fmt::format("{} = ({})item[0]; ", name, number_type(slot.range))
                             : fmt::format("for (int64_t i = 0; i < {}; ++i) {}[i] = ({})item[i]; ", slot.elements,
                                           name, element_type(slot.range));
  return text + "pop(m, q); a.has_done = true;";
}

std::string CodeEmitter::push(uint32_t at, const Code& code) {
  const Type& type = behaviour_.queues[code.queue].type;
  const std::string element = memory_type(type);
  const std::string filled = expressions_.fill(code.expressions.front(), "out", element);
  const std::string taken =
      fmt::format("for (int64_t i = 0; i < {}; ++i) out[i] = ({})m.values[i]; ", type.elements(), element);
  return fmt::format(
      "bool bad = false; Queue& q = m.queues[{0}]; if (!has_room(q)) {1} {2}* const __restrict out = ({2}*)newest(q); "
      "{3}{4}push(m, q); a.has_done = true;",
      code.queue, leave(at, "kWaits"), element, filled, or_else(at, taken));
}

std::string CodeEmitter::execute(uint32_t at, const Code& code) {
  const Expression& word = code.expressions.front();
  const std::string filled = expressions_.fill(word, "bytes", "uint8_t");
  const int64_t count = word.type.elements();
  std::string text = fmt::format(
      "bool bad = false; uint64_t bits[kCommandWords] = {{}}; uint8_t* const bytes = (uint8_t*)bits; {}{}", filled,
      or_else(at, fmt::format("for (int64_t i = 0; i < {}; ++i) bytes[i] = (uint8_t)m.values[i]; ", count)));
  text += fmt::format("bits[{}] |= {}ULL; ", 8 * count / 64, uint64_t{1} << (8 * count % 64));
  std::string exports;
  for (const uint32_t slot : uses_of(code)) {
    const Slot& one = slots_.at(slot);
    exports += fmt::format("for (int64_t i = 0; i < {}; ++i) m.frame[{} + i] = {}{}; ",
                           one.elements == 0 ? 1 : one.elements, slot, name_of(slot), one.elements == 0 ? "" : "[i]");
  }
  for (const uint32_t instruction : code.instructions) {
    text += fmt::format("if (is_{0}(bits)) {{ a.list[1] = {0}; work += {1}; enter_{0}(bits, a.frame[1]); }} else ",
                        instruction, behaviour_.instructions[instruction].slots);
  }
  return text + fmt::format(
                    "work = ~uint64_t{{0}}; if (work > kMostWork) {{ {0}evaluate(m, a, level, {1}, before); "
                    "return kFailed; }} a.at[1] = 0; a.depth = 2; {2}",
                    exports, at, leave(at + 1, "kEntered"));
}

std::string CodeEmitter::reply(uint32_t at, const Code& code) {
  const Expression& said = code.expressions.front();
  const int64_t count = said.type.is_array() ? said.type.elements() : 1;
  const std::string filled = expressions_.fill(said, "out", "int64_t");
  const std::string taken = fmt::format("for (int64_t i = 0; i < {}; ++i) out[i] = m.values[i]; ", count);
  return fmt::format("bool bad = false; int64_t out[{0}]; {1}{2}reply(m, out, {0});", count, filled,
                     or_else(at, taken));
}

}  // namespace covenant::acg::behaviour::native
