#include "runtime/session/state.h"

#include <algorithm>
#include <string>

#include "acg/base/check.h"
#include "runtime/session/boundary.h"

namespace covenant::runtime {
namespace {

const acg::TensorBinding& binding_named(const std::vector<acg::TensorBinding>& bindings, const std::string& name) {
  const auto found = std::ranges::find(bindings, name, &acg::TensorBinding::name);
  check(found != bindings.end(), "state is of inputs and outputs of the program");
  return *found;
}

}  // namespace

std::vector<Tensor> initial_state(const acg::Program& program) { return initial_state(program.inputs, program.state); }

std::vector<Tensor> next_state(const acg::Program& program, const std::vector<Tensor>& outputs) {
  return next_state(program.state, outputs);
}

std::vector<Tensor> initial_state(const std::vector<acg::TensorBinding>& inputs,
                                  const std::vector<acg::StateTensor>& pairs) {
  std::vector<Tensor> state;
  for (const acg::StateTensor& pair : pairs) {
    const acg::TensorBinding& binding = binding_named(inputs, pair.input);
    const DType dtype = held_as(model_dtype(binding));
    uint64_t elements = 1;
    for (const uint64_t extent : binding.shape) elements *= extent;
    Tensor tensor{pair.input, dtype, binding.shape, std::vector<uint8_t>(elements * bytes(dtype))};
    // Quantised elements of real 0 are the zero point, with which padding is filled, too.
    if (!binding.host_quantizes) {
      const size_t width = bytes(dtype);
      for (size_t i = 0; i < tensor.bytes.size(); ++i) {
        tensor.bytes[i] = static_cast<uint8_t>(static_cast<uint32_t>(binding.pad_value) >> (8 * (i % width)));
      }
    }
    state.push_back(std::move(tensor));
  }
  return state;
}

std::vector<Tensor> next_state(const std::vector<acg::StateTensor>& pairs, const std::vector<Tensor>& outputs) {
  std::vector<Tensor> state;
  for (const acg::StateTensor& pair : pairs) {
    const auto found = std::ranges::find(outputs, pair.output, &Tensor::name);
    check(found != outputs.end(), "a run gives all outputs of the program");
    state.push_back(*found);
    state.back().name = pair.input;
  }
  return state;
}

}  // namespace covenant::runtime
