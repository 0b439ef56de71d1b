// What stride_loops, insert_transfers, unroll and parallelise make of a codelet, and when they leave it alone. Each
// case also gives the same bits before and after. The paper's figures are in tests/golden/figures.
#include <gtest/gtest.h>
#include <numeric>

#include "acg/lang/load.h"
#include "compiler/codelet/interpret.h"
#include "compiler/codelet/parse.h"
#include "compiler/codelet/print.h"
#include "compiler/codelet/verify.h"
#include "compiler/passes/parallelise.h"
#include "compiler/codelet/rewrite.h"
#include "compiler/passes/strides.h"
#include "compiler/passes/transfers.h"
#include "compiler/passes/unroll.h"

namespace covenant::compiler {
namespace {

using codelet::Bindings;
using codelet::Codelet;

Codelet parsed(const std::string& body) {
  const Result<Codelet> made = codelet::parse("cdlt c { " + body + " }", "c.cdlt");
  if (!made) throw std::runtime_error(render(made.error()));
  return *made;
}

acg::Machine machine(const std::string& body) {
  const Result<acg::Machine> made =
      acg::parse_machine("acg small { memory D { kind = offchip; depth = 1M; } " + body + " }", "small.acg");
  if (!made) throw std::runtime_error(render(made.error()));
  return *made;
}

Bindings outputs_of(const Codelet& codelet, const acg::Machine& machine) {
  Bindings tensors;
  for (const codelet::Surrogate& surrogate : codelet.surrogates) {
    if (surrogate.kind != codelet::SurrogateKind::kInp) continue;
    size_t size = bytes(surrogate.dtype.value());
    for (const int64_t extent : constants(surrogate.shape)) size *= static_cast<size_t>(extent);
    tensors[surrogate.name].resize(size);
    std::iota(tensors[surrogate.name].begin(), tensors[surrogate.name].end(), uint8_t{100});
  }
  const Status done = interpret(codelet, &machine, tensors);
  if (!done) throw std::runtime_error(render(done.error()));
  return tensors;
}

/// `made` is the codelet of `expected`, and means what `source` means.
void expect(const Result<Codelet>& made, const std::string& expected, const Codelet& source,
            const acg::Machine& machine) {
  ASSERT_TRUE(made) << render(made.error());
  EXPECT_EQ(print(*made), print(parsed(expected)));
  const Status verified = codelet::verify(*made, &machine);
  EXPECT_TRUE(verified) << render(verified.error());
  EXPECT_EQ(outputs_of(*made, machine), outputs_of(source, machine));
}

const char* const kTensors = "x=inp([12],i8,\"D\"); y=out([12],i8,\"D\"); ";
const char* const kLane = "compute P { unit = described; (i8,2) = MOVE((i8,2)); (i8,2) = ADD((i8,2),(i8,2)); } ";

TEST(StrideLoops, WhereAllUsesHaveOneFactor) {
  const acg::Machine any = machine("");
  const Codelet chunks =
      parsed(std::string(kTensors) + "loop n(3) { loop m(2) { y[n*4+m*2]=compute(null,\"MOVE\",x[n*8+m*2-4*n]); } }");
  expect(
      stride_loops(chunks),
      std::string(kTensors) + "loop n(12, stride=4) { loop m(4, stride=2) { y[n+m]=compute(null,\"MOVE\",x[n+m]); } }",
      chunks, any);
  const Codelet mixed = parsed(std::string(kTensors) + "loop n(3) { y[n*2]=compute(null,\"MOVE\",x[n*3]); }");
  expect(stride_loops(mixed), print(mixed).substr(8, print(mixed).rfind('}') - 8), mixed, any);
}

TEST(InsertTransfers, OneForEachEdgeOfTheWay) {
  const acg::Machine far = machine(
      "memory L { data_width = 16; depth = 64; } memory S { data_width = 16; depth = 8; }"
      "edge D <-> L { bandwidth = 64; } edge L <-> S { bandwidth = 32; } " +
      std::string(kLane) + "edge S <-> P;");
  const Codelet source = parsed(std::string(kTensors) + "loop n(12, stride=2) { y[n]=compute(\"P\",\"MOVE\",x[n]); }");
  expect(insert_transfers(source, far),
         std::string(kTensors) +
             "y1=transfer(i8(0),\"S\",[2]); loop n(12, stride=2) { x1=transfer(x[n],\"L\",[2]);"
             "x2=transfer(x1,\"S\",[2]); y1[0]=compute(\"P\",\"MOVE\",x2); y2=transfer(y1,\"L\",[2]);"
             "transfer(y2,y[n],[2]); }",
         source, far);
}

TEST(InsertTransfers, SumsStayUntilTheyAreComplete) {
  const acg::Machine near = machine(
      "memory S { data_width = 8; depth = 64; } edge D <-> S { bandwidth = 64; }"
      "compute P { unit = described; (i32,2) = GEMM((i8,3),(i8,3,2),(i32,2)); } edge S <-> P;");
  const char* const tensors =
      "x=inp([2,6],i8,\"D\"); w=inp([6,4],i8,\"D\"); b=inp([4],i32,\"D\"); y=out([2,4],i32,\"D\"); ";
  const Codelet source = parsed(std::string(tensors) +
                                "loop n(2) { loop o(4, stride=2) { loop k(6, stride=3) {"
                                "y[n,o]=compute(\"P\",\"GEMM\",x[n,k],w[k,o],b[o]); } } }");
  expect(insert_transfers(source, near),
         std::string(tensors) +
             "loop n(2) { loop o(4, stride=2) { y1=transfer(i32(0),\"S\",[1,2]); loop k(6, stride=3) {"
             "x1=transfer(x[n,k],\"S\",[1,3]); w1=transfer(w[k,o],\"S\",[3,2]); b1=transfer(b[o],\"S\",[2]);"
             "y1[0,0]=compute(\"P\",\"GEMM\",x1,w1,b1); } transfer(y1,y[n,o],[1,2]); } }",
         source, near);
}

acg::Machine narrow(int depth, int bandwidth) {
  return machine("memory S { data_width = 16; depth = " + std::to_string(depth) +
                 "; } edge D <-> S { bandwidth = " + std::to_string(bandwidth) + "; } " + kLane + "edge S <-> P;");
}

std::string moved(int elements, const std::string& compute) {
  const std::string n = std::to_string(elements);
  return std::string(kTensors) + "y1=transfer(i8(0),\"S\",[" + n + "]); loop n(12, stride=" + n +
         ") { x1=transfer(x[n],\"S\",[" + n + "]); " + compute + " transfer(y1,y[n],[" + n + "]); }";
}

TEST(Unroll, UntilTheEdgeOrTheMemoryIsFull) {
  const Codelet source = parsed(moved(2, "y1[0]=compute(\"P\",\"MOVE\",x1);"));
  const auto grown = [](int elements) {
    return moved(elements,
                 "loop n1(" + std::to_string(elements) + ", stride=2) { y1[n1]=compute(\"P\",\"MOVE\",x1[n1]); }");
  };
  expect(unroll(source, narrow(64, 48)), grown(6), source, narrow(64, 48));
  // Forty bits carry five elements: four of them, since five steps do not divide twelve elements.
  expect(unroll(source, narrow(64, 40)), grown(4), source, narrow(64, 40));
  // The memory holds eight bytes: two tiles of four.
  expect(unroll(source, narrow(4, 96)), grown(4), source, narrow(4, 96));
  expect(unroll(source, narrow(64, 16)), moved(2, "y1[0]=compute(\"P\",\"MOVE\",x1);"), source, narrow(64, 16));
}

TEST(Unroll, NotWhereAStepDependsOnAnother) {
  // Each step adds to what the step before it has stored.
  const std::string running =
      "x=inp([12],i8,\"D\"); y=out([14],i8,\"D\"); y1=transfer(i8(0),\"S\",[2]); loop n(12, stride=2) {"
      "x1=transfer(x[n],\"S\",[2]); y2=transfer(y[n],\"S\",[2]); y1[0]=compute(\"P\",\"ADD\",x1,y2);"
      "transfer(y1,y[n+2],[2]); }";
  expect(unroll(parsed(running), narrow(64, 96)), running, parsed(running), narrow(64, 96));
}

TEST(Unroll, NotWhereAStoreLeavesGaps) {
  const std::string spread =
      "x=inp([12],i8,\"D\"); y=out([24],i8,\"D\"); y1=transfer(i8(0),\"S\",[2]); loop n(12, stride=2) {"
      "x1=transfer(x[n],\"S\",[2]); y1[0]=compute(\"P\",\"MOVE\",x1); transfer(y1,y[n*2],[2]); }";
  expect(unroll(parsed(spread), narrow(64, 96)), spread, parsed(spread), narrow(64, 96));
}

const char* const kTwoNodes =
    "compute P { unit = described; (i8,4) = MOVE((i8,4)); (i8,4) = ADD((i8,4),(i8,4)); }"
    "compute Q { unit = described; (i8,2) = MOVE((i8,2)); (i8,2) = ADD((i8,2),(i8,2)); } ";

TEST(Parallelise, OnlyNodesThatOneMemoryFeeds) {
  const acg::Machine together = machine("memory S { data_width = 8; depth = 64; } edge D <-> S { bandwidth = 64; } " +
                                        std::string(kTwoNodes) + "edge S <-> P; edge S <-> Q;");
  const acg::Machine apart = machine(
      "memory S { data_width = 8; depth = 64; } edge D <-> S { bandwidth = 64; }"
      "memory T { data_width = 8; depth = 64; } edge D <-> T { bandwidth = 64; } " +
      std::string(kTwoNodes) + "edge S <-> P; edge T <-> Q;");
  const Codelet source = parsed(std::string(kTensors) + "loop n(12, stride=4) { y[n]=compute(\"P\",\"MOVE\",x[n]); }");
  expect(parallelise(source, together),
         std::string(kTensors) +
             "loop n(12, stride=6) { y[n]=compute(\"P\",\"MOVE\",x[n]);"
             "y[n+4]=compute(\"Q\",\"MOVE\",x[n+4]); }",
         source, together);
  expect(parallelise(source, apart),
         std::string(kTensors) + "loop n(12, stride=4) { y[n]=compute(\"P\",\"MOVE\",x[n]); }", source, apart);
  // A local in S is out of reach for Q.
  const std::string local =
      "x=inp([12],i8,\"D\"); y=out([12],i8,\"D\"); x1=transfer(x,\"S\",[12]);"
      "y1=transfer(i8(0),\"S\",[12]); loop n(12, stride=4) {"
      "y1[n]=compute(\"P\",\"MOVE\",x1[n]); } transfer(y1,y,[12]);";
  expect(parallelise(parsed(local), apart), local, parsed(local), apart);
}

TEST(Parallelise, NotWhereAStepReadsWhatAnotherWrites) {
  const acg::Machine together = machine("memory S { data_width = 8; depth = 64; } edge D <-> S { bandwidth = 64; } " +
                                        std::string(kTwoNodes) + "edge S <-> P; edge S <-> Q;");
  const std::string shifting =
      "x=inp([12],i8,\"D\"); y=out([16],i8,\"D\"); loop n(12, stride=4) {"
      "y[n+4]=compute(\"P\",\"ADD\",x[n],y[n]); }";
  expect(parallelise(parsed(shifting), together), shifting, parsed(shifting), together);
}

}  // namespace
}  // namespace covenant::compiler
