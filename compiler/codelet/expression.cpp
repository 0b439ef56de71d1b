#include "compiler/codelet/expression.h"

#include <algorithm>

#include "acg/base/check.h"

namespace covenant::compiler::codelet {
namespace {

int64_t add(int64_t a, int64_t b) {
  int64_t sum = 0;
  check(!__builtin_add_overflow(a, b, &sum), "an index expression exceeds 64 bits");
  return sum;
}

int64_t multiply(int64_t a, int64_t b) {
  int64_t product = 0;
  check(!__builtin_mul_overflow(a, b, &product), "an index expression exceeds 64 bits");
  return product;
}

std::string print_product(const Term& term, int64_t magnitude) {
  std::string text;
  for (const std::string& name : term.names) text += (text.empty() ? "" : "*") + name;
  if (text.empty()) return std::to_string(magnitude);
  return magnitude == 1 ? text : text + "*" + std::to_string(magnitude);
}

}  // namespace

Expression::Expression(int64_t constant) {
  if (constant != 0) terms_.push_back({{}, constant});
}

Expression Expression::variable(std::string name) {
  Expression result;
  result.terms_.push_back({{std::move(name)}, 1});
  return result;
}

std::optional<int64_t> Expression::constant() const {
  if (terms_.empty()) return 0;
  if (terms_.size() == 1 && terms_[0].names.empty()) return terms_[0].coefficient;
  return std::nullopt;
}

int64_t Expression::evaluate(const std::map<std::string, int64_t>& values) const {
  int64_t sum = 0;
  for (const Term& term : terms_) {
    int64_t product = term.coefficient;
    for (const std::string& name : term.names) {
      const auto found = values.find(name);
      check(found != values.end(), "no value for '" + name + "' in an index expression");
      product = multiply(product, found->second);
    }
    sum = add(sum, product);
  }
  return sum;
}

Expression Expression::substitute(const std::string& name, const Expression& by) const {
  if (!mentions(name)) return *this;
  Expression sum;
  for (const Term& term : terms_) {
    Expression product(term.coefficient);
    for (const std::string& factor : term.names) product = product * (factor == name ? by : variable(factor));
    sum = sum + product;
  }
  return sum;
}

int64_t Expression::coefficient(const std::string& name) const {
  for (const Term& term : terms_) {
    if (term.names == std::vector<std::string>{name}) return term.coefficient;
  }
  return 0;
}

int64_t Expression::offset() const {
  for (const Term& term : terms_) {
    if (term.names.empty()) return term.coefficient;
  }
  return 0;
}

bool Expression::mentions(const std::string& name) const {
  return std::any_of(terms_.begin(), terms_.end(), [&](const Term& term) {
    return std::find(term.names.begin(), term.names.end(), name) != term.names.end();
  });
}

Expression operator+(const Expression& a, const Expression& b) {
  Expression sum = a;
  sum.terms_.insert(sum.terms_.end(), b.terms_.begin(), b.terms_.end());
  sum.canonicalize();
  return sum;
}

Expression operator-(const Expression& a, const Expression& b) { return a + Expression(-1) * b; }

Expression operator*(const Expression& a, const Expression& b) {
  Expression product;
  for (const Term& left : a.terms_) {
    for (const Term& right : b.terms_) {
      Term term{left.names, multiply(left.coefficient, right.coefficient)};
      term.names.insert(term.names.end(), right.names.begin(), right.names.end());
      std::sort(term.names.begin(), term.names.end());
      product.terms_.push_back(std::move(term));
    }
  }
  product.canonicalize();
  return product;
}

void Expression::canonicalize() {
  std::sort(terms_.begin(), terms_.end());
  std::vector<Term> merged;
  for (Term& term : terms_) {
    if (!merged.empty() && merged.back().names == term.names) {
      merged.back().coefficient = add(merged.back().coefficient, term.coefficient);
    } else {
      merged.push_back(std::move(term));
    }
  }
  std::erase_if(merged, [](const Term& term) { return term.coefficient == 0; });
  terms_ = std::move(merged);
}

std::string Expression::print() const {
  if (terms_.empty()) return "0";
  // The constant is sorted first, but reads better last: `oh*2 + kh - 1`.
  std::vector<Term> order = terms_;
  if (order.front().names.empty()) std::rotate(order.begin(), order.begin() + 1, order.end());
  std::string text;
  for (const Term& term : order) {
    const bool negative = term.coefficient < 0;
    text += text.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
    text += print_product(term, negative ? -term.coefficient : term.coefficient);
  }
  return text;
}

}  // namespace covenant::compiler::codelet
