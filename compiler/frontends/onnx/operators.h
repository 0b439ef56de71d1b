/// The ONNX operators that the front end reads.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace covenant::compiler::frontend {

inline constexpr size_t kAnyNumber = SIZE_MAX;

struct OperatorRule {
  std::string_view name;  ///< preceded by the domain unless it is ONNX's own: "com.microsoft.QGemm"
  size_t least_inputs;
  size_t most_inputs;                          ///< kAnyNumber: unlimited
  std::array<std::string_view, 9> attributes;  ///< attributes that it may have; any other is refused
  bool quantized;                              ///< its presence makes the model a quantised one
};

const OperatorRule* find_operator(std::string_view name);
std::vector<std::string> operator_names();

}  // namespace covenant::compiler::frontend
