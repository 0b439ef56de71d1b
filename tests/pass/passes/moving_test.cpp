// The results of strip_mine, insert_transfers and hoist for a codelet. Each case also gives the same bits before and
// after each of the three. The paper's figures are in tests/golden/figures.
#include <gtest/gtest.h>
#include <numeric>

#include "acg/lang/load.h"
#include "compiler/codelet/interpret.h"
#include "compiler/codelet/parse.h"
#include "compiler/codelet/print.h"
#include "compiler/codelet/rewrite.h"
#include "compiler/codelet/verify.h"
#include "compiler/passes/hoist.h"
#include "compiler/passes/insert_transfers.h"
#include "compiler/passes/strip_mine.h"
#include "compiler/schedule/splits.h"
#include "tests/support/acg/taken.h"

namespace covenant::compiler {
namespace {

using codelet::Bindings;
using codelet::Codelet;
using test::taken;

Codelet parsed(const std::string& body) { return taken(codelet::parse("cdlt c { " + body + " }", "c.cdlt")); }

acg::Machine machine(const std::string& body) {
  return taken(acg::parse_machine("acg small { memory D { kind = offchip; depth = 1M; } " + body + " }", "small.acg"));
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

/// `made` is the codelet of `expected`, is well formed, and means what `source` means.
void expect(const Codelet& made, const std::string& expected, const Codelet& source, const acg::Machine& machine) {
  EXPECT_EQ(print(made), print(parsed(expected)));
  EXPECT_EQ(taken(codelet::parse(print(made), "again.cdlt")), made);
  const Status verified = codelet::verify(made, &machine);
  EXPECT_TRUE(verified) << render(verified.error());
  EXPECT_EQ(outputs_of(made, machine), outputs_of(source, machine));
}

/// The results of the three passes, one after the other.
struct Stages {
  Codelet mined;
  Codelet moved;
  Codelet hoisted;
};

Stages stages_of(const Codelet& source, const acg::Machine& machine, const std::vector<Part>& parts) {
  const Codelet mined = strip_mine(source, machine, parts);
  const Codelet moved = insert_transfers(mined, machine);
  return {mined, moved, hoist(moved)};
}

const char* const kTensors = "x=inp([12],i8,\"D\"); y=out([12],i8,\"D\"); ";
const char* const kMove = "loop n(6) { y[n*2]=compute(\"P\",\"MOVE\",x[n*2]); }";

acg::Machine one_memory() {
  return machine(
      "memory S { data_width = 16; depth = 64; } edge D <-> S { bandwidth = 64; }"
      "compute P { unit = described; (i8,2) = MOVE((i8,2)); (i8,2) = ADD((i8,2),(i8,2)); } edge S <-> P;");
}

/// Two memories and a register file on the way to the node.
acg::Machine three_memories() {
  return machine(
      "memory L { data_width = 16; depth = 64; } memory S { data_width = 16; depth = 8; }"
      "memory R { kind = register_file; data_width = 8; depth = 8; }"
      "edge D <-> L { bandwidth = 64; } edge L <-> S { bandwidth = 32; } edge S <-> R { bandwidth = 16; }"
      "compute P { unit = described; (i8,2) = MOVE((i8,2)); } edge R <-> P;");
}

TEST(Passes, MoveOneTileAtATime) {
  const acg::Machine near = one_memory();
  const Codelet source = parsed(std::string(kTensors) + kMove);
  const Stages made = stages_of(source, near, {{taken(tile_problem(source, near, 0)), {3}}});
  expect(made.mined,
         std::string(kTensors) +
             "loop n(6, stride=3, level=1) { loop n1(3) {"
             "y[n*2+n1*2]=compute(\"P\",\"MOVE\",x[n*2+n1*2]); } }",
         source, near);
  const std::string moved = std::string(kTensors) +
                            "loop n(6, stride=3) { x1=transfer(x[n*2],\"S\",[6]); y1=transfer(i8(0),\"S\",[6]);"
                            "loop n1(3) { y1[n1*2]=compute(\"P\",\"MOVE\",x1[n1*2]); } transfer(y1,y[n*2],[6]); }";
  expect(made.moved, moved, source, near);
  expect(made.hoisted,
         std::string(kTensors) +
             "loop n(6, stride=3) { y1=transfer(i8(0),\"S\",[6]); x1=transfer(x[n*2],\"S\",[6]);"
             "loop n1(3) { y1[n1*2]=compute(\"P\",\"MOVE\",x1[n1*2]); } transfer(y1,y[n*2],[6]); }",
         source, near);
}

TEST(Passes, MoveWholeTensorsWithoutTileLoops) {
  const acg::Machine near = one_memory();
  const Codelet source = parsed(std::string(kTensors) + kMove);
  expect(insert_transfers(source, near),
         std::string(kTensors) +
             "x1=transfer(x[0],\"S\",[12]); y1=transfer(i8(0),\"S\",[12]);"
             "loop n(6) { y1[n*2]=compute(\"P\",\"MOVE\",x1[n*2]); } transfer(y1,y[0],[12]);",
         source, near);
}

TEST(Passes, MoveAlongAnyPathOfMemories) {
  const acg::Machine far = three_memories();
  const Codelet source = parsed(std::string(kTensors) + kMove);
  const TileProblem problem = taken(tile_problem(source, far, 0));
  // One size for all: the tile goes from memory to memory.
  expect(stages_of(source, far, {{problem, {1}}}).hoisted,
         std::string(kTensors) +
             "loop n(6) { y1=transfer(i8(0),\"R\",[2]); x1=transfer(x[n*2],\"L\",[2]); x2=transfer(x1,\"S\",[2]);"
             "x3=transfer(x2,\"R\",[2]); y1[0]=compute(\"P\",\"MOVE\",x3[0]); y2=transfer(y1,\"S\",[2]);"
             "y3=transfer(y2,\"L\",[2]); transfer(y3,y[n*2],[2]); }",
         source, far);
}

TEST(Passes, MoveTilesOfASizeForEachMemory) {
  const acg::Machine far = three_memories();
  const Codelet source = parsed(std::string(kTensors) + kMove);
  const Stages made = stages_of(source, far, {{taken(tile_problem(source, far, 0)), {6}, {{3}, {1}}}});
  expect(made.mined,
         std::string(kTensors) +
             "loop n(6, stride=3, level=2) { loop n1(3, level=3) {"
             "y[n*2+n1*2]=compute(\"P\",\"MOVE\",x[n*2+n1*2]); } }",
         source, far);
  expect(made.hoisted,
         std::string(kTensors) +
             "y1=transfer(i8(0),\"L\",[12]); x1=transfer(x[0],\"L\",[12]);"
             "loop n(6, stride=3) { y2=transfer(i8(0),\"S\",[6]); x2=transfer(x1[n*2],\"S\",[6]);"
             "loop n1(3) { y3=transfer(i8(0),\"R\",[2]); x3=transfer(x2[n1*2],\"R\",[2]);"
             "y3[0]=compute(\"P\",\"MOVE\",x3[0]); transfer(y3,y2[n1*2],[2]); }"
             "transfer(y2,y1[n*2],[6]); } transfer(y1,y[0],[12]);",
         source, far);
}

const char* const kProductTensors =
    "x=inp([2,6],i8,\"D\"); w=inp([6,4],i8,\"D\"); b=inp([4],i32,\"D\"); y=out([2,4],i32,\"D\"); ";
const char* const kProduct =
    "loop n(2) { loop o(2) { loop k(2) { y[n,o*2]=compute(\"P\",\"GEMM\",x[n,k*3],w[k*3,o*2],b[o*2]); } } }";

acg::Machine product_machine(const std::string& memories) {
  return machine(memories + "compute P { unit = described; (i32,2) = GEMM((i8,3),(i8,3,2),(i32,2)); } edge S <-> P;");
}

TEST(Passes, KeepASumUntilItIsComplete) {
  const acg::Machine near =
      product_machine("memory S { data_width = 8; depth = 64; } edge D <-> S { bandwidth = 64; }");
  const Codelet source = parsed(std::string(kProductTensors) + kProduct);
  const Stages made = stages_of(source, near, {{taken(tile_problem(source, near, 0)), {2, 1, 1}}});
  expect(made.moved,
         std::string(kProductTensors) +
             "loop o(2) { y1=transfer(i32(0),\"S\",[2,2]); loop k(2) {"
             "x1=transfer(x[0,k*3],\"S\",[2,3]); w1=transfer(w[k*3,o*2],\"S\",[3,2]); b1=transfer(b[o*2],\"S\",[2]);"
             "loop n(2) { y1[n,0]=compute(\"P\",\"GEMM\",x1[n,0],w1[0,0],b1[0]); } } transfer(y1,y[0,o*2],[2,2]); }",
         source, near);
  // The bias does not change with k.
  expect(made.hoisted,
         std::string(kProductTensors) +
             "loop o(2) { y1=transfer(i32(0),\"S\",[2,2]); b1=transfer(b[o*2],\"S\",[2]); loop k(2) {"
             "x1=transfer(x[0,k*3],\"S\",[2,3]); w1=transfer(w[k*3,o*2],\"S\",[3,2]);"
             "loop n(2) { y1[n,0]=compute(\"P\",\"GEMM\",x1[n,0],w1[0,0],b1[0]); } } transfer(y1,y[0,o*2],[2,2]); }",
         source, near);
}

TEST(Passes, HoistThroughSeveralLoopsAndMemories) {
  const acg::Machine far = product_machine(
      "memory L { data_width = 8; depth = 256; } memory S { data_width = 8; depth = 64; }"
      "edge D <-> L { bandwidth = 64; } edge L <-> S { bandwidth = 64; }");
  const Codelet source = parsed(std::string(kProductTensors) + kProduct);
  // All of it lies in L; S holds one vector of sums, of which the loop over n is the outer one.
  const Stages made = stages_of(source, far, {{taken(tile_problem(source, far, 0)), {2, 2, 2}, {{1, 1, 2}}}});
  expect(made.hoisted,
         std::string(kProductTensors) +
             "y1=transfer(i32(0),\"L\",[2,4]); x1=transfer(x[0,0],\"L\",[2,6]); w1=transfer(w[0,0],\"L\",[6,4]);"
             "b1=transfer(b[0],\"L\",[4]);"
             "loop n(2) { x2=transfer(x1[n,0],\"S\",[1,6]); loop o(2) { y2=transfer(i32(0),\"S\",[1,2]);"
             "w2=transfer(w1[0,o*2],\"S\",[6,2]); b2=transfer(b1[o*2],\"S\",[2]);"
             "loop k(2) { y2[0,0]=compute(\"P\",\"GEMM\",x2[0,k*3],w2[k*3,0],b2[0]); }"
             "transfer(y2,y1[n,o*2],[1,2]); } } transfer(y1,y[0,0],[2,4]);",
         source, far);
}

TEST(Passes, KeepWhatAnEarlierPartHasLoaded) {
  const acg::Machine near = one_memory();
  const Codelet source = parsed(
      "x=inp([12],i8,\"D\"); s=inp([2],i8,\"D\"); y=out([12],i8,\"D\");"
      "loop n(6) { y[n*2]=compute(\"P\",\"ADD\",x[n*2],s[0]); }");
  const TileProblem problem = taken(tile_problem(source, near, 0));
  const Stages made = stages_of(source, near, {{part_of(problem, 0, 0, 4), {2}}, {part_of(problem, 0, 4, 6), {2}}});
  expect(made.hoisted,
         "x=inp([12],i8,\"D\"); s=inp([2],i8,\"D\"); y=out([12],i8,\"D\");"
         "s1=transfer(s[0],\"S\",[2]);"
         "loop n(4, stride=2) { y1=transfer(i8(0),\"S\",[4]); x1=transfer(x[n*2],\"S\",[4]);"
         "loop n1(2) { y1[n1*2]=compute(\"P\",\"ADD\",x1[n1*2],s1[0]); } transfer(y1,y[n*2],[4]); }"
         "y2=transfer(i8(0),\"S\",[4]); x2=transfer(x[8],\"S\",[4]);"
         "loop n(2) { y2[n*2]=compute(\"P\",\"ADD\",x2[n*2],s1[0]); } transfer(y2,y[8],[4]);",
         source, near);
}

TEST(Passes, GiveEachPartItsOwnLocals) {
  const acg::Machine near = one_memory();
  const Codelet source = parsed(
      "x=inp([12],i8,\"D\"); y=out([12],i8,\"D\"); t=local([12],i8,null);"
      "loop n(6) { t[n*2]=compute(\"P\",\"MOVE\",x[n*2]); y[n*2]=compute(\"P\",\"ADD\",t[n*2],t[n*2]); }");
  const TileProblem problem = taken(tile_problem(source, near, 0));
  const Stages made = stages_of(source, near, {{part_of(problem, 0, 0, 4), {2}}, {part_of(problem, 0, 4, 6), {2}}});
  expect(
      made.hoisted,
      "x=inp([12],i8,\"D\"); y=out([12],i8,\"D\");"
      "loop n(4, stride=2) { t1=transfer(i8(0),\"S\",[4]); y1=transfer(i8(0),\"S\",[4]); x1=transfer(x[n*2],\"S\",[4]);"
      "loop n1(2) { t1[n1*2]=compute(\"P\",\"MOVE\",x1[n1*2]); }"
      "loop n1(2) { y1[n1*2]=compute(\"P\",\"ADD\",t1[n1*2],t1[n1*2]); } transfer(y1,y[n*2],[4]); }"
      "t2=transfer(i8(0),\"S\",[4]); y2=transfer(i8(0),\"S\",[4]); x2=transfer(x[8],\"S\",[4]);"
      "loop n(2) { t2[n*2]=compute(\"P\",\"MOVE\",x2[n*2]); }"
      "loop n(2) { y2[n*2]=compute(\"P\",\"ADD\",t2[n*2],t2[n*2]); } transfer(y2,y[8],[4]);",
      source, near);
}

TEST(Passes, ShareAStepBetweenNodes) {
  const acg::Machine both = machine(
      "memory S { data_width = 8; depth = 64; } edge D <-> S { bandwidth = 64; }"
      "compute P { unit = described; (i8,4) = MOVE((i8,4)); } compute Q { unit = described; (i8,2) = MOVE((i8,2)); }"
      "compute R { unit = described; (i8,1) = MOVE((i8,1)); } edge S <-> P; edge S <-> Q; edge S <-> R;");
  const Codelet source = parsed(std::string(kTensors) + "loop n(12) { y[n]=compute(\"R\",\"MOVE\",x[n]); }");
  const Part shared{taken(tile_problem(source, both, 0)), {12}, {}, SharedStep{0, {{"P", 4}, {"Q", 2}}}};
  const Stages made = stages_of(source, both, {shared});
  expect(made.hoisted,
         std::string(kTensors) +
             "y1=transfer(i8(0),\"S\",[12]); x1=transfer(x[0],\"S\",[12]); loop n(12, stride=6) {"
             "y1[n]=compute(\"P\",\"MOVE\",x1[n]); y1[n+4]=compute(\"Q\",\"MOVE\",x1[n+4]); } transfer(y1,y[0],[12]);",
         source, both);
}

}  // namespace
}  // namespace covenant::compiler
