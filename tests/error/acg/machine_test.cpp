// The text is well formed, the machine is not: ACG0013 to ACG0019, ACG0027, ACG0028.
#include "acg/lang/print.h"
#include "tests/error/acg/refused.h"
#include "tests/unit/acg/small_machine.h"

namespace covenant::acg {
namespace {

using testing::expect_refused;
using testing::kSmallMachine;
using testing::with;

TEST(MachineErrors, MemoryRanges) {
  expect_refused(with("banks = M;", "banks = 0;"), {"ACG0013", 8, 23, "0", "give the number of banks"});
  expect_refused(kSmallMachine, {"ACG0013", 8, 23, "-4", "use a value in the range"}, "", {{"M", "-4"}});
  expect_refused(with("depth = 16", "depth = 0"), {"ACG0013", 9, 37, "0", "give the elements of one buffer"});
  expect_refused(with("depth = 1M", "depth = 8G"), {"ACG0013", 6, 41, "8589934592", "give the elements of one buffer"});
  expect_refused(with("buffers = 2", "buffers = 1"), {"ACG0013", 7, 76, "1", "instruction memory: `buffers = 2;`"});
  expect_refused(with("depth = 32; buffers = 2", "depth = 32; buffers = 17"),
                 {"ACG0013", 8, 48, "17", "give the number of buffers"});
  expect_refused(with("data_width = 32; banks = N; depth = 8;", "data_width = 12; banks = N; depth = 8;"),
                 {"ACG0013", 10, 27, "12", "use 16"});
  expect_refused(with("data_width = 32; banks = N; depth = 8;", "data_width = 0; banks = N; depth = 8;"),
                 {"ACG0013", 10, 27, "0", "give the bits of one bank's element"});
  expect_refused(with("data_width = 32; banks = N; depth = 8;", "data_width = 4; banks = 3; depth = 8;"),
                 {"ACG0013", 10, 38, "3 banks of 4 bits", "use 4 banks"});
  expect_refused(with("data_width = 32; banks = N; depth = 8;", "data_width = 2; depth = 8;"),
                 {"ACG0013", 10, 10, "1 banks of 2 bits", "use 4 banks"});
  expect_refused(with("granularity = 8", "granularity = 12"), {"ACG0013", 11, 70, "12", "use 8, or leave it out"});
  expect_refused(with("granularity = 8", "granularity = 0"),
                 {"ACG0013", 11, 70, "0", "leave it out to address whole data_width"});
  expect_refused(with("depth = 8;", "depth = 8; latency = 2;"),
                 {"ACG0013", 10, 63, "2", "only offchip memories and caches have another latency"});
  expect_refused(with("latency = 40", "latency = 0"), {"ACG0013", 6, 55, "0", "give the cycles from request to data"});
  expect_refused(with("kind = offchip;", "kind = offchip; data_width = 16;"),
                 {"ACG0013", 6, 46, "16", "offchip memory has one width"});
  expect_refused(with("data_width = 32; depth = 64", "data_width = 32; banks = 2; depth = 64"),
                 {"ACG0013", 7, 62, "2", "instruction memory has one bank"});
  expect_refused(with("memory IN {", "memory IMM { kind = immediate; data_width = 32; depth = 16; }\n  memory IN {"),
                 {"ACG0013", 8, 59, "16", "one element for each immediate slot"});
  expect_refused(with("data_width = 32; depth = 64", "data_width = 5G; depth = 64"),
                 {"ACG0013", 7, 50, "5368709120", "use a value in the range"});
}

TEST(MachineErrors, BuffersHoldWholeElements) {
  const std::string odd = with("memory IN { banks = M; depth = 32;", "memory IN { banks = 1; depth = 33;");
  EXPECT_TRUE(parse_machine(odd, "small.acg"));
  expect_refused(with("(i32,N) = ADD((i32,N),(i32,1));", "(i16,N) = REQUANT((i32,N),(f32,1));", odd),
                 {"ACG0013", 8, 34, "33 bytes", "use an even depth, or data_width = 16"});
}

TEST(MachineErrors, SettingsRanges) {
  expect_refused(with("clock = 500 MHz", "clock = 0 Hz"),
                 {"ACG0013", 5, 11, "0 Hz", "give a clock such as `clock = 1 GHz;`"});
  expect_refused(with("clock", "word = 264; clock"),
                 {"ACG0013", 5, 10, "264", "give whole bytes, at most 32 of them: `word = 64;`"});
  expect_refused(with("clock", "word = 64; clock"),
                 {"ACG0013", 7, 50, "32", "use 64, or give the machine words of 32 bits"});
  expect_refused(with("clock", "word = 12; clock"),
                 {"ACG0013", 5, 10, "12", "give whole bytes, at most 32 of them: `word = 64;`"});
  expect_refused(with("clock", "word = 0; clock"),
                 {"ACG0013", 5, 10, "0", "give whole bytes, at most 32 of them: `word = 64;`"});
  expect_refused(with("clock", "word = 8; opcode = 9; clock"),
                 {"ACG0013", 5, 22, "9", "give the number of opcode bits"});
  expect_refused(with("clock", "opcode = 0; clock"), {"ACG0013", 5, 12, "0", "give the number of opcode bits"});
}

TEST(MachineErrors, BandwidthRanges) {
  expect_refused(with("DRAM -> IN { bandwidth = 64", "DRAM -> IN { bandwidth = 60"),
                 {"ACG0013", 24, 33, "60", "use 64"});
  expect_refused(with("DRAM -> IN { bandwidth = 64", "DRAM -> IN { bandwidth = 0"),
                 {"ACG0013", 24, 33, "0", "give the bits per cycle"});
  expect_refused(with("DRAM -> IN { bandwidth = 64", "DRAM -> IN { bandwidth = 1M"),
                 {"ACG0013", 24, 33, "1048576", "give the bits per cycle"});
  expect_refused(with("DRAM -> IMEM { bandwidth = 64", "DRAM -> IMEM { bandwidth = 60"),
                 {"ACG0013", 23, 35, "60", "use 64"});
  expect_refused(with("DRAM -> IMEM { bandwidth = 64", "DRAM -> IMEM { bandwidth = 4"),
                 {"ACG0013", 23, 35, "4", "use 8"});
  expect_refused(with("edge IN -> SA;", "edge IN -> SA { bandwidth = 3; }"), {"ACG0013", 28, 31, "3", "use 8"});
}

/// Numbers that a file gives twice must agree: otherwise cycles and bytes would be those of another machine.
TEST(MachineErrors, CapabilitiesHaveTheSizesOfTheirUnits) {
  const std::string rows = "give the capability the sizes of the unit, or the unit other rows and columns";
  const std::string lanes = "give the capability the sizes of the unit, or the unit other lanes";
  expect_refused(with("GEMM((i8,M),", "GEMM((i8,N),"), {"ACG0052", 15, 15, "(8)", rows});
  expect_refused(with("(i8,M,N),(i32,N)", "(i8,N,M),(i32,N)"), {"ACG0052", 15, 15, "(8,4)", rows});
  expect_refused(with("(i8,M,N),(i32,N)", "(i8,M,N),(i32,M)"), {"ACG0052", 15, 15, "(4)", rows});
  expect_refused(with("(i32,N) = GEMM", "(i32,M) = GEMM"), {"ACG0052", 15, 15, "(4)", rows});
  expect_refused(with("(i32,N) = ADD((i32,N),(i32,N))", "(i32,M) = ADD((i32,N),(i32,N))"),
                 {"ACG0052", 19, 15, "(4)", lanes});
  expect_refused(with("(i32,N) = ADD((i32,N),(i32,N))", "(i32,N) = ADD((i32,N),(i32,2 * N))"),
                 {"ACG0052", 19, 15, "(16)", lanes});
}

/// An array multiplies elements of one width, and its words name types of that width.
TEST(MachineErrors, OneWidthOfElements) {
  expect_refused(with("GEMM((i8,M),(i8,M,N),(i32,N));",
                      "GEMM((i8,M),(i8,M,N),(i32,N)); (i32,N) = GEMM((i16,M),(i16,M,N),(i32,N));"),
                 {"ACG0055", 15, 15, "i8", "give the array elements of one width"});
  expect_refused(with("[\"I8\",\"U8\"]", "[\"I8\",\"U16\"]"),
                 {"ACG0055", 42, 12, "U16", "name the types of the capability GEMM"});
  const std::string second =
      "compute SA2 { unit = systolic_array; rows = M; columns = N; input = IN2; weight = W2; bias = B; output = OUT2; "
      "(i32,N) = GEMM((i16,M),(i16,M,N),(i32,N)); }\n  memory IN2 { data_width = 16; banks = M; depth = 8; }\n"
      "  memory W2 { data_width = 16; banks = M * N; depth = 8; }\n"
      "  edge IN2 -> SA2; edge W2 -> SA2; edge B -> SA2; edge SA2 -> OUT2;\n  ";
  const Result<Machine> two = parse_machine(with("memory OUT2", second + "memory OUT2"), "small.acg");
  ASSERT_FALSE(two);
  EXPECT_EQ(two.error().code, "ACG0055");
  EXPECT_EQ(two.error().offending, "i8");
  EXPECT_EQ(two.error().fix, "give all systolic arrays of a machine elements of one width");
}

/// Instructions of the core name 32 registers of 32 or of 1,024 bits.
TEST(MachineErrors, RegistersThatNoInstructionNames) {
  const Result<Machine> half = load_machine("hvx", {{"vector_bytes", "64"}});
  ASSERT_FALSE(half);
  EXPECT_EQ(half.error().code, "ACG0066");
  EXPECT_EQ(half.error().subject, "memory VRF");
  EXPECT_EQ(half.error().offending, "32 of 512 bits");
  std::string text = print(*load_machine("hvx"));
  const size_t at = text.find("depth = 32", text.find("memory GRF"));
  ASSERT_NE(at, std::string::npos);
  const Result<Machine> few = parse_machine(text.replace(at, 10, "depth = 16"), "few.acg");
  ASSERT_FALSE(few);
  EXPECT_EQ(few.error().code, "ACG0066");
  EXPECT_EQ(few.error().offending, "16 of 32 bits");
}

/// A constant of 32 bits takes a word of its own.
TEST(MachineErrors, PacketsOfOneWordHoldNoExtendedInstruction) {
  std::string text = print(*load_machine("hvx"));
  const size_t at = text.find("words = 4");
  ASSERT_NE(at, std::string::npos);
  const Result<Machine> narrow = parse_machine(text.replace(at, 9, "words = 1"), "narrow.acg");
  ASSERT_FALSE(narrow);
  EXPECT_EQ(narrow.error().code, "ACG0064");
  EXPECT_EQ(narrow.error().offending, "1");
  EXPECT_EQ(narrow.error().allowed, std::vector<std::string>{"2 or more"});
}

TEST(MachineErrors, AnOldNameOfAnOperationIsKnown) {
  const Result<Machine> old = parse_machine(with("does = dma.fill;", "does = walker.base;"), "small.acg");
  ASSERT_FALSE(old);
  EXPECT_EQ(old.error().code, "ACG0003");
  EXPECT_EQ(old.error().fix, "it is now called address_generator.base");
}

TEST(MachineErrors, UnitRanges) {
  expect_refused(with("rows = M;", "rows = 0;"), {"ACG0013", 13, 35, "0", "use a value in the range"});
  expect_refused(with("rows = M;", "rows = 4K;"), {"ACG0013", 13, 35, "4096", "use a value in the range"});
  expect_refused(with("lanes = N;", "lanes = 0;"), {"ACG0013", 18, 32, "0", "use a value in the range"});
  expect_refused(with("latency = 2;", "latency = 0;"),
                 {"ACG0013", 19, 48, "0", "give the cycles of the execute stage"});
  expect_refused(with("(i32,N) = ADD((i32,N),(i32,1))", "(i32,0) = ADD((i32,N),(i32,1))"),
                 {"ACG0013", 20, 15, "0", "use the sizes that the unit works on"});
  expect_refused(with("(i32,N) = ADD((i32,N),(i32,1))", "(i32,4G,2) = ADD((i32,N),(i32,1))"),
                 {"ACG0013", 20, 18, "2", "use the sizes that the unit works on"});
}

TEST(MachineErrors, MissingAttributes) {
  expect_refused(with("rows = M; ", ""), {"ACG0014", 12, 11, "rows", "a systolic_array needs `rows = ...;`"});
  expect_refused(with("bias = B;", ""), {"ACG0014", 12, 11, "bias", "a systolic_array needs `bias = ...;`"});
  expect_refused(with("lanes = N;", ""), {"ACG0014", 17, 11, "lanes", "a simd_array needs `lanes = ...;`"});
  expect_refused(with("unit = simd_array;", ""), {"ACG0014", 17, 11, "unit", "say `unit = KIND;` first"});
  expect_refused(with("does = dma.fill;", ""),
                 {"ACG0014", 41, 12, "does", "say what the word does: `does = unit.operation;`"});
  expect_refused(with("DRAM -> IN { bandwidth = 64; }", "DRAM -> IN;"),
                 {"ACG0014", 24, 8, "bandwidth", "give the bits per cycle: `{ bandwidth = 128; }`"});
}

TEST(MachineErrors, UnknownNodes) {
  expect_refused(with("edge DRAM -> W ", "edge DRAM -> WBUF "),
                 {"ACG0015", 25, 16, "WBUF", "use one of the allowed words"});
  expect_refused(with("output = OUT2", "output = OUT3"), {"ACG0015", 14, 48, "OUT3", "did you mean \"OUT\"?"});
  const Result<Machine> machine = parse_machine(with("edge DRAM -> W ", "edge DRAM -> WBUF "), "small.acg");
  EXPECT_EQ(machine.error().allowed,
            (std::vector<std::string>{"DRAM", "IMEM", "IN", "W", "B", "OUT", "OUT2", "SA", "SIMD"}));
}

TEST(MachineErrors, OneInstructionMemory) {
  expect_refused(
      with("memory IN {", "memory IMEM2 { kind = instruction; data_width = 32; buffers = 2; }\n  memory IN {"),
      {"ACG0016", 8, 10, "IMEM2", "a machine has at most one of this kind"});
}

TEST(MachineErrors, EachOfSeveralOffchipMemoriesIsConnected) {
  expect_refused(
      with("memory IN {", "memory HBM { kind = offchip; }\n  memory IN {"),
      {"ACG0054", 8, 10, "HBM", "remove it, or add an edge from it: `edge HBM -> MEMORY { bandwidth = 64; }`"});
  const std::string two = with("memory IN {", "memory HBM { kind = offchip; }\n  memory IN {");
  const auto connected = [&](const std::string& edge) {
    std::string text = two;
    return text.insert(text.find("  edge DRAM -> W "), "  edge " + edge + " { bandwidth = 64; }\n");
  };
  EXPECT_TRUE(parse_machine(connected("HBM -> W"), "small.acg"));
  expect_refused(connected("HBM -> IMEM"), {"ACG0018", 26, 8, "HBM", "keep one of the two"});
  expect_refused(connected("DRAM -> HBM"),
                 {"ACG0018", 26, 8, "edge DRAM -> HBM", "put a scratchpad between them, or remove the edge"});
}

TEST(MachineErrors, RoleMemoriesFitTheArray) {
  expect_refused(with("IN { banks = M;", "IN { banks = M + 1;"),
                 {"ACG0017", 14, 13, "5 bytes",
                  "set data_width, banks and granularity of IN so that granularity * banks = 32 bits"});
  expect_refused(with("banks = M * N", "banks = M * N + 1"),
                 {"ACG0017", 14, 26, "33 bytes",
                  "set data_width, banks and granularity of W so that granularity * banks = 256 bits"});
  expect_refused(with("memory B { data_width = 32", "memory B { data_width = 40"),
                 {"ACG0017", 14, 36, "40 bytes",
                  "set data_width, banks and granularity of B so that granularity * banks = 256 bits"});
  expect_refused(with("memory OUT2 { data_width = 32", "memory OUT2 { data_width = 40"),
                 {"ACG0017", 14, 48, "40 bytes",
                  "set data_width, banks and granularity of OUT2 so that granularity * banks = 256 bits"});
  const std::string nibbles = with("memory W {", "memory W { data_width = 4;");
  expect_refused(with("(i8,M,N),(i32,N)", "(i4,M,N),(i32,N)", nibbles),
                 {"ACG0017", 15, 15, "12 bits", "give the array an even number of columns"}, "", {{"N", "3"}});
  expect_refused(with("input = IN", "input = DRAM"), {"ACG0017", 14, 13, "DRAM", "name a memory of kind scratchpad"});
  expect_refused(with("lanes = N", "lanes = N + 1"),
                 {"ACG0017", 11, 10, "8 bytes", "set data_width, banks and granularity of OUT by the number of lanes"});
}

TEST(MachineErrors, Channels) {
  expect_refused(with("IN { banks", "IN { channels = 6; banks"), {"ACG0013", 8, 26, "6", "use 8"});
  expect_refused(with("IN { banks", "IN { channels = 64; banks"),
                 {"ACG0013", 8, 26, "64", "give the locals of one layer at most"});
  expect_refused(with("IN { banks", "IN { channels = 0; banks"),
                 {"ACG0013", 8, 26, "0", "give the locals of one layer at most"});
}

TEST(MachineErrors, EdgesThatCannotBe) {
  expect_refused(with("edge IN -> SA;", "edge IN -> IN;"), {"ACG0018", 28, 8, "IN", "remove it"});
  expect_refused(with("edge IN -> SA;", "edge SA -> SIMD;"),
                 {"ACG0018", 28, 8, "edge SA -> SIMD", "put a scratchpad between them"});
  expect_refused(with("edge IN -> SA;", "edge DRAM -> SA { bandwidth = 8; }"),
                 {"ACG0018", 28, 8, "edge DRAM -> SA", "put a scratchpad between them"});
  expect_refused(with("edge IN -> SA;", "edge IMEM -> SA;"), {"ACG0018", 28, 8, "edge IMEM -> SA", "remove the edge"});
  expect_refused(with("DRAM -> IMEM", "DRAM <-> IMEM"), {"ACG0018", 23, 8, "edge IMEM -> DRAM", "remove the edge"});
}

TEST(MachineErrors, Sizes) {
  const std::string smaller = "make depths or array smaller";
  expect_refused(with("depth = 16", "depth = 32M"), {"ACG0019", 9, 10, "2147483904 bytes", smaller});
  expect_refused(with("memory W { banks = M * N; depth = 16", "memory W { data_width = 4096; banks = 1M; depth = 4G"),
                 {"ACG0019", 9, 10, "4611686018427388160 bytes", smaller});
  expect_refused(with("memory W { banks = M * N; depth = 16; buffers = 2;",
                      "memory W { data_width = 4096; banks = 1M; depth = 4G; buffers = 16;"),
                 {"ACG0019", 9, 10, "4096 bits * 1048576 banks * 4294967296 elements * 16 buffers", "make it smaller"});
}

TEST(MachineErrors, Capabilities) {
  expect_refused(with("= GEMM(", "= GEM("), {"ACG0027", 15, 15, "GEM", "did you mean \"GEMM\"?"});
  expect_refused(with("= ADD(", "= GEMM("), {"ACG0027", 19, 15, "GEMM", "use one of the allowed words"});
}

TEST(MachineErrors, RolesNeedEdges) {
  expect_refused(with("edge IN -> SA;", ""), {"ACG0028", 14, 13, "IN", "add `edge IN -> SA;`"});
  expect_refused(with("edge SA -> OUT2;", ""), {"ACG0028", 14, 48, "OUT2", "add `edge SA -> OUT2;`"});
}

}  // namespace
}  // namespace covenant::acg
