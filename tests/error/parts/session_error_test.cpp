/// Inputs and programs that a session of several parts refuses.
#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "compiler/driver/compile_parts.h"
#include "runtime/session/parts_session.h"
#include "tests/support/pipeline/residual_graph.h"

namespace covenant::runtime {
namespace {

acg::ProgramParts program() {
  const acg::Machine machine = *acg::load_machine("genesys:8x8");
  const auto parts = compiler::compile_parts(test::residual_graph(1), machine, {{"conv0", machine}}, "graph");
  EXPECT_TRUE(parts) << render(parts.error());
  return *parts;
}

Tensor good() { return {"input", DType::kI8, {1, 4, 6, 6}, std::vector<uint8_t>(144)}; }

Diagnostic refused(const std::vector<Tensor>& inputs, const SessionOptions& options = {}) {
  const Result<PartsSession> session = PartsSession::open(program(), "interpret");
  const Result<PartsResult> result = session->run(inputs, options);
  if (result) {
    ADD_FAILURE() << "was accepted";
    return {};
  }
  return result.error();
}

TEST(PartsSessionErrors, InputsAreThoseOfTheWhole) {
  EXPECT_EQ(refused({}).code, "RUN0001");
  Tensor tensor = good();
  tensor.name = "conv0.y";
  EXPECT_EQ(refused({good(), tensor}).code, "RUN0002");
  tensor = good();
  tensor.shape = {1, 4, 36};
  EXPECT_EQ(refused({tensor}).code, "RUN0003");
}

TEST(PartsSessionErrors, NameThePart) {
  SessionOptions options;
  options.device.trace = true;
  const Diagnostic said = refused({good()}, options);
  EXPECT_EQ(said.code, "RUN0009");
  EXPECT_EQ(said.subject, "part 1: interpret");
}

TEST(PartsSessionErrors, PartsDoNotShareAFileOfWaveforms) {
  SessionOptions options;
  options.device.wave = "run.fst";
  const Diagnostic said = refused({good()}, options);
  EXPECT_EQ(said.code, "RUN0015");
  EXPECT_EQ(said.offending, "run.fst");
}

TEST(PartsSessionErrors, PartsFitEachOther) {
  acg::ProgramParts parts = program();
  parts.links.clear();
  const Result<PartsSession> session = PartsSession::open(parts, "interpret");
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().code, "PRG0008");
}

}  // namespace
}  // namespace covenant::runtime
