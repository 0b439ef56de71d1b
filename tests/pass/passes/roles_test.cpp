// Operands are matched with capabilities by the loops that index them: in either order, with dimensions exchanged or
// not, on machines whose product has the matrix first, or broadcasts its second operand.
#include "compiler/codelet/roles.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "compiler/codelet/interpret.h"
#include "compiler/codelet/parse.h"
#include "compiler/codelet/print.h"
#include "compiler/codelet/rewrite.h"
#include "compiler/library/library.h"
#include "compiler/passes/bind.h"
#include "compiler/passes/map.h"
#include "compiler/passes/pack.h"
#include "compiler/passes/place.h"
#include "tests/pass/passes/layers.h"
#include "tests/support/acg/taken.h"

namespace covenant::compiler::testing {
namespace {

using codelet::Codelet;
using codelet::Compute;
using codelet::Reference;
using test::taken;

/// Bound, mapped and packed, all of one meaning.
std::vector<Stage> mapped_stages(const Codelet& source, const acg::Machine& machine) {
  std::vector<Stage> stages{{"bind", source}};
  stages.emplace_back("place", taken(place(source, machine)));
  stages.emplace_back("map", taken(map(stages.back().second, machine)));
  stages.emplace_back("pack", taken(pack(stages.back().second, machine)));
  return stages;
}

/// The one compute of a codelet.
Compute compute_of(const Codelet& codelet) {
  Compute found;
  for_each_operation(codelet.body, [&](const codelet::Operation& operation, const std::vector<const codelet::Loop*>&) {
    if (const auto* compute = std::get_if<Compute>(&operation.op)) found = *compute;
  });
  return found;
}

std::string operand(const Compute& compute, size_t i) { return std::get<Reference>(compute.operands.at(i)).surrogate; }

Codelet gemm_sums(int64_t k, int64_t o, DType x, DType w) {
  Layer layer{"gemm", {}, {}};
  layer.params = {{"G", int64_t{2}}, {"N", int64_t{3}}, {"K", k}, {"O", o}};
  layer.dtypes = {{"x", x}, {"w", w}, {"b", DType::kI32}, {"y", DType::kI32}};
  return taken(bind(taken(library_codelet("gemm_sums")), layer));
}

TEST(Roles, TheLibrarysGemmOnVectorsWithABroadcastOperand) {
  Random random(30);
  // Hexagon of the paper: bytes without sign. HVX: the vector without, the scalar register with one.
  for (const auto& [name, x] : {std::pair{"hvx_paper", DType::kU8}, {"hvx", DType::kI8}}) {
    SCOPED_TRACE(name);
    const acg::Machine machine = taken(acg::load_machine(name));
    for (const auto& [k, o] : {std::pair<int64_t, int64_t>{12, 64}, {4, 32}, {10, 40}, {3, 7}}) {
      const std::vector<Stage> stages = mapped_stages(gemm_sums(k, o, x, DType::kU8), machine);
      const Compute compute = compute_of(stages[2].second);
      EXPECT_EQ(compute.location, "HVX");
      EXPECT_EQ(operand(compute, 0), "w") << "the matrix is the weights";
      EXPECT_EQ(operand(compute, 1), "x") << "four bytes of the row are broadcast";
      expect_same_meaning(stages, machine, random);
    }
  }
}

/// y[m,n] = sum of x[m,k] * w[k,n], both operands in either order and as they are or turned.
TEST(Roles, ProductsOfTurnedMatricesInEitherOrder) {
  Random random(31);
  for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{8, 8}, {5, 3}, {4, 16}}) {
    const acg::Machine machine = genesys({{"M", rows}, {"N", columns}});
    for (const bool x_turned : {false, true}) {
      for (const bool w_turned : {false, true}) {
        for (const bool swapped : {false, true}) {
          const std::string x = x_turned ? "x[k,m]" : "x[m,k]";
          const std::string w = w_turned ? "w[n,k]" : "w[k,n]";
          const std::string text = "cdlt c { x=inp(" + std::string(x_turned ? "[13,6]" : "[6,13]") +
                                   ",i8,null); w=inp(" + (w_turned ? "[10,13]" : "[13,10]") +
                                   ",i8,null); b=inp([10],i32,null); y=out([6,10],i32,null);"
                                   "loop m(6) { loop n(10) { loop k(13) { y[m,n]=compute(null,\"GEMM\"," +
                                   (swapped ? w + "," + x : x + "," + w) + ",b[n]); } } } }";
          SCOPED_TRACE(text);
          const std::vector<Stage> stages = mapped_stages(taken(codelet::parse(text, "test.cdlt")), machine);
          EXPECT_EQ(operand(compute_of(stages[2].second), 1), "w") << "the array's matrix is what has the columns";
          expect_same_meaning(stages, machine, random);
        }
      }
    }
  }
}

