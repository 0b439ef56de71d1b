/// Compiled networks in lock step: every command and every byte of the digits models.
#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "compiler/driver/pipeline.h"
#include "offchip/make_model.h"
#include "tests/cosim/rtl/lockstep.h"
#include "tests/support/folders.h"
#include "tests/support/pipeline/noise_image.h"

namespace covenant::rtl {
namespace {

using namespace covenant::rtl::testing;

void expect_lockstep(const std::string& file, const std::vector<std::pair<std::string, std::string>>& set,
                     const std::string& memory = "fixed") {
  const auto machine = acg::load_machine("genesys", set);
  ASSERT_TRUE(machine) << render(machine.error());
  const auto program = compiler::compile(source_folder() + "/examples/01_digits/" + file, *machine);
  ASSERT_TRUE(program) << render(program.error());
  const std::vector<uint8_t> image = test::noise_image(*program, 1);
  EXPECT_EQ(lockstep(model_of(*machine), *program, image, nullptr, memory), Outcome::kSame) << file << ' ' << memory;
}

TEST(Digits, QdqModel) { expect_lockstep("digits_qdq.onnx", {{"M", "3"}, {"N", "4"}}); }
TEST(Digits, QOperatorModel) { expect_lockstep("digits_qoperator.onnx", {{"M", "3"}, {"N", "4"}}); }

/// The machine of the demo.
TEST(Digits, SixteenBySixteen) { expect_lockstep("digits_qdq.onnx", {{"M", "16"}, {"N", "16"}}); }

TEST(Digits, WhateverTheMemory) {
  for (const std::string& memory : offchip::memory_names()) {
    expect_lockstep("digits_qdq.onnx", {{"M", "16"}, {"N", "16"}}, memory);
  }
}

/// Larger arrays and other buses: a model each, built when COVENANT_FULL=1.
TEST(Digits, OtherMachines) {
  if (std::getenv("COVENANT_FULL") == nullptr) GTEST_SKIP() << "COVENANT_FULL=1 builds three more models";
  expect_lockstep("digits_qdq.onnx", {{"M", "8"}, {"N", "24"}, {"axi", "64"}});
  expect_lockstep("digits_qdq.onnx", {{"M", "20"}, {"N", "12"}, {"axi", "512"}});
  expect_lockstep("digits_qdq.onnx", {{"M", "8"}, {"N", "8"}, {"dram_latency", "7"}});
}

/// The largest array that is built here: 4,096 matrices of weights in both buffers, beats of 512 bits.
TEST(Digits, SixtyFourBySixtyFour) {
  if (std::getenv("COVENANT_FULL") == nullptr) GTEST_SKIP() << "COVENANT_FULL=1 builds the 64x64 array";
  expect_lockstep("digits_qdq.onnx", {{"M", "64"}, {"N", "64"}, {"axi", "512"}, {"weight_depth", "2048"}});
}

}  // namespace
}  // namespace covenant::rtl
