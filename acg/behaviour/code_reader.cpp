#include "acg/behaviour/code_reader.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "acg/base/failure.h"
#include "acg/behaviour/replies.h"

namespace covenant::acg::behaviour {
namespace {

Failure misplaced(const SourceLocation& where, const std::string& statement, const char* allowed, const char* fix) {
  return Failure{{"BEH0009", where, "", "a statement that may not stand here", statement, {allowed}, fix}};
}

}  // namespace

using lang::Word;

std::vector<Code> CodeReader::code(Place place, uint32_t port) {
  code_.clear();
  listing_.clear();
  place_ = place;
  port_ = port;
  is_in_step_ = false;
  branches_ = 0;
  statements();
  return std::exchange(code_, {});
}

Code& CodeReader::add(CodeKind kind, const SourceLocation& where) {
  Code& made = code_.emplace_back();
  made.kind = kind;
  made.where = where;
  return made;
}

/// Statements between braces; their names end with them.
void CodeReader::statements() {
  const size_t before = names();
  open();
  block([this] { statement(); });
  close();
  forget_after(before);
}

void CodeReader::statement() {
  if (at_word("let")) return let_or_pop();
  if (at_word("push")) return push();
  if (at_word("wait")) return wait();
  if (at_word("step")) return step();
  if (at_word("for")) return loop_statement();
  if (at_word("if")) return branch();
  if (at_word("execute")) return execute();
  if (at_word("reply")) return reply();
  if (at_word("fault")) return fault();
  assignment();
}

std::vector<Code> CodeReader::let() {
  std::vector<Code> result;
  const SourceLocation where = advance().where;
  const Word name = word("a name");
  require("=");
  Expression said = value();
  require(";");
  listed("let " + name.text + " = " + as_text(said));
  const auto add_one = [&](const Word& one, Expression value) {
    Code& made = result.emplace_back();
    made.where = where;
    made.index = declare(one, value.type, value.range).slot;
    made.expressions.push_back(std::move(value));
  };
  if (said.op != Op::kRecord) {
    add_one(name, std::move(said));
    return result;
  }
  require_new(name);
  const std::vector<Member>& members = behaviour_.records[said.index].members;
  for (size_t i = 0; i < members.size(); ++i) {
    add_one({name.text + "." + members[i].name, name.where}, std::move(said.children[i]));
  }
  name_local_record(name, said.index);
  return result;
}

/// `let x = pop(QUEUE);` or another `let`.
void CodeReader::let_or_pop() {
  const size_t start = position();
  const SourceLocation where = advance().where;
  const Word name = word("a name");
  require("=");
  if (!at_word("pop")) {
    rewind(start);
    for (Code& one : let()) code_.push_back(std::move(one));
    return;
  }
  require_outside_of_steps(where, "pop");
  advance();
  require("(");
  const uint32_t from = queue(word("a queue"));
  require(")");
  require(";");
  const Type& type = behaviour_.queues[from].type;
  const uint32_t slot = declare(name, type, type.range()).slot;
  listed(fmt::format("let {} = pop({})", name.text, behaviour_.queues[from].name));
  Code& made = add(CodeKind::kPop, where);
  made.index = slot;
  made.queue = from;
}

void CodeReader::push() {
  const SourceLocation where = advance().where;
  require_outside_of_steps(where, "push");
  require("(");
  const Word name = word("a queue");
  const uint32_t into = queue(name);
  require(",");
  Expression said = value();
  require_fits(said, behaviour_.queues[into].type, name.text);
  require(")");
  require(";");
  listed(fmt::format("push({}, {})", name.text, as_text(said)));
  Code& made = add(CodeKind::kPush, where);
  made.queue = into;
  made.expressions.push_back(std::move(said));
}

/// `wait items(q) > 0;`: until it is true before a cycle.
void CodeReader::wait() {
  const SourceLocation where = advance().where;
  require_outside_of_steps(where, "wait");
  Expression condition = number();
  require(";");
  listed("wait " + as_text(condition));
  add(CodeKind::kWait, where).expressions.push_back(std::move(condition));
}

/// `step { cycles = 4; ... }`: all of it reads the state that was before.
void CodeReader::step() {
  const SourceLocation where = advance().where;
  require_outside_of_steps(where, "step");
  Expression cycles = constant_of(1, where);
  const size_t before = names();
  open();
  require("{");
  if (at_word("cycles") && peek_next().text == "=") {
    advance();
    advance();
    cycles = number();
    require_fits(cycles, {32, false, {}}, "cycles");
    require(";");
  }
  is_in_step_ = true;
  const bool is_one = cycles.op == Op::kConstant && cycles.value <= 1;
  listed(is_one ? "step" : fmt::format("step of {} cycles", as_text(cycles)), [&] {
    while (!at_symbol("}")) {
      if (peek().kind == lang::TokenKind::kEnd) throw expected("}", "close the block with }");
      statement();
    }
  });
  advance();
  is_in_step_ = false;
  close();
  forget_after(before);
  end_step(std::move(cycles), where);
}

void CodeReader::end_step(Expression cycles, const SourceLocation& where) {
  add(CodeKind::kEndStep, where).expressions.push_back(std::move(cycles));
}

/// `for x in 0..size - 1 { }`: not at all if the second is less than the first.
void CodeReader::loop_statement() {
  const SourceLocation where = advance().where;
  const Word name = word("the name of a variable");
  if (!at_word("in")) throw expected("in");
  advance();
  Expression low = number();
  require("..");
  Expression high = number();
  const size_t before = names();
  const int64_t highest_begin = low.range.high;
  const Range range{low.range.low, std::max(low.range.low, high.range.high)};
  const Variable last = declare({name.text + " ends", name.where}, {}, high.range);
  // One more than the last, when the loop has ended.
  if (range.high > 0 && static_cast<uint64_t>(range.high) + 1 > (uint64_t{1} << 62)) {
    throw Failure{{"BEH0003", where, "", "a loop over numbers of more than 62 bits", "", {}, "count from 0"}};
  }
  const Variable variable = declare(name, {}, range);
  const std::string text = fmt::format("for {} in {}..{}", name.text, as_text(low), as_text(high));
  Code& bound = add(CodeKind::kLet, where);
  bound.index = last.slot;
  bound.expressions.push_back(std::move(high));
  Code& first = add(CodeKind::kLet, where);
  first.index = variable.slot;
  first.expressions.push_back(std::move(low));

  const auto local = [&](const Variable& of) {
    Expression made;
    made.op = Op::kLocal;
    made.index = of.slot;
    made.range = of.range;
    made.where = where;
    return made;
  };
  const auto two = [&](Op op, Expression left, Expression right) {
    Expression made;
    made.op = op;
    made.where = where;
    made.children = {std::move(left), std::move(right)};
    return made;
  };
  const uint32_t head = here();
  Expression counter = local(variable);
  counter.range.high = std::max(range.high + 1, highest_begin);
  add(CodeKind::kJumpUnless, where).expressions.push_back(two(Op::kLessEqual, std::move(counter), local(last)));
  Statement& loop = listed(text, [&] { statements(); });
  loop.is_loop = true;
  loop.counter = range;
  Code& next = add(CodeKind::kLet, where);
  next.index = variable.slot;
  next.expressions.push_back(two(Op::kAdd, local(variable), constant_of(1, where)));
  add(CodeKind::kJump, where).target = head;
  code_[head].target = here();
  forget_after(before);
}

void CodeReader::branch() {
  const SourceLocation where = advance().where;
  const uint32_t test = here();
  add(CodeKind::kJumpUnless, where);
  Expression condition = number();
  const std::string text = as_text(condition);
  code_[test].expressions.push_back(std::move(condition));
  listed("if " + text, [&] { statements(); });
  if (!at_word("else")) {
    code_[test].target = here();
    return;
  }
  const uint32_t skip = here();
  add(CodeKind::kJump, advance().where);
  code_[test].target = here();
  constexpr int kMostBranches = 1000;  // protects the stack
  if (++branches_ > kMostBranches) throw expected("fewer branches", "decide by a table");
  listed("else", [&] { at_word("if") ? branch() : statements(); });
  --branches_;
  code_[skip].target = here();
}

/// `execute(word, gemm, alu);`: the word is one of these instructions, or the machine faults.
void CodeReader::execute() {
  const SourceLocation where = advance().where;
  require_outside_of_steps(where, "execute");
  if (place_ != Place::kProcess) {
    throw misplaced(where, "execute", "in a process", "let a process execute words, which it pops from a queue");
  }
  require("(");
  Code made;
  made.kind = CodeKind::kExecute;
  made.where = where;
  made.expressions.push_back(value());
  while (accept(",")) {
    const Word name = word("an instruction");
    std::vector<std::string> known;
    for (uint32_t i = 0; i < behaviour_.instructions.size(); ++i) {
      const Instruction& one = behaviour_.instructions[i];
      if (!behaviour_.ports[one.port].is_stream) continue;
      known.push_back(one.name);
      if (one.name == name.text) made.instructions.push_back(i);
    }
    if (made.instructions.empty() || behaviour_.instructions[made.instructions.back()].name != name.text) {
      throw unknown(name, "no instruction of a stream has this name", std::move(known));
    }
  }
  if (made.instructions.empty()) throw expected("an instruction", "name those that the word may be");
  const uint32_t port = behaviour_.instructions[made.instructions.front()].port;
  for (const uint32_t one : made.instructions) {
    if (behaviour_.instructions[one].port == port) continue;
    throw Failure{{"BEH0009",
                   where,
                   "",
                   "instructions of several streams",
                   behaviour_.instructions[one].name,
                   {behaviour_.ports[port].name},
                   "execute words of one stream"}};
  }
  require_fits(made.expressions.front(), {8, false, {behaviour_.ports[port].data_bits / 8}},
               behaviour_.ports[port].name);
  require(")");
  require(";");
  std::string names;
  for (const uint32_t one : made.instructions) names += ", " + behaviour_.instructions[one].name;
  listed(fmt::format("execute({}{})", as_text(made.expressions.front()), names));
  code_.push_back(std::move(made));
}

/// `reply = value;`: what the host reads.
void CodeReader::reply() {
  const SourceLocation where = advance().where;
  require("=");
  Expression said = value();
  require(";");
  if (place_ != Place::kUpdate) {
    throw misplaced(where, "reply", "in the update of an instruction of a port", "reply to a command of the host");
  }
  listed("reply = " + as_text(said));
  const int64_t bytes = behaviour_.ports[port_].data_bits / 8;
  Expression made = said.op == Op::kRecord ? packed(said, bytes) : std::move(said);
  require_room(made, bytes);
  add(CodeKind::kReply, where).expressions.push_back(std::move(made));
}

void CodeReader::fault() {
  const SourceLocation where = advance().where;
  Code& made = add(CodeKind::kFault, where);
  made.text = string("what is wrong").text;
  listed(fmt::format("fault \"{}\"", made.text));
  require(";");
}

/// `acc[i][j] = value;`: outside of a step, a step of its own.
void CodeReader::assignment() {
  const Word name = qualified("a statement");
  const std::optional<uint32_t> found = state(name.text);
  Expression place;
  place.where = name.where;
  if (found && !behaviour_.states[*found].is_table) {
    place.op = Op::kState;
    place.index = *found;
    indices(place, behaviour_.states[*found].type);
  } else if (std::optional<Expression> of_record = record_state(name)) {
    place = *std::move(of_record);
  } else {
    std::vector<std::string> known{"let", "push", "wait", "step", "for", "if", "execute", "reply", "fault"};
    for (const State& one : behaviour_.states) {
      if (!one.is_table) known.push_back(one.name);
    }
    throw unknown(name, "neither a statement nor a state of the machine", std::move(known));
  }
  require("=");
  Expression said = value();
  require(";");
  listed(as_text(place) + " = " + as_text(said));
  if (place.op != Op::kRecord) {
    require_fits(said, place.type, name.text);
    assign(place.index, std::move(said), std::move(place.children), name.where);
  } else {
    if (said.op != Op::kRecord || said.index != place.index) {
      const std::string& record = behaviour_.records[place.index].name;
      throw Failure{{"BEH0004",
                     said.where,
                     name.text,
                     "a value that is no record of this type",
                     said.op == Op::kRecord ? behaviour_.records[said.index].name : "a number or an array",
                     {record},
                     "give a " + record + ", or each member by itself"}};
    }
    for (size_t i = 0; i < place.children.size(); ++i) {
      Expression& member = place.children[i];
      assign(member.index, std::move(said.children[i]), std::move(member.children), name.where);
    }
  }
  if (!is_in_step_) end_step(constant_of(1, name.where), name.where);
}

void CodeReader::assign(uint32_t state, Expression value, std::vector<Expression> indices,
                        const SourceLocation& where) {
  Code& made = add(CodeKind::kAssign, where);
  made.index = state;
  made.expressions.push_back(std::move(value));
  for (Expression& index : indices) made.expressions.push_back(std::move(index));
}

void CodeReader::require_outside_of_steps(const SourceLocation& where, const std::string& what) const {
  if (!is_in_step_) return;
  throw misplaced(where, what, "outside of steps",
                  "end the step before it: what takes or waits for cycles stands between steps");
}

}  // namespace covenant::acg::behaviour