/// A matrix that is a view of memory stays where it is: steps from one to the next take the place of a packing.
TEST(Roles, MatricesWithinAView) {
  Random random(33);
  const acg::Machine machine = genesys({});
  for (const bool w_turned : {false, true}) {
    const std::string shape =
        w_turned ? "[3,32,48],i8,null,strides=[9000,1,200]" : "[3,48,32],i8,null,strides=[9000,200,1]";
    const std::string w = w_turned ? "w[g,n,k]" : "w[g,k,n]";
    const Codelet source = taken(
        codelet::parse("cdlt c { x=inp([6,48],i8,null); w=inp(" + shape +
                           "); b=inp([32],i32,null); y=out([3,6,32],i32,null);"
                           "loop g(3) { loop m(6) { loop n(32) { loop k(48) { y[g,m,n]=compute(null,\"GEMM\",x[m,k]," +
                           w + ",b[n]); } } } } }",
                       "test.cdlt"));
    const Codelet packed = mapped_stages(source, machine).back().second;
    const codelet::Surrogate& matrices = *find_surrogate(packed, "w");
    EXPECT_EQ(print(matrices), "w=inp([2,3,3,16,16],i8,\"DRAM\",strides=[16,3200,9000,200,1]);");
    codelet::Bindings tensors = random_inputs(source, random);  // all are whole vectors, and as they are when packed
    tensors["w"].resize(2 * 9000 + 47 * 200 + 32);
    std::ranges::generate(tensors["w"], [&] { return static_cast<uint8_t>(random()); });
    codelet::Bindings on_machine = tensors;
    ASSERT_TRUE(codelet::interpret(source, nullptr, tensors));
    ASSERT_TRUE(codelet::interpret(packed, &machine, on_machine));
    EXPECT_EQ(tensors.at("y"), on_machine.at("y"));
  }
}

/// A product without a third operand: the matrix is the last one, and may be what is turned.
TEST(Roles, TheLastOperandIsTurnedWhereItHasToBe) {
  const acg::Capability capability{
      .name = "GEMM", .output = {DType::kI32, {4}}, .inputs = {{DType::kI8, {3}}, {DType::kI8, {3, 4}}}};
  for (const bool w_turned : {false, true}) {
    const std::string w = w_turned ? "w[n,k]" : "w[k,n]";
    const Compute compute =
        compute_of(taken(codelet::parse("cdlt c { x=inp([4,4],i8,null); w=inp([4,4],i8,null); y=out([4,4],i32,null);"
                                        "loop m(4) { loop n(4) { loop k(4) { y[m,n]=compute(null,\"MMUL\",x[m,k]," +
                                            w + "); } } } }",
                                        "test.cdlt")));
    const auto turns = codelet::turned_operands(capability, compute, [](const std::string&) { return true; });
    EXPECT_EQ(turns, (std::vector<bool>{false, w_turned})) << w;
  }
}

/// An immediate is the second operand of the SIMD array: the largest of a constant and a tensor is that of both.
TEST(Roles, AConstantInFront) {
  Random random(32);
  const acg::Machine machine = genesys({});
  const Codelet source =
      taken(codelet::parse("cdlt c { x=inp([5,20],u8,null); y=out([5,20],u8,null);"
                           "loop p(5) { loop c(20) { y[p,c]=compute(null,\"MAX\",i32(9),x[p,c]); } } }",
                           "test.cdlt"));
  const std::vector<Stage> stages = mapped_stages(source, machine);
  EXPECT_EQ(operand(compute_of(stages[2].second), 0), "x");
  expect_same_meaning(stages, machine, random);
}

/// Operands that fit in the codelet's order keep it.
TEST(Roles, TheOrderOfTheCodeletIsKeptWhereItFits) {
  const acg::Machine machine = genesys({});
  const std::vector<Stage> stages = mapped_stages(gemm_sums(20, 40, DType::kI8, DType::kI8), machine);
  const Compute compute = compute_of(stages[2].second);
  EXPECT_EQ(operand(compute, 0), "x");
  for (const codelet::Surrogate& surrogate : stages[2].second.surrogates) EXPECT_TRUE(surrogate.packing.empty());
}

/// Rows of the result would have to be its last dimension: nothing exchanges the dimensions of a result.
/// A vector of inputs is one of rows; a vector of weights one of columns, as results lie.
TEST(Roles, VectorsAlongTheRowsOfAResultAreRefused) {
  acg::Machine machine = taken(acg::load_machine("hvx"));
  EXPECT_TRUE(map(taken(place(gemm_sums(12, 64, DType::kU8, DType::kI8), machine)), machine));
  for (acg::Compute& compute : machine.computes) {
    std::erase_if(compute.capabilities,
                  [](const acg::Capability& one) { return one.name == "GEMM" && one.inputs[0].dtype == DType::kI8; });
  }
  const auto made = map(taken(place(gemm_sums(12, 64, DType::kU8, DType::kI8), machine)), machine);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, "CDL0041");
}

}  // namespace
}  // namespace covenant::compiler::testing
