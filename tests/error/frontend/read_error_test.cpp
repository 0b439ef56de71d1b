/// Files that are not quantised models.
#include <gtest/gtest.h>

#include "compiler/frontends/onnx/load_model.h"
#include "compiler/frontends/onnx/onnx.h"
#include "tests/support/folders.h"

namespace covenant::compiler::frontend {
namespace {

const std::string kExamples = source_folder() + "/examples/01_digits/";

TEST(BadFile, MissingFilesAndFoldersAreNamed) {
  for (const std::string& path : {kExamples + "nothere.onnx", kExamples}) {
    const Result<srdfg::Graph> graph = load_model(path);
    ASSERT_FALSE(graph);
    EXPECT_EQ(graph.error().code, "ONX0001");
    EXPECT_EQ(graph.error().where.file, path);
    EXPECT_EQ(graph.error().offending, path);
  }
}

TEST(BadFile, OtherFilesAreNoModels) {
  const Result<srdfg::Graph> graph = load_model(kExamples + "make_models.py");
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().code, "ONX0002");
  EXPECT_EQ(graph.error().where.file, kExamples + "make_models.py");
  EXPECT_EQ(read_onnx_bytes("").error().code, "ONX0002");
}

TEST(BadFile, FloatModelsAreToldHowToBeQuantized) {
  const Result<srdfg::Graph> graph = load_model(kExamples + "digits_float.onnx");
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().code, "ONX0007");
  EXPECT_EQ(graph.error().where.file, kExamples + "digits_float.onnx");
  EXPECT_NE(graph.error().fix.find("covenant quantize"), std::string::npos);
}

}  // namespace
}  // namespace covenant::compiler::frontend
