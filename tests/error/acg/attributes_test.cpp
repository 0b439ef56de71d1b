// Attributes that are out of range, or that name things the machine does not have: ACG0013, ACG0046 to ACG0050.
#include "tests/error/acg/refused.h"
#include "tests/unit/acg/small_machine.h"

namespace covenant::acg {
namespace {

using testing::expect_refused;
using testing::with;

constexpr std::string_view kOpen = R"(acg open {
  dtype f8 { bits = 8; }
  memory RF { kind = register_file; data_width = 32; depth = 32; port r out { width = 64; } }
  memory L2 { kind = cache; data_width = 64; depth = 64; latency = 6; }
  compute CORE {
    unit = described; trigger = dataflow;
    port a in; port b out;
    (fixed(8,8),4) = ADD((i4,4),(f8,4)) { occupancy = 2; energy = 1.5; }
    compute LANE { unit = described; trigger = dataflow; (i8,1) = MUL((i8,1),(u4,1)); }
  }
  edge RF.r -> CORE.a { latency = 1; energy = 0.5; bus = one; }
  edge CORE.b -> RF;
  edge L2 -> RF;
}
)";

TEST(AttributeErrors, ElementTypes) {
  expect_refused(with("bits = 8", "bits = 0", kOpen), {"ACG0013", 2, 21, "0", "say how wide it is: `bits = 8;`"});
  expect_refused(with("{ bits = 8; }", "{ }", kOpen), {"ACG0013", 2, 9, "0", "say how wide it is: `bits = 8;`"});
  expect_refused(with("dtype f8 ", "dtype i8 ", kOpen), {"ACG0004", 2, 9, "i8", "choose another name"});
  expect_refused(with("dtype f8 ", "dtype fixed ", kOpen), {"ACG0004", 2, 9, "fixed", "choose another name"});
  expect_refused(with("dtype f8 { bits = 8; }", "dtype f8 { bits = 8; } dtype f8 { bits = 9; }", kOpen),
                 {"ACG0004", 2, 32, "f8", "give one of the two another name"});
  expect_refused(with("{ bits = 8; }", "{ width = 8; }", kOpen),
                 {"ACG0003", 2, 14, "width", "use one of the allowed words"});
  expect_refused(with("(f8,4)", "(f9,4)", kOpen), {"ACG0003", 8, 34, "f9", "did you mean \"f8\"?"});
  expect_refused(with("fixed(8,8)", "fixed(8,90)", kOpen),
                 {"ACG0013", 8, 23, "fixed(8,90)", "give integer and fraction bits: fixed(8,8)"});
  expect_refused(with("fixed(8,8)", "fixed(0,0)", kOpen),
                 {"ACG0013", 8, 22, "fixed(0,0)", "give integer and fraction bits: fixed(8,8)"});
  expect_refused(with("fixed(8,8)", "fixed(8)", kOpen),
                 {"ACG0043", 8, 6, "1", "write fixed(INTEGER_BITS,FRACTION_BITS)"});
  expect_refused(with("fixed(8,8)", "fixed", kOpen), {"ACG0043", 8, 6, "0", "write fixed(INTEGER_BITS,FRACTION_BITS)"});
  expect_refused(with("fixed(8,8)", "i8(4)", kOpen), {"ACG0043", 8, 6, "1", "write i8"});
  expect_refused(with("fixed(8,8)", "fixed(-1,8)", kOpen), {"ACG0013", 8, 12, "-1", "use a value in the range"});
}

TEST(AttributeErrors, Costs) {
  expect_refused(with("occupancy = 2", "occupancy = 0", kOpen),
                 {"ACG0013", 8, 55, "0", "give the cycles until the unit can start the next one"});
  expect_refused(with("energy = 1.5", "energy = -1.5", kOpen), {"ACG0013", 8, 67, "-1.5", "use a value in the range"});
  expect_refused(with("energy = 1.5", "energy = 1.5 / 0", kOpen),
                 {"ACG0011", 8, 71, "1.5 / 0", "divide by something else"});
  expect_refused(with("energy = 1.5", "energy = 1.0e300 * 1.0e300", kOpen),
                 {"ACG0010", 8, 75, "inf", "use smaller parameters"});
  expect_refused(with("occupancy = 2", "occupancy = 2.5", kOpen),
                 {"ACG0012", 8, 55, "2.5", "only the clock and energies may have decimals"});
  expect_refused(with("latency = 1; energy = 0.5", "latency = 1M; energy = 0.5", kOpen),
                 {"ACG0013", 11, 35, "1048576", "give the cycles from one end to the other"});
  expect_refused(with("bus = one", "burst = 0", kOpen),
                 {"ACG0013", 11, 60, "0", "give the beats of a burst on its bus"});
  expect_refused(with("bus = one", "bus = 1", kOpen), {"ACG0003", 11, 58, "an expression", "write `bus = WORD;`"});
  expect_refused(with("depth = 32; port", "depth = 32; accesses = 0; port", kOpen),
                 {"ACG0013", 3, 77, "0", "give the reads or writes in one cycle"});
  expect_refused(with("depth = 32; port", "depth = 32; write_energy = 2.0e12; port", kOpen),
                 {"ACG0013", 3, 81, "2000000000000", "use a value in the range"});
}

