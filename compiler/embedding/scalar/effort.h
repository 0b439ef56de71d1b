/// Workload, instruction and layouts on which the search effort of the paper's Figure 8 is measured.
///
/// Source: Rieber, Acosta and Fröning, "The Programming of Deep Learning Accelerators as a Constraint Satisfaction
/// Problem", section 7. It gives channels and layouts of the convolutions; sizes of images and taps are ours to choose.
#pragma once

#include <cstdint>
#include <string_view>

#include "compiler/embedding/instruction.h"
#include "compiler/embedding/scalar/search.h"
#include "compiler/embedding/workload.h"

namespace covenant::compiler::embedding::scalar {

/// A convolution of one image that is padded already, with stride 1: y[n, oc, oh, ow] += x[n, ic, oh + kh, ow + kw] *
/// w[oc, ic, kh, kw], over axes in this order: n, oc, oh, ow, then ic, kh, kw. As many channels of the output as of the
/// input; the result has pixels x pixels.
Workload convolution(int64_t channels, int64_t pixels, int64_t taps);

/// The instruction of the section: GEMM of 1x16x16, as its capability `(i32,16)=GEMM((i8,16),(i8,16,16),(i32,16))`
/// gives it.
Instruction row_of_16x16();

/// The axes of such a convolution in a layout, letters of which the first is the slowest: those of the output, N, C, H
/// and W; then those that are summed over in the same order, C for channels of the input, H and W for taps.
/// Precondition: each letter once.
AxisOrder order_in(std::string_view layout);

}  // namespace covenant::compiler::embedding::scalar
