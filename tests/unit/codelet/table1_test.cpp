/// The capabilities of Table 1 of Kinzer et al., "Restoring the Broken Covenant Between Compilers and Deep Learning
/// Accelerators", that no unit of ours executes: what the interpreter makes of them, against other arithmetic.
#include <Eigen/Core>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <random>

#include "acg/lang/load.h"
#include "compiler/codelet/arithmetic.h"
#include "compiler/codelet/interpret.h"
#include "compiler/codelet/parse.h"

namespace covenant::compiler::codelet {
namespace {

using Matrix = Eigen::Matrix<uint32_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

std::vector<int32_t> random_lanes(std::mt19937& random, size_t size) {
  std::vector<int32_t> lanes(size);
  for (int32_t& lane : lanes) lane = std::bit_cast<int32_t>(static_cast<uint32_t>(random()));
  return lanes;
}

Matrix matrix(const std::vector<int32_t>& lanes, Eigen::Index rows, Eigen::Index columns) {
  Matrix result(rows, columns);
  for (Eigen::Index i = 0; i < result.size(); ++i)
    result.data()[i] = std::bit_cast<uint32_t>(lanes[static_cast<size_t>(i)]);
  return result;
}

std::vector<int32_t> lanes_of(const Matrix& matrix) {
  std::vector<int32_t> result;
  for (Eigen::Index i = 0; i < matrix.size(); ++i) result.push_back(std::bit_cast<int32_t>(matrix.data()[i]));
  return result;
}

std::vector<int32_t> applied(Function function, const std::vector<std::vector<int32_t>>& operands, bool first,
                             std::vector<int32_t> result) {
  const std::vector<std::span<const int32_t>> spans(operands.begin(), operands.end());
  apply(function, spans, {}, first, result);
  return result;
}

TEST(Table1, ProductsOfMatricesOfAllShapes) {
  std::mt19937 random(3);
  for (int rows = 1; rows <= 5; ++rows) {
    for (int inner = 1; inner <= 6; ++inner) {
      for (int columns = 1; columns <= 5; ++columns) {
        const auto size = [](int a, int b) { return static_cast<size_t>(a) * static_cast<size_t>(b); };
        const std::vector<int32_t> x = random_lanes(random, size(rows, inner));
        const std::vector<int32_t> w = random_lanes(random, size(inner, columns));
        const std::vector<int32_t> c = random_lanes(random, size(rows, columns));
        const Matrix product = matrix(x, rows, inner) * matrix(w, inner, columns);
        const Matrix sum = product + matrix(c, rows, columns);
        const std::array<size_t, 2> sizes{x.size(), w.size()};
        ASSERT_TRUE(fit_together(Function::kMmul, sizes, c.size())) << rows << " " << inner << " " << columns;
        EXPECT_EQ(applied(Function::kMmul, {x, w}, true, c), lanes_of(product));
        EXPECT_EQ(applied(Function::kMmul, {x, w}, false, c), lanes_of(sum));
        EXPECT_EQ(applied(Function::kGemm, {x, w, c}, true, c), lanes_of(sum));
      }
    }
  }
}

TEST(Table1, SizesThatAreNoProductAreSeen) {
  const auto fit = [](Function function, std::vector<size_t> operands, size_t result) {
    return fit_together(function, operands, result);
  };
  EXPECT_FALSE(fit(Function::kMmul, {4, 9}, 4));
  EXPECT_FALSE(fit(Function::kMmul, {4, 12}, 4));
  EXPECT_FALSE(fit(Function::kGemm, {4, 16, 3}, 4));
  EXPECT_TRUE(fit(Function::kGemm, {4, 16, 1}, 4));
  EXPECT_FALSE(fit(Function::kMac, {4, 8, 2}, 2));
  EXPECT_FALSE(fit(Function::kMac, {3, 3, 2}, 2));
  EXPECT_TRUE(fit(Function::kMac, {4, 4, 1}, 1));
  EXPECT_FALSE(fit(Function::kAdd, {4, 4}, 2));
  EXPECT_TRUE(fit(Function::kAdd, {2, 1}, 2));
}

TEST(Table1, MacMultipliesPairsAndAdds) {
  EXPECT_EQ(applied(Function::kMac, {{2, -3}, {10, 100}, {1, 7}}, true, {9, 9}), (std::vector<int32_t>{21, -293}));
  EXPECT_EQ(applied(Function::kMac, {{2, -3}, {10, 100}, {1, 7}}, false, {9, 9}), (std::vector<int32_t>{29, -291}));
  EXPECT_EQ(applied(Function::kMac, {{1, 2, 3, 4}, {5, 6, 7, 8}, {-70}}, true, {0}), (std::vector<int32_t>{0}));
  EXPECT_EQ(applied(Function::kMac, {{1, 2, 3, 4}, {2}, {0}}, true, {5, 5}), (std::vector<int32_t>{6, 14}));
  EXPECT_EQ(applied(Function::kMac, {{1 << 30}, {2}, {-1}}, true, {0}),
            (std::vector<int32_t>{std::numeric_limits<int32_t>::max()}));
}

TEST(Table1, QuotientsAreCutTowardsZero) {
  constexpr int32_t kLowest = std::numeric_limits<int32_t>::min();
  EXPECT_EQ(applied(Function::kDiv, {{7, -7, 7, -7, 6}, {2, 2, -2, -2, 3}}, true, {0, 0, 0, 0, 0}),
            (std::vector<int32_t>{3, -3, -3, 3, 2}));
  EXPECT_EQ(applied(Function::kDiv, {{5, 0, kLowest, kLowest}, {0, 0, -1, 1}}, true, {0, 0, 0, 0}),
            (std::vector<int32_t>{-1, -1, kLowest, kLowest}));
}

/// Random bits: all magnitudes, infinities, NaN and numbers too small to be normal among them.
std::vector<int32_t> random_reals(size_t size) {
  std::mt19937 random(11);
  std::vector<int32_t> lanes = random_lanes(random, size);
  std::uniform_real_distribution<float> near(-12, 12);
  for (size_t i = 0; i < size; i += 2) lanes[i] = std::bit_cast<int32_t>(near(random));
  const auto limits = std::numeric_limits<float>();
  for (const float special : {0.0F, -0.0F, limits.infinity(), -limits.infinity(), limits.denorm_min(), -104.0F}) {
    lanes.push_back(std::bit_cast<int32_t>(special));
  }
  return lanes;
}

/// Equal to what `exact` gives in extended precision, rounded; NaN where that is.
void expect_rounded(const std::vector<int32_t>& made, const std::vector<int32_t>& x,
                    const std::function<long double(long double)>& exact) {
  for (size_t i = 0; i < x.size(); ++i) {
    const auto operand = std::bit_cast<float>(x[i]);
    const auto expected = static_cast<float>(exact(operand));
    const auto got = std::bit_cast<float>(made[i]);
    ASSERT_TRUE(got == expected || (std::isnan(got) && std::isnan(expected))) << operand << ": " << got;
  }
}

TEST(Table1, SigmoidAndTanhAreTheNearestOfTheirKind) {
  const std::vector<int32_t> x = random_reals(20000);
  expect_rounded(applied(Function::kTanh, {x}, true, x), x, [](long double v) { return std::tanh(v); });
  expect_rounded(applied(Function::kSigmoid, {x}, true, x), x, [](long double v) {
    return v < 0 ? std::exp(v) / (1 + std::exp(v)) : 1 / (1 + std::exp(-v));  // another formula where it is small
  });
  const auto one = [](Function function, float value) {
    return std::bit_cast<float>(applied(function, {{std::bit_cast<int32_t>(value)}}, true, {0}).at(0));
  };
  EXPECT_EQ(one(Function::kSigmoid, 0.0F), 0.5F);
  EXPECT_EQ(one(Function::kSigmoid, 1.0F), 0.731058578630F);
  EXPECT_EQ(one(Function::kTanh, 1.0F), 0.761594155956F);
}

std::vector<int32_t> interpreted(const std::string& text, const acg::Machine* machine, Bindings tensors) {
  const Result<Codelet> codelet = parse(text, "test.cdlt");
  if (!codelet) throw std::runtime_error(render(codelet.error()));
  const Status done = interpret(*codelet, machine, tensors);
  if (!done) throw std::runtime_error(render(done.error()));
  std::vector<int32_t> result(tensors.at("y").size() / 4);
  std::memcpy(result.data(), tensors.at("y").data(), tensors.at("y").size());
  return result;
}

TEST(Table1, AMatrixProductIsALoopOfMacs) {
  std::mt19937 random(5);
  Bindings inputs;
  for (const auto& [name, size] : {std::pair{"x", 3 * 4}, {"w", 4 * 5}}) {
    for (int i = 0; i < size; ++i) inputs[name].push_back(static_cast<uint8_t>(random()));
  }
  const auto with = [](const std::string& compute) {
    return "cdlt c { x=inp([3,4],i8,null); w=inp([4,5],i8,null); y=out([3,5],i32,null);"
           "loop i(3) { loop j(5) { loop k(4) { y[i,j]=compute(null," +
           compute + "); } } } }";
  };
  std::vector<int32_t> expected;
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 5; ++j) {
      int32_t sum = 11;
      for (size_t k = 0; k < 4; ++k) {
        sum += static_cast<int8_t>(inputs["x"][i * 4 + k]) * static_cast<int8_t>(inputs["w"][k * 5 + j]);
      }
      expected.push_back(sum);
    }
  }
  EXPECT_EQ(interpreted(with("\"MAC\",x[i,k],w[k,j],i32(11)"), nullptr, inputs), expected);
  for (int32_t& sum : expected) sum -= 11;
  EXPECT_EQ(interpreted(with("\"MMUL\",x[i,k],w[k,j]"), nullptr, inputs), expected);
}