TEST(AttributeErrors, Accumulators) {
  constexpr std::string_view kArray = "unit = systolic_array; rows = M; columns = N;";
  const auto said = [&](const std::string& more) {
    return with(std::string(kArray), std::string(kArray) + " " + more, testing::kSmallMachine);
  };
  expect_refused(said("accumulator = 15;"), {"ACG0013", 13, 65, "15", "use a value in the range"});
  expect_refused(said("accumulator = 33;"), {"ACG0013", 13, 65, "33", "use a value in the range"});
  expect_refused(said("accumulator = 0;"), {"ACG0013", 13, 65, "0", "use a value in the range"});
  expect_refused(said("overflow = saturate;"), {"ACG0003", 13, 51, "overflow", "use one of the allowed words"});
  expect_refused(said("saturates = 2;"), {"ACG0013", 13, 63, "2", "use a value in the range"});
  expect_refused(
      with("unit = simd_array; lanes = N;", "unit = simd_array; lanes = N; accumulator = 24;", testing::kSmallMachine),
      {"ACG0003", 18, 35, "accumulator", "use one of the allowed words"});
  const std::string second = R"(compute SA2 {
    unit = systolic_array; rows = M; columns = N;
    input = IN; weight = W; bias = B; output = OUT2;
    (i32,N) = GEMM((i8,M),(i8,M,N),(i32,N));
  }
  edge IN -> SA2; edge W -> SA2; edge B -> SA2; edge SA2 -> OUT2;
  mnemonic)";
  const std::string both = with("mnemonic", second, said("accumulator = 20;"));
  expect_refused(both, {"ACG0056", 13, 65, "accumulator = 20", "give all systolic arrays accumulators of one width"});
  const std::string one = with("mnemonic", second, said("saturates = 1;"));
  expect_refused(one, {"ACG0056", 13, 63, "saturates = 1", "let the sums of all systolic arrays saturate, or of none"});
}

TEST(AttributeErrors, HalvesAwayFromZero) {
  constexpr std::string_view kLanes = "unit = simd_array; lanes = N;";
  const auto said = [&](const std::string& more) {
    return with(std::string(kLanes), std::string(kLanes) + " " + more, testing::kSmallMachine);
  };
  expect_refused(said("half_away = 2;"), {"ACG0013", 18, 47, "2", "use a value in the range"});
  expect_refused(said("half_away = up;"), {"ACG0009", 18, 47, "up", "use one of the allowed words"});
  expect_refused(with("columns = N;", "columns = N; half_away = 1;", testing::kSmallMachine),
                 {"ACG0003", 13, 51, "half_away", "use one of the allowed words"});
  const std::string second = R"(compute SIMD2 {
    unit = simd_array; lanes = N;
    (i8,N) = REQUANT_FIXED((i32,N),(f32,N));
  }
  edge OUT -> SIMD2;
  mnemonic)";
  expect_refused(
      with("mnemonic", second, said("half_away = 1;")),
      {"ACG0057", 18, 47, "half_away = 1",
       "let all nodes that scale in fixed point round halves alike; cores that issue packets round them up"});
}

TEST(AttributeErrors, KindsOfMemory) {
  expect_refused(with("depth = 32; port", "depth = 32; buffers = 2; port", kOpen),
                 {"ACG0013", 3, 76, "2", "only scratchpads and instruction memories have several buffers"});
  expect_refused(with("depth = 32; port", "depth = 32; latency = 2; port", kOpen),
                 {"ACG0013", 3, 76, "2", "only offchip memories and caches have another latency"});
  expect_refused(with("kind = cache", "kind = cach", kOpen), {"ACG0003", 4, 22, "cach", "did you mean \"cache\"?"});
  expect_refused(with("latency = 6", "latency = 200K", kOpen),
                 {"ACG0013", 4, 68, "204800", "give the cycles from request to data"});
}

