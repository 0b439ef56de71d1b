/// The digits model on a small machine, and its Verilated model.
#pragma once

#include <algorithm>
#include <cstddef>
#include <gtest/gtest.h>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "acg/lang/load.h"
#include "compiler/driver/pipeline.h"
#include "runtime/session/boundary.h"
#include "runtime/session/image.h"
#include "runtime/session/rtl_options.h"
#include "tests/support/folders.h"

namespace covenant::runtime::testing {

using Settings = std::vector<std::pair<std::string, std::string>>;

inline const Settings kSmall{{"M", "3"}, {"N", "4"}};

inline RtlOptions rtl_options(bool wave = false) {
  RtlOptions options;
  options.cache = rtl_models_folder();
  options.checked = true;
  options.quick = true;
  options.wave = wave;
  return options;
}

template <typename T>
T value_of(Result<T> result) {
  if (!result) throw std::runtime_error(render(result.error()));
  return std::move(*result);
}

inline acg::Program digits(const Settings& settings = kSmall) {
  return value_of<acg::Program>(compiler::compile(source_folder() + "/examples/01_digits/digits_qdq.onnx",
                                                  value_of(acg::load_machine("genesys", settings))));
}

/// Noise for every input.
inline std::vector<Tensor> noise(const acg::Program& program, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Tensor> inputs;
  for (const acg::TensorBinding& binding : program.inputs) {
    std::vector<uint8_t> stored(size_in_memory(binding).value());
    std::generate(stored.begin(), stored.end(), [&] { return static_cast<uint8_t>(random()); });
    inputs.push_back(from_memory(binding, stored));
  }
  return inputs;
}

}  // namespace covenant::runtime::testing
