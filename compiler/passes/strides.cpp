#include "compiler/passes/strides.h"

#include <algorithm>
#include <numeric>

#include "compiler/codelet/rewrite.h"

namespace covenant::compiler {
namespace {

using codelet::Expression;
using codelet::Loop;
using codelet::Operation;
using codelet::Term;

/// The largest number that divides every factor of `variable`; 0 if it is used nowhere, 1 if not linearly.
int64_t common_factor(std::vector<Operation>& body, const std::string& variable) {
  int64_t factor = 0;
  for_each_expression(body, [&](Expression& expression) {
    for (const Term& term : expression.terms()) {
      const auto uses = std::count(term.names.begin(), term.names.end(), variable);
      if (uses == 1) factor = std::gcd(factor, term.coefficient);
      if (uses > 1) factor = 1;
    }
  });
  return factor;
}

Expression divided(const Expression& expression, const std::string& variable, int64_t by) {
  Expression sum;
  for (const Term& term : expression.terms()) {
    const bool uses = std::find(term.names.begin(), term.names.end(), variable) != term.names.end();
    Expression product(uses ? term.coefficient / by : term.coefficient);
    for (const std::string& name : term.names) product = product * Expression::variable(name);
    sum = sum + product;
  }
  return sum;
}

void stride(std::vector<Operation>& body) {
  for (Operation& operation : body) {
    auto* loop = std::get_if<Loop>(&operation.op);
    if (loop == nullptr) continue;
    stride(loop->body);
    const int64_t factor = common_factor(loop->body, loop->variable);
    if (factor <= 1) continue;
    for_each_expression(loop->body,
                        [&](Expression& expression) { expression = divided(expression, loop->variable, factor); });
    loop->lower = loop->lower * factor;
    loop->upper = loop->upper * factor;
    loop->stride = loop->stride * factor;
  }
}

}  // namespace

codelet::Codelet stride_loops(const codelet::Codelet& source) {
  codelet::Codelet strided = source;
  stride(strided.body);
  return strided;
}

}  // namespace covenant::compiler
