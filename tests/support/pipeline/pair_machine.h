/// Machines with two nodes of a kind, each with memories and edges of its own.
#pragma once

#include <fmt/format.h>
#include <stdexcept>
#include <string>
#include <vector>

#include "acg/lang/load.h"
#include "fuzz/draw.h"
#include "fuzz/random_words.h"

namespace covenant::test {

struct PairSizes {
  int rows = 4;
  int lanes = 4;       ///< and columns
  int arrays = 1;      ///< systolic arrays, SA1 ..; one feeds all SIMD arrays, otherwise each its own
  int simds = 2;       ///< SIMD arrays, SIMD1 ..
  int bandwidth = 32;  ///< bits of every off-chip edge
  int slow = 0;        ///< the same of the second SIMD array's edges; 0: no difference
  int depth = 64;      ///< addressable elements of one buffer of every scratchpad
  int instruction_depth = 1024;
  bool shares_weights = false;  ///< all systolic arrays have the first one's weight memory
  /// The second systolic array has the first one's output memory for its biases and the bias memory for its outputs,
  /// the one of bytes, the other of elements of 16 bits.
  bool crosses_sums = false;
};

/// A machine `pair` of the sizes; its words are drawn.
inline acg::Machine pair_machine(const PairSizes& sizes) {
  std::string body;
  std::vector<std::string> engines, pads, simd_memories{"IMM"}, offchip;
  const auto pad = [&](const std::string& name, int width, int banks, const std::string& rest = "") {
    pads.push_back(name);
    body += fmt::format("  memory {} {{ data_width = {}; banks = {}; depth = {}; buffers = 2; {}}}\n", name, width,
                        banks, sizes.depth, rest);
  };
  const auto edge = [&](const std::string& from, const std::string& to, int bits) {
    body += fmt::format("  edge {} -> {} {{ bandwidth = {}; }}\n", from, to, bits);
    offchip.push_back(from + "->" + to);
  };
  for (int k = 1; k <= sizes.arrays; ++k) {
    pad(fmt::format("IBUF{}", k), 8, sizes.rows);
    const int w = sizes.shares_weights ? 1 : k;
    if (w == k) pad(fmt::format("WBUF{}", k), 8, sizes.rows * sizes.lanes);
    const bool is_crossed = sizes.crosses_sums && k == 2;
    const std::string bias = is_crossed ? "OBUF1" : fmt::format("BBUF{}", k);
    const std::string output = is_crossed ? "BBUF1" : fmt::format("OBUF{}", k);
    if (!is_crossed) {
      pad(bias, sizes.crosses_sums ? 8 : 32, sizes.lanes * (sizes.crosses_sums ? 4 : 1));
      pad(output, sizes.crosses_sums ? 16 : 32, sizes.lanes * (sizes.crosses_sums ? 2 : 1));
    }
    simd_memories.push_back(output);
    engines.push_back(fmt::format("SA{}", k));
    body += fmt::format(
        "  compute SA{0} {{ unit = systolic_array; rows = {1}; columns = {2};\n"
        "    input = IBUF{0}; weight = WBUF{3}; bias = {4}; output = {5};\n"
        "    (i32,{2}) = GEMM((i8,{1}),(i8,{1},{2}),(i32,{2})); (i32,{2}) = GEMM((u8,{1}),(i8,{1},{2}),(i32,{2})); }}\n"
        "  edge IBUF{0} -> SA{0}; edge WBUF{3} -> SA{0}; edge {4} -> SA{0}; edge SA{0} -> {5};\n",
        k, sizes.rows, sizes.lanes, w, bias, output);
    edge("DRAM", fmt::format("IBUF{}", k), sizes.bandwidth);
    if (w == k) edge("DRAM", fmt::format("WBUF{}", k), sizes.bandwidth);
    edge("DRAM", bias, sizes.bandwidth);
  }
  for (int k = 1; k <= sizes.simds; ++k) {
    const std::string n = fmt::format("(i32,{0})", sizes.lanes);
    std::string able = fmt::format("{0} = ADD({0},{0}); {0} = MOVE({0}); {0} = ADD({0},(i32,1));", n);
    for (const std::string_view type : {"i8", "u8"}) {
      able += fmt::format(
          " ({0},{1}) = MAX(({0},{1}),(i32,1)); ({0},{1}) = MIN(({0},{1}),(i32,1)); ({0},{1}) = REDUCE_MAX(({0},{1}));"
          " (i32,{1}) = REDUCE_SUM(({0},{1})); ({0},{1}) = REQUANT((i32,{1}),(f32,{1})) {{ latency = 5; }}"
          " ({0},{1}) = REQUANT((i32,{1}),(f32,1)) {{ latency = 5; }}"
          " ({0},{1}) = REQUANT_ADD(({0},{1}),({0},{1}),(f32,1),(f32,1),(f32,1)) {{ latency = 8; }}"
          " ({0},{1}) = REQUANT_MUL(({0},{1}),({0},{1}),(f32,1),(f32,1),(i32,1),(i32,1)) {{ latency = 8; }}"
          " ({0},{1}) = LOOKUP(({0},{1}),({0},256)) {{ latency = 1; }}",
          type, sizes.lanes);
    }
    engines.push_back(fmt::format("SIMD{}", k));
    body += fmt::format("  compute SIMD{} {{ unit = simd_array; lanes = {}; {} }}\n  edge IMM -> SIMD{};\n", k,
                        sizes.lanes, able, k);
    for (const char* name : {"X", "Y"}) {
      const std::string memory = fmt::format("{}{}", name, k);
      pad(memory, 32, sizes.lanes, "granularity = 8; ");
      simd_memories.push_back(memory);
      const int bits = k == 2 && sizes.slow > 0 ? sizes.slow : sizes.bandwidth;
      edge("DRAM", memory, bits);
      edge(memory, "DRAM", bits);
      body += fmt::format("  edge {0} <-> SIMD{1};\n", memory, k);
    }
    for (int a = 1; a <= sizes.arrays; ++a) {
      const std::string output = sizes.crosses_sums && a == 2 ? "BBUF1" : fmt::format("OBUF{}", a);
      if (sizes.arrays == 1 || a == k) body += fmt::format("  edge {} -> SIMD{};\n", output, k);
    }
  }
  engines.insert(engines.end(), offchip.begin(), offchip.end());
  runtime::Draw draw(1, 1);
  const runtime::RandomWords words = runtime::random_words(draw, {engines, pads, simd_memories});
  const std::string text = fmt::format(
      "acg pair {{\n  clock = 1 GHz;\n  word = 32;\n  opcode = {};\n"
      "  memory DRAM {{ kind = offchip; data_width = 8; banks = 1; depth = 4G; latency = 20; }}\n"
      "  memory IMEM {{ kind = instruction; data_width = 32; banks = 1; depth = {}; buffers = 2; }}\n"
      "  memory IMM {{ kind = immediate; data_width = 32; banks = 1; depth = 32; }}\n"
      "  edge DRAM -> IMEM {{ bandwidth = 64; }}\n{}{}}}\n",
      words.opcode_bits, sizes.instruction_depth, body, words.text);
  const Result<acg::Machine> machine = acg::parse_machine(text, "pair.acg");
  if (!machine) throw std::runtime_error(render(machine.error()) + text);
  return *machine;
}

}  // namespace covenant::test
