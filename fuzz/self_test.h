/// A program with its expected results, for a folder of RTL that tests itself.
#pragma once

#include <cstdint>
#include <vector>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "acg/program/program.h"
#include "rtl/gen/self_test.h"
#include "runtime/session/tensor.h"

namespace covenant::runtime {

/// `program` on these inputs: what the SystemC model leaves and how long it takes. Fails as Session::run.
Result<rtl::SelfTest> self_test_of(const acg::Program& program, const std::vector<Tensor>& inputs);

/// The first convolution that random_layer draws for the machine from a fixed seed, compiled: the same for equal
/// machines. Fails as compiler::compile_graph if the machine has no way to do any.
Result<rtl::SelfTest> default_self_test(const acg::Machine& machine);

}  // namespace covenant::runtime