/// Table 3's Hexagon has the matrix in front of the vector.
TEST(Table1, TheHexagonOfThePaperMultipliesAMatrixByAVector) {
  const Result<acg::Machine> machine = acg::load_machine("hvx_paper");
  ASSERT_TRUE(machine) << render(machine.error());
  Bindings inputs;
  for (int i = 0; i < 32 * 4; ++i) inputs["w"].push_back(static_cast<uint8_t>(i * 7));
  inputs["x"] = {3, 0, 255, 9};
  std::vector<int32_t> expected;
  for (size_t i = 0; i < 32; ++i) {
    int32_t sum = 0;
    for (size_t k = 0; k < 4; ++k) sum += inputs["w"][i * 4 + k] * inputs["x"][k];
    expected.push_back(sum);
  }
  const std::string tensors = "cdlt c { w=inp([32,4],u8,\"VRF\"); x=inp([4],u8,\"GRF\"); y=out([32],i32,\"VRF\");";
  EXPECT_EQ(interpreted(tensors + "y[0]=compute(\"HVX\",\"MVMUL\",w[0,0],x[0]); }", &*machine, inputs), expected);
  for (size_t i = 0; i < 32; ++i) {
    inputs["c"].resize(32 * 4);
    inputs["c"][i * 4] = static_cast<uint8_t>(i);
    expected[i] += static_cast<int32_t>(i);
  }
  EXPECT_EQ(interpreted(tensors + "c=inp([32],i32,\"VRF\"); y[0]=compute(\"HVX\",\"GEMM\",w[0,0],x[0],c[0]); }",
                        &*machine, inputs),
            expected);
}

}  // namespace
}  // namespace covenant::compiler::codelet
