/// Reads the statements of updates and processes into code: loops and branches become jumps.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "acg/behaviour/expression_reader.h"

namespace covenant::acg::behaviour {

/// Where statements stand: not all may stand everywhere.
enum class Place : uint8_t { kUpdate, kUpdateOfWord, kProcess };

class CodeReader : public ExpressionReader {
 public:
  using ExpressionReader::ExpressionReader;

 protected:
  /// Statements between braces; `port` is that of an update. Throws BEH0009 for one that may not stand there, and those
  /// of expressions.
  std::vector<Code> code(Place place, uint32_t port = 0);
  /// The statements that `code` has read, as text.
  std::vector<Statement> listing() { return std::exchange(listing_, {}); }
  /// `let NAME = value;`, without what may block: a statement, or one for each member of a record.
  std::vector<Code> let();

 private:
  void statements();
  /// Lists a statement, with those that `body` reads inside.
  template <typename Body>
  Statement& listed(std::string text, Body body) {
    std::vector<Statement> outer = std::exchange(listing_, {});
    body();
    outer.push_back({std::move(text), false, {}, std::exchange(listing_, {})});
    listing_ = std::move(outer);
    return listing_.back();
  }
  void listed(std::string text) { listing_.push_back({std::move(text), false, {}, {}}); }
  void statement();
  void let_or_pop();
  void push();
  void wait();
  void step();
  void loop_statement();
  void branch();
  void execute();
  void reply();
  void fault();
  void assignment();
  void assign(uint32_t state, Expression value, std::vector<Expression> indices, const SourceLocation& where);
  void end_step(Expression cycles, const SourceLocation& where);
  void require_outside_of_steps(const SourceLocation& where, const std::string& what) const;
  Code& add(CodeKind kind, const SourceLocation& where);
  uint32_t here() const { return static_cast<uint32_t>(code_.size()); }

  std::vector<Code> code_;
  std::vector<Statement> listing_;
  Place place_ = Place::kUpdate;
  uint32_t port_ = 0;
  bool is_in_step_ = false;
  int branches_ = 0;  ///< of the `else if` that is being read
};

}  // namespace covenant::acg::behaviour
