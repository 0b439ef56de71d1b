/// Builds the off-chip memory image of a run, and reads its outputs.
#pragma once

#include <cstdint>
#include <vector>

#include "acg/base/result.h"
#include "acg/program/program.h"
#include "runtime/session/tensor.h"
#include "sim/run/byte_bounds.h"

namespace covenant::runtime {

/// Error: RUN0007 if segments or tensors of the program are not within its memory.
Status check_memory(const acg::Program& program);

/// `program.memory_bytes` bytes with the segments in place, and the initial state (state.h). Precondition:
/// check_memory.
std::vector<uint8_t> initial_image(const acg::Program& program);

/// Fails: RUN0001 (missing input that is not state), RUN0002 (unknown name), RUN0003 (wrong shape), RUN0004 (wrong
/// dtype), RUN0006 (given twice), RUN0008 (bytes that do not fill the shape).
Status check_inputs(const acg::Program& program, const std::vector<Tensor>& inputs);
/// The same for inputs in these forms, of which those that are state need not be given.
Status check_inputs(const std::vector<acg::TensorBinding>& forms, const std::vector<acg::StateTensor>& state,
                    const std::vector<Tensor>& inputs);

/// Writes inputs into an image. Precondition: check_inputs.
void put_inputs(const acg::Program& program, const std::vector<Tensor>& inputs, std::vector<uint8_t>& image);

/// Both. Fails as check_inputs.
Status write_inputs(const acg::Program& program, const std::vector<Tensor>& inputs, std::vector<uint8_t>& image);

/// All three. Fails as they do.
Result<std::vector<uint8_t>> image_of(const acg::Program& program, const std::vector<Tensor>& inputs);

/// Makes the memory of a run what `image` is, from which the run began: where it has been `written`, and its inputs.
void put_right(const acg::Program& program, const std::vector<uint8_t>& image, const sim::ByteBounds& written,
               std::vector<uint8_t>& memory);

/// Reads the tensor of a binding from `memory`.
Tensor tensor_in(const acg::TensorBinding& binding, const std::vector<uint8_t>& memory);

/// Writes a tensor to the place of its binding; bytes between its elements are unchanged. Precondition: dtype and shape
/// are those of the binding.
void put_tensor(const acg::TensorBinding& binding, const Tensor& tensor, std::vector<uint8_t>& memory);

/// The outputs in `memory`, in the order of the program.
std::vector<Tensor> outputs_of(const acg::Program& program, const std::vector<uint8_t>& memory);

}  // namespace covenant::runtime
