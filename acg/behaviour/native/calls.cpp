// Functions and their calls.
#include <algorithm>
#include <fmt/format.h>

#include "acg/behaviour/native/expression_emitter.h"
#include "acg/behaviour/native/slots.h"

namespace covenant::acg::behaviour::native {
namespace {

/// Parts up to which a function is written into its callers, by us or by the compiler.
constexpr uint64_t kMostHere = 300;
constexpr uint64_t kMostSize = 1'000'000;

bool has_arrays(const Function& function) {
  const auto is_array = [](const Variable& argument) { return argument.type.is_array(); };
  return function.type.is_array() || std::any_of(function.arguments.begin(), function.arguments.end(), is_array);
}

/// Operations of what a name stands for up to which it is written once more elsewhere.
constexpr uint64_t kMostSaid = 64;

/// Operations of an expression, with those of what its names stand for.
uint64_t said_size(const Expression& expression, const Scope* scope) {
  uint64_t size = 1;
  if (expression.op == Op::kLocal) {
    const auto found = scope->names.find(expression.index);
    if (found != scope->names.end()) size += found->second.size;
  }
  for (const Expression& child : expression.children) size += said_size(child, scope);
  return size;
}

}  // namespace

ExpressionEmitter::ExpressionEmitter(const Behaviour& behaviour) : behaviour_(behaviour) {
  for (const Function& function : behaviour.functions) {  // each calls only those before it
    FunctionTraits traits{size_of(function.result), reads_state(function.result), true};
    for (const Code& let : function.lets) {
      traits.size = std::min(traits.size + size_of(let.expressions.front()), kMostSize);
      traits.reads_state = traits.reads_state || reads_state(let.expressions.front());
    }
    functions_.push_back(traits);
  }
}

bool ExpressionEmitter::reads_state(const Expression& expression) const {
  if (expression.op == Op::kState) return true;
  if (expression.op == Op::kCall && functions_[expression.index].reads_state) return true;
  return std::any_of(expression.children.begin(), expression.children.end(),
                     [&](const Expression& child) { return reads_state(child); });
}

uint64_t ExpressionEmitter::size_of(const Expression& expression) const {
  uint64_t size = expression.op == Op::kCall ? 1 + functions_[expression.index].size : 1;
  for (const Expression& child : expression.children) size += size_of(child);
  return std::min(size, kMostSize);
}

Text ExpressionEmitter::call(const Expression& expression) {
  counts_work_ = true;
  const Function& function = behaviour_.functions[expression.index];
  const FunctionTraits& traits = functions_[expression.index];
  const bool is_here = traits.reads_state && !has_arrays(function) && traits.size <= kMostHere && !loops_.empty();
  if (is_here && budget_ > 0) return called_here(expression, function);
  return {call_text(expression, ""), bits_for(function.result.range)};
}

/// The body of a function, so that what it reads can be checked before the loops that it stands in.
Text ExpressionEmitter::called_here(const Expression& expression, const Function& function) {
  Scope inner;
  std::string text = "({ ++work; ";
  for (size_t i = 0; i < function.arguments.size(); ++i) {
    const Variable& argument = function.arguments[i];
    const int bits = bits_for(argument.range);
    const std::string name = fresh("v");
    text += fmt::format("const int{}_t {} = {}; ", bits, name, number(expression.children[i], bits));
    inner.names[argument.slot] = named(name, bits, expression.children[i], scope_);
  }
  Scope* const before = scope_;
  scope_ = &inner;
  text += lets(function);
  const int bits = bits_for(function.result.range);
  text += fmt::format("{}; }})", number(function.result, bits));
  scope_ = before;
  return {text, bits};
}

Binding ExpressionEmitter::named(const std::string& name, int bits, const Expression& said, const Scope* scope) const {
  const uint64_t size = std::min(said_size(said, scope), kMostSaid + 1);  // lets of lets may double it each time
  const bool is_short = size <= kMostSaid;
  return {name, bits, "", loops_.size(), is_short ? &said : nullptr, is_short ? scope : nullptr, size};
}

/// Declarations of the names of a function.
std::string ExpressionEmitter::lets(const Function& function) {
  std::string text;
  for (const Code& let : function.lets) {
    const Expression& said = let.expressions.front();
    const std::string name = fresh("v");
    if (said.type.is_array()) {
      const std::string element = element_type(said.range);
      text += fmt::format("{} {}[{}]; {}", element, name, said.type.elements(), fill(said, name, element));
      scope_->names[let.index] = {name, 64, element, loops_.size(), nullptr, nullptr};
    } else {
      const int bits = bits_for(said.range);
      text += fmt::format("const int{}_t {} = {}; ", bits, name, number(said, bits));
      scope_->names[let.index] = named(name, bits, said, scope_);
    }
  }
  return text;
}

/// A call as an expression; with `into`, as a statement that puts an array there.
std::string ExpressionEmitter::call_text(const Expression& expression, const std::string& into) {
  const Function& function = behaviour_.functions[expression.index];
  counts_work_ = true;
  if (functions_[expression.index].may_be_bad) mark_bad();
  std::string arrays, arguments;
  for (size_t i = 0; i < function.arguments.size(); ++i) {
    const Variable& argument = function.arguments[i];
    const Expression& given = expression.children[i];
    if (!argument.type.is_array()) {
      arguments += ", " + number(given, bits_for(argument.range));
      continue;
    }
    const std::string name = fresh("given"), element = element_type(argument.range);
    arrays += fmt::format("{} {}[{}]; {}", element, name, argument.type.elements(), fill(given, name, element));
    arguments += ", " + name;
  }
  if (!into.empty()) arguments += ", " + into;
  const std::string called = fmt::format("f{}(m, work, bad{})", expression.index, arguments);
  if (!into.empty()) return fmt::format("{{ {}{}; }} ", arrays, called);
  return arrays.empty() ? called : fmt::format("({{ {}{}; }})", arrays, called);
}

std::string ExpressionEmitter::function(uint32_t index) {
  const Function& function = behaviour_.functions[index];
  FunctionTraits& traits = functions_[index];
  Scope scope;
  begin();
  begin_statement();
  scope_ = &scope;
  std::string arguments;
  for (const Variable& argument : function.arguments) {
    const std::string name = fresh("v");
    if (argument.type.is_array()) {
      const std::string element = element_type(argument.range);
      arguments += fmt::format(", const {}* {}", element, name);
      scope.names[argument.slot] = {name, 64, element, 0, nullptr, nullptr};
    } else {
      const int bits = bits_for(argument.range);
      arguments += fmt::format(", int{}_t {}", bits, name);
      scope.names[argument.slot] = {name, bits, "", 0, nullptr, nullptr};
    }
  }
  const bool is_small = traits.size <= kMostHere;
  // A call is counted; many calls of few words end when they have been too many.
  std::string body = is_small ? "  ++work;\n" : "  if (++work > kMostWork) bad = true;\n";
  std::string type = fits_32(function.result.range) ? "int32_t" : "int64_t";
  if (!is_small) body += function.type.is_array() ? "  if (bad) return;\n" : "  if (bad) return 0;\n";
  body += "  " + lets(function) + "\n";
  if (function.type.is_array()) {
    const std::string element = element_type(function.result.range);
    arguments += fmt::format(", {}* out", element);
    type = "void";
    body += "  " + fill(function.result, "out", element) + "\n";
  } else {
    body += fmt::format("  return {};\n", number(function.result, bits_for(function.result.range)));
  }
  traits.may_be_bad = may_be_bad_ || !is_small;
  return fmt::format("static {} {} f{}(const Machine& m, uint64_t& work, bool& bad{}) {{\n{}{}}}\n\n",
                     is_small ? "inline __attribute__((always_inline))" : "__attribute__((noinline))", type, index,
                     arguments, state_pointers(), body);
}

std::string ExpressionEmitter::functions() {
  std::string text;
  for (uint32_t i = 0; i < behaviour_.functions.size(); ++i) text += function(i);
  return text;
}

}  // namespace covenant::acg::behaviour::native
