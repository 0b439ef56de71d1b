/// The text of networks: printed, read back, and refused where it is not whole.
#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "acg/program/program_file.h"
#include "compiler/binding/read_network.h"
#include "compiler/driver/pipeline.h"
#include "compiler/network/parse.h"
#include "compiler/network/print.h"
#include "tests/support/folders.h"

namespace covenant::compiler {
namespace {

const std::string kModel = source_folder() + "/examples/01_digits/digits_qdq.onnx";

const acg::Machine& machine() {
  static const acg::Machine loaded = *acg::load_machine("genesys:16x16");
  return loaded;
}

std::string digits() {
  const Result<std::string> text = emit(kModel, machine(), "network");
  return text ? *text : render(text.error());
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), with);
}

/// The network of the digits model with one thing changed is refused so.
void expect_refused(const std::string& what, const std::string& with, const std::string& code) {
  const Result<Network> network = read_network(replaced(digits(), what, with), "text", machine());
  ASSERT_FALSE(network) << what;
  EXPECT_EQ(network.error().code, code) << render(network.error());
}

TEST(NetworkText, IsReadAsItIsPrinted) {
  const std::string text = digits();
  const Result<Network> network = read_network(text, "text", machine());
  ASSERT_TRUE(network) << render(network.error());
  EXPECT_EQ(print(*network), text);
}

TEST(NetworkText, GivesTheSameProgram) {
  const Result<acg::Program> direct = compile(kModel, machine());
  const Result<Network> network = read_network(digits(), "text", machine());
  ASSERT_TRUE(direct && network);
  const Result<acg::Program> again = compile_network(*network, machine());
  ASSERT_TRUE(again) << render(again.error());
  EXPECT_EQ(acg::write_program(*again), acg::write_program(*direct));
}

TEST(NetworkText, IsRefusedWhereItDoesNotGoOn) {
  expect_refused("tensor 0", "tensor 1", "NET0001");
  expect_refused("zero_point=", "zero=", "NET0001");
  expect_refused("strides=[", "strides=[1,", "NET0001");
  expect_refused("param ", "parameter ", "NET0001");
  const Result<Network> cut = read_network(digits().substr(0, 400), "a.network", machine());
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().where.file, "a.network");
  EXPECT_GT(cut.error().where.line, 1U);
}

TEST(NetworkText, IsRefusedWhereItContradictsItself) {
  expect_refused("DRAM allocation=0", "VMEM1 allocation=0", "NET0002");
  expect_refused("allocation=0", "allocation=99", "NET0002");
  expect_refused("allocation=1 strides", "allocation=1 offset=4294967296 strides", "NET0002");
  expect_refused("tensor=0", "tensor=99", "NET0003");
  expect_refused("tensor x=", "tensor q=", "NET0004");
  expect_refused("constant b [", "constant q [", "NET0004");
  expect_refused("\" conv_rows ", "\" no_such ", "NET0020");  // seen as lanes, which its tensors do not share
  const std::string ahead =
      "layer \"ahead\" clip lowering=\"plain\" macs=0 elementwise=0 {\n"
      "param P=1; param C=1; param LOWEST=0; param HIGHEST=1;\n"
      "dtype x u8; dtype y u8; tensor x=1; tensor y=1; }\n  layer ";
  expect_refused("layer ", ahead, "NET0004");
  for (const std::string steps : {"load 0; exp %0", "load 0; load 1; add %0 %1", ""}) {
    const std::string chain = "layer \"ahead\" float_chain lowering=\"plain\" macs=0 elementwise=0 {\nsteps \"" +
                              steps + "\";\ndtype x0 u8; dtype y u8; tensor x0=1; tensor y=1; }\n  layer ";
    expect_refused("layer ", chain, "NET0006");
  }
  expect_refused("layer ",
                 "layer \"ahead\" float_chain lowering=\"plain\" macs=0 elementwise=0 {\nsteps \"load 0\";\n"
                 "dtype x0 f32; dtype y u8; tensor x0=1; tensor y=1; }\n  layer ",
                 "NET0006");
}

/// A layer before all others is refused: its operation and its parts do not fit.
void expect_layer_refused(const std::string& operation, const std::string& parts) {
  const std::string layer =
      "layer \"ahead\" " + operation + " lowering=\"plain\" macs=0 elementwise=0 { " + parts + " }\n  layer ";
  expect_refused("layer ", layer, "NET0004");
}

TEST(NetworkText, IsRefusedIfALayerLacksWhatItsViewsAreMadeOf) {
  expect_layer_refused("copy", "tensor x=0;");
  expect_layer_refused("copy", "tensor y=0;");
  expect_layer_refused("reduce_max", "tensor y=1;");
  expect_layer_refused("reduce_max", "tensor x=1;");
  expect_layer_refused("reduce_max", "tensor x=1; tensor y=8;");
  expect_layer_refused("reduce_max", "tensor x=1; tensor y=1; tensor z=8;");
  expect_layer_refused("softmax_sum", "tensor x=8; tensor m=8; tensor y=1;");
  expect_layer_refused("row_mean", "tensor x=1; tensor y=1;");
  expect_layer_refused("row_mean", "param L=0; tensor x=1; tensor y=1;");
  expect_layer_refused("row_mean", "param L=-1; tensor x=1; tensor y=1;");
  expect_layer_refused("row_mean", "param L=f32 1; tensor x=1; tensor y=1;");
  expect_layer_refused("row_mean", "param L=8; param T=4294967296; tensor x=1; tensor y=1;");
}

TEST(NetworkText, IsRefusedIfSumsAreDoubledThatNothingScales) {
  expect_refused("param ", "param DOUBLINGS=1000000000; param ", "NET0004");
  expect_refused("param ", "param DOUBLINGS=0; param ", "NET0004");
  expect_refused("param ", "param DOUBLINGS=f32 1; param ", "NET0004");
  const std::string clip =
      "param P=1; param C=1; param LOWEST=0; param HIGHEST=1; param DOUBLINGS=1; dtype x u8; dtype y u8;";
  expect_layer_refused("clip", clip + " tensor x=1; tensor y=1;");
}

/// Loads of one tile may come after stores of another.
TEST(NetworkText, IsRefusedIfALayerWritesWhatItReads) {
  expect_refused("DRAM allocation=2", "DRAM allocation=1", "NET0008");
}

TEST(NetworkText, ReadsWhatWasWritten) {
  std::string text = digits();
  const size_t first = text.find("  layer ");
  const size_t second = text.find("  layer ", first + 1);
  ASSERT_NE(second, std::string::npos);
  text.erase(first, second - first);
  const Result<Network> network = read_network(text, "text", machine());
  ASSERT_FALSE(network);
  EXPECT_EQ(network.error().code, "NET0005");
}

}  // namespace
}  // namespace covenant::compiler
