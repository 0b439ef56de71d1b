/// Inputs and programs that a session refuses.
#include <gtest/gtest.h>
#include <map>

#include "acg/lang/load.h"
#include "compiler/driver/pipeline.h"
#include "runtime/session/run.h"
#include "tests/support/pipeline/random_graph.h"

namespace covenant::runtime {
namespace {

acg::Program program_of_clip() {
  test::GraphMaker maker(1, DType::kU8);
  const test::Graph graph = maker.finish(maker.clip(maker.input({1, 4, 2, 2})));
  Result<acg::Program> program = compiler::compile_graph(graph, *acg::load_machine("genesys"), "clip");
  EXPECT_TRUE(program) << render(program.error());
  return *program;
}

Tensor good() { return {"input", DType::kU8, {1, 4, 2, 2}, std::vector<uint8_t>(16)}; }

Diagnostic refused(const std::vector<Tensor>& inputs, const std::string& backend = "interpret") {
  const Result<RunResult> result = run(program_of_clip(), inputs, {backend, true, false, false});
  if (result) {
    ADD_FAILURE() << "was accepted";
    return {};
  }
  EXPECT_FALSE(result.error().fix.empty());
  return result.error();
}

TEST(RuntimeErrors, GoodInputIsTaken) { EXPECT_TRUE(run(program_of_clip(), {good()}, {"interpret"})); }

TEST(RuntimeErrors, MissingInput) {
  const Diagnostic diagnostic = refused({});
  EXPECT_EQ(diagnostic.code, "RUN0001");
  EXPECT_EQ(diagnostic.offending, "input");
}

TEST(RuntimeErrors, UnknownInput) {
  Tensor other = good();
  other.name = "image";
  const Diagnostic diagnostic = refused({good(), other});
  EXPECT_EQ(diagnostic.code, "RUN0002");
  EXPECT_EQ(diagnostic.allowed, std::vector<std::string>{"input"});
}

TEST(RuntimeErrors, WrongShape) {
  Tensor tensor = good();
  tensor.shape = {1, 2, 2, 4};
  const Diagnostic diagnostic = refused({tensor});
  EXPECT_EQ(diagnostic.code, "RUN0003");
  EXPECT_EQ(diagnostic.offending, "[1,2,2,4]");
  EXPECT_EQ(diagnostic.allowed, std::vector<std::string>{"[1,4,2,2]"});
}

TEST(RuntimeErrors, WrongElementType) {
  Tensor tensor = good();
  tensor.dtype = DType::kF32;
  const Diagnostic diagnostic = refused({tensor});
  EXPECT_EQ(diagnostic.code, "RUN0004");
  EXPECT_EQ(diagnostic.offending, "f32");
  EXPECT_EQ(diagnostic.allowed, std::vector<std::string>{"u8"});
}

TEST(RuntimeErrors, UnknownBackend) {
  const Diagnostic diagnostic = refused({good()}, "fpga");
  EXPECT_EQ(diagnostic.code, "RUN0005");
  EXPECT_EQ(diagnostic.allowed, (std::vector<std::string>{"interpret", "rtl", "systemc"}));
}

TEST(RuntimeErrors, InputGivenTwice) { EXPECT_EQ(refused({good(), good()}).code, "RUN0006"); }

TEST(RuntimeErrors, SegmentOutsideMemory) {
  acg::Program program = program_of_clip();
  program.segments.back().address = program.memory_bytes;
  const Result<Session> session = Session::open(program, "interpret");
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().code, "RUN0007");
}

TEST(RuntimeErrors, CodeletThatDoesNotFitItsSegment) {
  acg::Program program = program_of_clip();
  for (acg::Block& block : program.blocks) {
    const size_t at = block.codelet.find("out([");
    ASSERT_NE(at, std::string::npos) << block.codelet;
    block.codelet.insert(at + 5, "9,");
  }
  const Result<Session> session = Session::open(program, "interpret");
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().code, "RUN0016");
  EXPECT_FALSE(session.error().offending.empty());
  EXPECT_TRUE(Session::open(program, "systemc")) << "it runs words";
}

TEST(RuntimeErrors, TooFewBytes) {
  Tensor tensor = good();
  tensor.bytes.pop_back();
  EXPECT_EQ(refused({tensor}).code, "RUN0008");
}

TEST(RuntimeErrors, TimeOfABackendWithoutTime) {
  const std::map<std::string, RunOptions> cases{{"a trace", {.backend = "interpret", .trace = true}},
                                                {"retire records", {.backend = "interpret", .records = true}},
                                                {"time without values", {.backend = "interpret", .values = false}}};
  for (const auto& [asked, options] : cases) {
    const Result<RunResult> result = run(program_of_clip(), {good()}, options);
    ASSERT_FALSE(result) << asked;
    EXPECT_EQ(result.error().code, "RUN0009");
    EXPECT_EQ(result.error().offending, asked);
    RunOptions with_time = options;
    with_time.backend = "systemc";
    EXPECT_TRUE(run(program_of_clip(), {good()}, with_time)) << asked;
  }
}

}  // namespace
}  // namespace covenant::runtime
