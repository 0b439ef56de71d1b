/// Statements as C++.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "acg/behaviour/behaviour.h"
#include "acg/behaviour/native/expression_emitter.h"
#include "acg/behaviour/native/slots.h"

namespace covenant::acg::behaviour::native {

/// A list of code: the update of an instruction, or what a process does.
struct CodeList {
  const std::vector<Code>* code = nullptr;
  const std::vector<Field>* fields = nullptr;  ///< of an instruction
};

/// Instructions, then processes.
std::vector<CodeList> lists_of(const Behaviour& behaviour);

/// Writes lists of code as functions of C++, each with the frame that it keeps from one cycle to another.
class CodeEmitter {
 public:
  CodeEmitter(const Behaviour& behaviour, ExpressionEmitter& expressions)
      : behaviour_(behaviour), expressions_(expressions) {}

  /// The frame `Frame<list>`, and the function `list_<list>`.
  std::pair<std::string, std::string> list(uint32_t list, const CodeList& of);

 private:
  std::string frame() const;
  std::string locals() const;
  void bind();
  std::string statement(uint32_t at);
  std::string body(uint32_t at, const Code& code);
  std::string let(uint32_t at, const Code& code);
  std::string assign(uint32_t at, const Code& code);
  std::string pop(uint32_t at, const Code& code);
  std::string push(uint32_t at, const Code& code);
  std::string execute(uint32_t at, const Code& code);
  std::string reply(uint32_t at, const Code& code);
  /// Follows a number that may be bad: the definition evaluates the statement, and `taken` uses its numbers.
  std::string or_else(uint32_t at, const std::string& taken) const;
  /// A number of the statement in `name`.
  std::string number(uint32_t at, const Expression& expression, const std::string& name);
  std::string leave(uint32_t at, const char* outcome) const;
  std::string name_of(uint32_t slot) const;

  const Behaviour& behaviour_;
  ExpressionEmitter& expressions_;
  uint32_t list_ = 0;
  const std::vector<Code>* code_ = nullptr;
  Slots slots_;
  Scope scope_;
};

}  // namespace covenant::acg::behaviour::native
