/// Integer index expressions of codelets: polynomials in loop variables and params, kept in a canonical form.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace covenant::compiler::codelet {

/// A product: coefficient * names (sorted).
struct Term {
  std::vector<std::string> names;
  int64_t coefficient = 0;
  auto operator<=>(const Term&) const = default;
};

/// A sum of terms, sorted by names, without coefficients of 0; the empty sum is 0. Equal expressions compare equal.
class Expression {
 public:
  Expression() = default;
  Expression(int64_t constant);  // implicit: numbers are expressions
  static Expression variable(std::string name);

  const std::vector<Term>& terms() const { return terms_; }

  /// The value if the expression is a constant, otherwise nothing.
  std::optional<int64_t> constant() const;
  /// The value with every name replaced by its number. InternalError if a name is missing.
  int64_t evaluate(const std::map<std::string, int64_t>& values) const;
  /// The expression with `name` replaced by `by`.
  Expression substitute(const std::string& name, const Expression& by) const;
  /// The factor of `name`. Precondition: the expression is affine in all names. `offset` is its constant part.
  int64_t coefficient(const std::string& name) const;
  int64_t offset() const;
  bool mentions(const std::string& name) const;

  friend Expression operator+(const Expression& a, const Expression& b);
  friend Expression operator-(const Expression& a, const Expression& b);
  friend Expression operator*(const Expression& a, const Expression& b);
  bool operator==(const Expression&) const = default;

  /// The expression as text, `oh*2 + kh - 1`, which can be parsed again.
  std::string print() const;

 private:
  void canonicalize();
  std::vector<Term> terms_;
};

}  // namespace covenant::compiler::codelet
