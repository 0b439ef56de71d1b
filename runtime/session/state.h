/// State: tensors that a program hands from one run to the next.
///
///     std::vector<Tensor> state = initial_state(program);
///     for (...) {
///       inputs.insert(inputs.end(), state.begin(), state.end());
///       const Result<RunResult> result = session.run(inputs);
///       state = next_state(program, result->outputs);
///     }
#pragma once

#include <vector>

#include "acg/program/program.h"
#include "runtime/session/tensor.h"

namespace covenant::runtime {

/// The state before the first run, by the names of inputs: real 0. A run that is not given an input that is state
/// begins with this.
std::vector<Tensor> initial_state(const acg::Program& program);

/// The state after a run with these outputs, by the names of inputs.
std::vector<Tensor> next_state(const acg::Program& program, const std::vector<Tensor>& outputs);

/// The same of these inputs and pairs.
std::vector<Tensor> initial_state(const std::vector<acg::TensorBinding>& inputs,
                                  const std::vector<acg::StateTensor>& state);
std::vector<Tensor> next_state(const std::vector<acg::StateTensor>& state, const std::vector<Tensor>& outputs);

}  // namespace covenant::runtime