TEST(AttributeErrors, Triggers) {
  expect_refused(with("trigger = dataflow", "trigger = datafow", kOpen),
                 {"ACG0003", 6, 33, "datafow", "did you mean \"dataflow\"?"});
}

TEST(AttributeErrors, Ports) {
  expect_refused(with("port a in;", "port a inn;", kOpen), {"ACG0003", 7, 12, "inn", "did you mean \"in\"?"});
  expect_refused(with("port b out;", "port a out;", kOpen),
                 {"ACG0004", 7, 21, "a", "give one of the two another name"});
  expect_refused(with("{ width = 64; }", "{ width = 1M; }", kOpen),
                 {"ACG0013", 3, 87, "1048576", "give the bits per cycle"});
  expect_refused(with("-> CORE.a", "-> CORE.c", kOpen), {"ACG0047", 11, 16, "c", "use one of the allowed words"});
  expect_refused(with("edge L2 -> RF;", "edge L2.x -> RF;", kOpen),
                 {"ACG0047", 13, 8, "x", "declare `port x out;` in L2"});
  expect_refused(with("-> CORE.a", "-> CORE.b", kOpen),
                 {"ACG0048", 11, 16, "out", "declare it in or both, or turn the edge round"});
  expect_refused(with("edge CORE.b", "edge CORE.a", kOpen),
                 {"ACG0048", 12, 8, "in", "declare it out or both, or turn the edge round"});
  expect_refused(with("edge L2 -> RF;", "edge L3.x -> RF;", kOpen),
                 {"ACG0015", 13, 8, "L3.x", "use one of the allowed words"});
}

TEST(AttributeErrors, InnerNodes) {
  expect_refused(with("edge L2 -> RF;", "memory CORD.L3 { }", kOpen),
                 {"ACG0046", 13, 10, "CORD", "did you mean \"CORE\"?"});
  expect_refused(with("compute LANE {", "compute LANE { unit = described; } compute LANE {", kOpen),
                 {"ACG0004", 9, 48, "CORE.LANE", "give one of the two another name"});
  expect_refused(with("compute LANE {", "computer LANE {", kOpen),
                 {"ACG0003", 9, 5, "computer", "did you mean \"compute\"?"});
  expect_refused(with("trigger = dataflow;", "parameter = 1 - 2;", kOpen),
                 {"ACG0013", 6, 37, "-1", "use a value in the range"});
}

TEST(AttributeErrors, NothingFedNothingRealised) {
  expect_refused(with("edge RF.r -> CORE.a { latency = 1; energy = 0.5; bus = one; }", "", kOpen),
                 {"ACG0049", 5, 11, "CORE", "add an edge to it: `edge MEMORY -> CORE;`"});
  expect_refused(with("edge OUT <-> SIMD; edge OUT2 -> SIMD;", "edge SIMD -> OUT;"),
                 {"ACG0049", 17, 11, "SIMD", "add an edge to it: `edge MEMORY -> SIMD;`"});
  expect_refused(
      with("does = systolic_array.gemm;", "does = simd_array.reduce;",
           with("efield(\"INPUT_TYPE\", 1, [\"I8\",\"U8\"]) = input_type", "ifield(\"FIRST_LEVEL\", 4) = first_level")),
      {"ACG0050", 15, 15, "GEMM", "add a mnemonic with `does = systolic_array.gemm;`, or say `trigger = dataflow;`"});
  expect_refused(with("(i32,N) = ADD((i32,N),(i32,1))", "(i32,N) = MAC((i32,N),(i32,1))"),
                 {"ACG0050", 20, 15, "MAC",
                  "add a mnemonic with `does = simd_array.mul;` and one with `does = simd_array.add;`, or say "
                  "`trigger = dataflow;`"});
  expect_refused(with("(i32,N) = ADD((i32,N),(i32,1))", "(i32,N) = TANH((i32,N))"),
                 {"ACG0050", 20, 15, "TANH", "add a mnemonic called TANH, or say `trigger = dataflow;`"});
  const std::string programmed = with("edge L2 -> RF;",
                                      "edge L2 -> RF;\n  mnemonic BLOCK_END(1) { ifield(\"LAST\", 1) = last; does = "
                                      "control.block_end; }",
                                      with("trigger = dataflow;", "", kOpen));
  expect_refused(programmed, {"ACG0050", 8, 22, "ADD", "add a mnemonic called ADD, or say `trigger = dataflow;`"});
}

}  // namespace
}  // namespace covenant::acg
