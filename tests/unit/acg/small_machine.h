/// A machine small enough to be read at a glance, and texts made from it by one change.
#pragma once

#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "acg/lang/load.h"

namespace covenant::acg::testing {

// Lines and columns of this text are asserted by the error tests: the first line is `acg small {`.
inline constexpr std::string_view kSmallMachine = R"(acg small {
  param M = 4;
  param N = M * 2;
  preset "wide" { N = 16; }
  clock = 500 MHz;
  memory DRAM { kind = offchip; depth = 1M; latency = 40; }
  memory IMEM { kind = instruction; data_width = 32; depth = 64; buffers = 2; }
  memory IN { banks = M; depth = 32; buffers = 2; }
  memory W { banks = M * N; depth = 16; buffers = 2; }
  memory B { data_width = 32; banks = N; depth = 8; }
  memory OUT { data_width = 32; banks = N; depth = 32; granularity = 8; }
  compute SA {
    unit = systolic_array; rows = M; columns = N;
    input = IN; weight = W; bias = B; output = OUT2;
    (i32,N) = GEMM((i8,M),(i8,M,N),(i32,N));
  }
  compute SIMD {
    unit = simd_array; lanes = N;
    (i32,N) = ADD((i32,N),(i32,N)) { latency = 2; }
    (i32,N) = ADD((i32,N),(i32,1));
  }
  memory OUT2 { data_width = 32; banks = N; depth = 32; }
  edge DRAM -> IMEM { bandwidth = 64; }
  edge DRAM -> IN { bandwidth = 64; }
  edge DRAM -> W { bandwidth = 64; }
  edge DRAM -> B { bandwidth = 32; }
  edge DRAM <-> OUT { bandwidth = 128; }
  edge IN -> SA; edge W -> SA; edge B -> SA; edge SA -> OUT2;
  edge OUT <-> SIMD; edge OUT2 -> SIMD;
  mnemonic GROUP(10) {
    efield("ENGINE", 4, ["SA","SIMD","DRAM->IN","OUT->DRAM"]) = engine; ifield("COUNT", 16) = count;
    does = control.group;
  }
  mnemonic BLOCK_END(11) { ifield("LAST", 1) = last; does = control.block_end; }
  mnemonic STRIDE(6) {
    constant("KIND", 4, 4); efield("SPACE", 2, ["OUT","OUT2"]) = memory; ifield("INDEX", 5) = index;
    ifield("VALUE", 16) signed = value;
    does = simd_array.stride;
  }
  mnemonic LIMIT(14) { constant("KIND", 4, 2); efield("AXIS", 1, ["ROW","COLUMN"]) = axis; ifield("VALUE", 16) = value; does = dma.limit; }
  mnemonic FILL(14) { constant("KIND", 4, 3); ifield("BYTE", 8) = value; does = dma.fill; }
  mnemonic GEMM(15) { efield("INPUT_TYPE", 1, ["I8","U8"]) = input_type; does = systolic_array.gemm; }
  mnemonic ADD(2) {
    efield("DST_SPACE", 1, ["OUT","OUT2"]) = dst_memory; ifield("DST", 5) = dst;
    efield("SRC1_SPACE", 1, ["OUT","OUT2"]) = src1_memory; ifield("SRC1", 5) = src1;
    efield("SRC2_SPACE", 1, ["OUT","OUT2"]) = src2_memory; ifield("SRC2", 5) = src2;
    does = simd_array.add;
  }
}
)";

/// The small machine with the first `from` replaced by `to`; the test fails if there is none.
inline std::string with(std::string_view from, std::string_view to, std::string_view base = kSmallMachine) {
  std::string text(base);
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << "the small machine has no " << from;
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

/// The machine that `text` describes; the test fails if it is refused.
inline Machine parsed(std::string_view text, std::string_view preset = {},
                      const std::vector<std::pair<std::string, std::string>>& set = {}) {
  const Result<Machine> machine = parse_machine(text, "small.acg", preset, set);
  if (machine) return *machine;
  ADD_FAILURE() << render(machine.error());
  return {};
}

inline Machine genesys(const std::string& preset = "",
                       const std::vector<std::pair<std::string, std::string>>& set = {}) {
  const Result<Machine> machine = load_machine(preset.empty() ? "genesys" : "genesys:" + preset, set);
  if (machine) return *machine;
  ADD_FAILURE() << render(machine.error());
  return {};
}

}  // namespace covenant::acg::testing
