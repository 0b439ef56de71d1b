#include "runtime/session/image.h"

#include <algorithm>
#include <set>
#include <span>
#include <string>

#include "runtime/session/boundary.h"
#include "runtime/session/state.h"

namespace covenant::runtime {
namespace {

std::string text_of(const std::vector<uint64_t>& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ",") + std::to_string(shape[i]);
  return text + "]";
}

/// Each once, in the order of the bindings.
std::vector<std::string> names_of(const std::vector<acg::TensorBinding>& bindings) {
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const acg::TensorBinding& binding : bindings) {
    if (seen.insert(binding.name).second) names.push_back(binding.name);
  }
  return names;
}

Status check_input(const acg::TensorBinding& binding, const Tensor& tensor) {
  if (tensor.shape != binding.shape) {
    return Diagnostic{"RUN0003",
                      {},
                      tensor.name,
                      "an input has the wrong shape",
                      text_of(tensor.shape),
                      {text_of(binding.shape)},
                      "reshape it, or compile the model for this shape"};
  }
  if (!holds(tensor.dtype, model_dtype(binding))) {
    return Diagnostic{"RUN0004",
                      {},
                      tensor.name,
                      "an input has the wrong element type",
                      std::string(name(tensor.dtype)),
                      {std::string(name(model_dtype(binding)))},
                      "convert it"};
  }
  uint64_t size = bytes(tensor.dtype);
  for (const uint64_t extent : tensor.shape) size *= extent;
  if (tensor.bytes.size() != size) {
    return Diagnostic{"RUN0008",
                      {},
                      tensor.name,
                      "an input's bytes do not fill its shape",
                      std::to_string(tensor.bytes.size()) + " bytes",
                      {std::to_string(size) + " bytes"},
                      "give every element"};
  }
  return Done{};
}

Status check_names(const std::vector<acg::TensorBinding>& forms, const std::vector<acg::StateTensor>& state,
                   const std::vector<Tensor>& inputs) {
  const std::vector<std::string> names = names_of(forms);
  std::set<std::string> given;
  for (const Tensor& tensor : inputs) {
    if (std::find(names.begin(), names.end(), tensor.name) == names.end()) {
      return Diagnostic{"RUN0002", {}, "", "the program has no such input", tensor.name, names, "name one of these"};
    }
    if (!given.insert(tensor.name).second) {
      return Diagnostic{"RUN0006", {}, "", "an input is given twice", tensor.name, names, "give it once"};
    }
  }
  for (const std::string& name : names) {
    const bool is_state = std::ranges::find(state, name, &acg::StateTensor::input) != state.end();
    if (given.contains(name) || is_state) continue;
    return Diagnostic{"RUN0001", {}, "", "an input is missing", name, names, "give all of these"};
  }
  return Done{};
}

/// Bindings of an input: one for each quantisation in which the program takes it.
std::vector<const acg::TensorBinding*> bindings_of(const std::vector<acg::TensorBinding>& forms, const Tensor& tensor) {
  std::vector<const acg::TensorBinding*> bindings;
  for (const acg::TensorBinding& binding : forms) {
    if (binding.name == tensor.name) bindings.push_back(&binding);
  }
  return bindings;
}

bool fits(uint64_t address, uint64_t size, uint64_t limit) { return address <= limit && size <= limit - address; }

}  // namespace

Status check_memory(const acg::Program& program) {
  const auto refuse = [&](const std::string& what) -> Status {
    return Diagnostic{"RUN0007",
                      {},
                      what,
                      "it lies outside the program's memory",
                      "",
                      {"0.." + std::to_string(program.memory_bytes)},
                      "compile the model again"};
  };
  for (const acg::Segment& segment : program.segments) {
    if (!fits(segment.address, std::max<uint64_t>(segment.size, segment.data.size()), program.memory_bytes)) {
      return refuse("segment " + segment.name);
    }
  }
  for (const std::vector<acg::TensorBinding>* bindings : {&program.inputs, &program.outputs}) {
    for (const acg::TensorBinding& binding : *bindings) {
      const std::optional<uint64_t> size = size_in_memory(binding);
      if (!size || !fits(binding.address, *size, program.memory_bytes)) return refuse("tensor " + binding.name);
    }
  }
  return Done{};
}

std::vector<uint8_t> initial_image(const acg::Program& program) {
  std::vector<uint8_t> image(program.memory_bytes);
  for (const acg::Segment& segment : program.segments) {
    std::copy(segment.data.begin(), segment.data.end(), image.begin() + static_cast<int64_t>(segment.address));
  }
  put_inputs(program, initial_state(program), image);
  return image;
}

Status check_inputs(const acg::Program& program, const std::vector<Tensor>& inputs) {
  return check_inputs(program.inputs, program.state, inputs);
}

Status check_inputs(const std::vector<acg::TensorBinding>& forms, const std::vector<acg::StateTensor>& state,
                    const std::vector<Tensor>& inputs) {
  if (Status status = check_names(forms, state, inputs); !status) return status.error();
  for (const Tensor& tensor : inputs) {
    for (const acg::TensorBinding* binding : bindings_of(forms, tensor)) {
      if (Status status = check_input(*binding, tensor); !status) return status.error();
    }
  }
  return Done{};
}

void put_inputs(const acg::Program& program, const std::vector<Tensor>& inputs, std::vector<uint8_t>& image) {
  for (const Tensor& tensor : inputs) {
    for (const acg::TensorBinding* binding : bindings_of(program.inputs, tensor)) {
      put_padded(*binding, tensor, std::span(image).subspan(binding->address, size_in_memory(*binding).value()));
    }
  }
}

Status write_inputs(const acg::Program& program, const std::vector<Tensor>& inputs, std::vector<uint8_t>& image) {
  if (Status status = check_inputs(program, inputs); !status) return status.error();
  put_inputs(program, inputs, image);
  return Done{};
}

Result<std::vector<uint8_t>> image_of(const acg::Program& program, const std::vector<Tensor>& inputs) {
  if (Status status = check_memory(program); !status) return status.error();
  std::vector<uint8_t> image = initial_image(program);
  if (Status status = write_inputs(program, inputs, image); !status) return status.error();
  return image;
}

void put_right(const acg::Program& program, const std::vector<uint8_t>& image, const sim::ByteBounds& written,
               std::vector<uint8_t>& memory) {
  const auto restore = [&](uint64_t low, uint64_t high) {
    if (low < high) std::copy_n(image.data() + low, high - low, memory.data() + low);
  };
  restore(written.low, written.high);
  for (const acg::TensorBinding& input : program.inputs) {
    restore(input.address, input.address + size_in_memory(input).value());
  }
}

Tensor tensor_in(const acg::TensorBinding& binding, const std::vector<uint8_t>& memory) {
  const std::span<const uint8_t> stored(memory);
  return from_memory(binding, stored.subspan(binding.address, size_in_memory(binding).value()));
}

void put_tensor(const acg::TensorBinding& binding, const Tensor& tensor, std::vector<uint8_t>& memory) {
  put(binding, tensor, std::span(memory).subspan(binding.address, size_in_memory(binding).value()));
}

std::vector<Tensor> outputs_of(const acg::Program& program, const std::vector<uint8_t>& memory) {
  std::vector<Tensor> outputs;
  for (const acg::TensorBinding& binding : program.outputs) outputs.push_back(tensor_in(binding, memory));
  return outputs;
}

}  // namespace covenant::runtime
