// Random codelets, valid or not: parse(print(c)) == c.
#include <algorithm>
#include <gtest/gtest.h>
#include <random>

#include "compiler/codelet/parse.h"
#include "compiler/codelet/print.h"

namespace covenant::compiler::codelet {
namespace {

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  Codelet codelet() {
    Codelet result;
    result.name = name();
    if (coin()) result.implements = name();
    for (int64_t i = below(5); i > 0; --i) result.surrogates.push_back(surrogate());
    result.body = body(3);
    return result;
  }

 private:
  int64_t below(int64_t limit) { return std::uniform_int_distribution<int64_t>(0, limit - 1)(random_); }
  bool coin() { return below(2) == 0; }
  std::string name() { return std::string(1, static_cast<char>('a' + below(26))) + "_" + std::to_string(below(9)); }
  std::string place() { return coin() ? "" : "MEM" + std::to_string(below(4)); }

  Expression expression() {
    Expression sum(below(9) - 4);
    for (int64_t i = below(4); i > 0; --i) {
      Expression product(below(7) - 3);
      for (int64_t j = below(3); j > 0; --j) product = product * Expression::variable(name());
      sum = sum + product;
    }
    return sum;
  }
  std::vector<Expression> expressions(int64_t at_least) {
    std::vector<Expression> result;
    for (int64_t i = at_least + below(4); i > 0; --i) result.push_back(expression());
    return result;
  }
  Constant constant() {
    const auto dtype = static_cast<DType>(below(static_cast<int64_t>(kDTypes.size())));
    if (dtype != DType::kF32)
      return {dtype, lowest(dtype) + below(std::min<int64_t>(256, int64_t{1} << bits(dtype))), 0};
    return {dtype, 0, std::uniform_real_distribution<float>(-1e30F, 1e30F)(random_)};
  }
  Surrogate surrogate() {
    Surrogate result;
    result.kind = static_cast<SurrogateKind>(below(4));
    result.name = name();
    if (result.kind == SurrogateKind::kParam) {
      if (coin()) result.value = constant();
      return result;
    }
    result.shape = expressions(0);
    if (coin()) result.dtype = static_cast<DType>(below(static_cast<int64_t>(kDTypes.size())));
    result.location = place();
    result.has_fill = coin();
    if (coin()) result.fill = expression();
    if (coin()) result.packing = expressions(1);
    for (int64_t i = below(4); i > 0; --i) result.logical_shape.push_back(below(100));
    for (int64_t i = below(3); i > 0; --i) result.strides.push_back(expression());
    return result;
  }
  Reference reference() { return {name(), expressions(0)}; }
  std::variant<Reference, Constant> reference_or_constant() {
    if (coin()) return constant();
    return reference();
  }

  std::vector<Operation> body(int64_t depth) {
    std::vector<Operation> result;
    for (int64_t i = below(4); i > 0; --i) {
      const int64_t kind = below(depth > 0 ? 3 : 2);
      Operation operation;
      if (kind == 2) {
        operation.op = Loop{name(), expression(), expression(), expression(), body(depth - 1)};
      } else if (kind == 1) {
        operation.op = transfer();
      } else {
        operation.op = compute();
      }
      result.push_back(operation);
    }
    return result;
  }
  Transfer transfer() {
    Transfer result;
    result.source = reference_or_constant();
    result.shape = expressions(0);
    if (coin()) {
      result.destination = reference();
      return result;
    }
    result.local = name();
    result.location = place();
    if (coin()) result.slot = static_cast<uint32_t>(below(4));
    if (coin()) result.offset = static_cast<uint64_t>(below(4000));
    return result;
  }
  Compute compute() {
    Compute result;
    result.destination = reference();
    result.location = place();
    result.capability = "CAP" + std::to_string(below(9));
    for (int64_t i = below(5); i > 0; --i) result.operands.push_back(reference_or_constant());
    for (int64_t i = below(3); i > 0; --i) result.attributes[name()] = expression();
    return result;
  }

  std::mt19937_64 random_;
};

TEST(RandomCodelets, PrintAndParseAreInverses) {
  for (uint64_t seed = 1; seed <= 2000; ++seed) {
    const Codelet made = Generator(seed).codelet();
    const Result<Codelet> again = parse(print(made), "random.cdlt");
    ASSERT_TRUE(again) << "seed " << seed << "\n" << render(again.error()) << "\n" << print(made);
    ASSERT_EQ(*again, made) << "seed " << seed << "\n" << print(made);
    // Every operation and reference knows its place, and no place is part of what is compared.
    ASSERT_EQ(again->where, (SourceLocation{"random.cdlt", 1, 1}));
    for (const Operation& operation : again->body) ASSERT_GT(operation.where.line, 1U) << "seed " << seed;
    ASSERT_EQ(print(*again), print(made)) << "seed " << seed;
  }
  std::printf("seeds 1..2000\n");
}

}  // namespace
}  // namespace covenant::compiler::codelet
