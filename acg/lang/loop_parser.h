/// Loops of statements: `for i in 0..3 { ... }`.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "acg/lang/expression_parser.h"
#include "acg/lang/spec.h"

namespace covenant::acg::lang {

class LoopParser : public ExpressionParser {
 public:
  /// A parser that only checks the form of loop bodies.
  explicit LoopParser(std::vector<LexedToken> tokens) : ExpressionParser(std::move(tokens)) {}
  /// A parser that runs loops, whose bounds are expressions over these parameters.
  LoopParser(std::vector<LexedToken> tokens, std::map<std::string, int64_t> parameters)
      : ExpressionParser(std::move(tokens)), runs_loops_(true), parameters_(std::move(parameters)) {}

 protected:
  /// Parses one item in the body of a loop; its declarations go into the spec.
  using Item = std::function<void(MachineSpec&)>;

  /// Parses one of `for NAME in LOW..HIGH { }`, `for NAME in [A, "B"] { }`, `for N, M in [(A, "B"), ...] { }`. Throws
  /// Failure: ACG0041 (too many iterations), ACG0045 (values and variables).
  void loop(MachineSpec& spec, const Item& item);

  /// Count the levels of nodes and loops; ACG0002 if there are too many.
  void open();
  void close() { --levels_; }

 private:
  void dry(const Item& item);
  bool is_reading() const { return is_dry_ || !runs_loops_; }
  int64_t bound();
  LoopValue turn_value();
  std::vector<std::vector<LoopValue>> values(size_t names);
  std::vector<std::vector<LoopValue>> range(size_t names);

  bool runs_loops_ = false;
  std::map<std::string, int64_t> parameters_;
  int turns_ = 0;
  int levels_ = 0;
};

}  // namespace covenant::acg::lang
