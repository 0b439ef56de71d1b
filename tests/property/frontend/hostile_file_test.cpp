/// Files of any content are refused or read, never crashed on.
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <random>
#include <string>

#include "compiler/frontends/onnx/normalize.h"
#include "compiler/frontends/onnx/onnx.h"
#include "compiler/srdfg/verify.h"
#include "tests/support/folders.h"

namespace covenant::compiler::frontend {
namespace {

std::string file_bytes(const std::string& name) {
  std::ifstream stream(source_folder() + "/examples/01_digits/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// Reads and normalises; what is accepted must be well formed.
bool accepted(const std::string& bytes) {
  const Result<srdfg::Graph> model = read_onnx_bytes(bytes);
  if (!model) {
    EXPECT_EQ(model.error().code.substr(0, 3), "ONX");
    return false;
  }
  EXPECT_TRUE(srdfg::verify(*model)) << render(srdfg::verify(*model).error());
  const Result<srdfg::Graph> graph = normalize(*model);
  if (!graph) {
    EXPECT_EQ(graph.error().code.substr(0, 3), "ONX");
    return false;
  }
  return true;
}

class Hostile : public testing::TestWithParam<const char*> {};

TEST_P(Hostile, TruncatedFilesAreRefused) {
  const std::string whole = file_bytes(GetParam());
  ASSERT_TRUE(accepted(whole));
  for (size_t length = 0; length < whole.size(); length += 1 + length / 50) {
    EXPECT_FALSE(accepted(whole.substr(0, length))) << "first " << length << " bytes";
  }
}

TEST_P(Hostile, DamagedFilesNeverCrash) {
  constexpr uint32_t kSeed = 20240611;
  RecordProperty("seed", static_cast<int>(kSeed));
  std::mt19937 generator(kSeed);
  const std::string whole = file_bytes(GetParam());
  int refused = 0;
  for (int trial = 0; trial < 1500; ++trial) {
    std::string damaged = whole;
    const int changes = 1 + static_cast<int>(generator() % 4);
    for (int change = 0; change < changes; ++change) {
      // Half of the changes fall into the first 3,000 bytes, where nodes and attributes are.
      const size_t range = generator() % 2 == 0 ? 3000 : damaged.size();
      damaged[generator() % range] = static_cast<char>(generator());
    }
    SCOPED_TRACE("seed " + std::to_string(kSeed) + ", trial " + std::to_string(trial));
    refused += accepted(damaged) ? 0 : 1;
  }
  EXPECT_GT(refused, 300);
}

INSTANTIATE_TEST_SUITE_P(Digits, Hostile, testing::Values("digits_qoperator.onnx", "digits_qdq.onnx"),
                         [](const auto& entry) { return std::string(entry.param).substr(7, 3); });

}  // namespace
}  // namespace covenant::compiler::frontend
