/// Workloads and instructions for tests of embeddings.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "compiler/embedding/instruction.h"
#include "compiler/embedding/workload.h"

namespace covenant::test {

/// A convolution of DeepBench: input [batch, channels, rows, columns], weights [outputs, channels, height, width].
struct Conv {
  int64_t batch = 1, channels = 1, rows = 1, columns = 1, outputs = 1, height = 1, width = 1;
  int64_t pad_rows = 0, pad_columns = 0, stride_rows = 1, stride_columns = 1;
};

/// All 108, as python/covenant/bench/deepbench/convolutions.csv has them.
std::vector<Conv> deepbench_convs();

/// The library's `conv`, bound to i8 with these sizes; weights and what follows from them are constants. Its axes are
/// n, oc, oh, ow, ic, kh, kw.
compiler::embedding::Workload conv_workload(const Conv& conv);

/// The workload of most instances of a bound codelet, given as text, and its constants. Throws if there is none.
compiler::embedding::Workload workload_in(const std::string& text, const std::set<std::string>& constants);

/// (i32,rows,columns)=GEMM((i8,rows,inner),(i8,inner,columns),(i32,rows,columns)).
compiler::embedding::Instruction gemm(uint64_t rows, uint64_t columns, uint64_t inner);
/// (i32,lanes)=MAC((i8,lanes*inner),(i8,lanes*inner),(i32,lanes)).
compiler::embedding::Instruction mac(uint64_t lanes, uint64_t inner);

}  // namespace covenant::test
