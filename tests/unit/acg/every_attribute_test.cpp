// A machine that uses every attribute of nodes and edges: it is read, printed and written without loss.
#include <set>

#include "acg/graph/queries.h"
#include "acg/isa/encode.h"
#include "acg/lang/json.h"
#include "acg/lang/print.h"
#include "tests/unit/acg/small_machine.h"

namespace covenant::acg {
namespace {

using testing::parsed;

constexpr std::string_view kEverything = R"(acg everything {
  param W : int in 1..64 = 4;
  clock = 1.5 GHz; word = 16; opcode = 3;
  dtype f8 { bits = 8; }
  memory DRAM { kind = offchip; depth = 1M; latency = 40; read_energy = 20.5; write_energy = 21.25; port axi both { width = 64; } }
  memory L2 { kind = cache; data_width = 8; banks = 32; depth = 1024; latency = 7; }
  memory RF { kind = register_file; data_width = 32; banks = W; depth = 32; accesses = 3; port r out; }
  memory PAD { data_width = 32; banks = W; depth = 64; buffers = 2; granularity = 8; channels = 8; }
  memory NIBBLES { data_width = 4; banks = 2; depth = 16; }
  compute CORE {
    unit = described; trigger = dataflow; lanes = W; port a in { width = 32 * W; }
    (fixed(8,8),W) = ADD((i4,W),(f8,W)) { latency = 3; occupancy = 2; energy = 1.5; }
    (bf16,W) = SCALE((f16,W),(u4,W));
    for i in 0..1 { compute LANE$i { unit = described; (i32,1) = ADD((i32,1),(i32,1)); } }
  }
  edge DRAM.axi -> PAD { bandwidth = 64; bus = axi; burst = 4; }
  edge DRAM -> L2 { bandwidth = 64; bus = axi; }
  edge RF.r -> CORE.a { latency = 1; energy = 0.5; bus = operands; }
  edge PAD -> CORE { bus = operands; }
  edge NIBBLES -> CORE; edge CORE -> RF; edge L2 <-> RF;
  for i in 0..1 { edge RF -> CORE.LANE$i; edge CORE.LANE$i -> RF; }
  mnemonic ADD(5) { ifield("A", 5) signed, ifield("B", 5), efield("TGT", 1, ["ONE", "ALL"]), constant("K", 2, 1) }
}
)";

const Memory& memory(const Machine& machine, std::string_view name) {
  return get(machine, find_memory(machine, name).value());
}

TEST(EveryAttribute, OfMemories) {
  const Machine machine = parsed(kEverything);
  EXPECT_DOUBLE_EQ(machine.clock_hertz, 1.5e9);
  EXPECT_EQ(memory(machine, "DRAM").latency, 40U);
  EXPECT_DOUBLE_EQ(memory(machine, "DRAM").read_energy, 20.5);
  EXPECT_DOUBLE_EQ(memory(machine, "DRAM").write_energy, 21.25);
  EXPECT_EQ(memory(machine, "DRAM").ports, (std::vector<Port>{{"axi", PortDirection::kBoth, 64}}));
  EXPECT_EQ(memory(machine, "L2").kind, MemoryKind::kCache);
  EXPECT_EQ(memory(machine, "L2").latency, 7U);
  EXPECT_EQ(memory(machine, "RF").kind, MemoryKind::kRegisterFile);
  EXPECT_EQ(memory(machine, "RF").accesses, 3U);
  EXPECT_EQ(memory(machine, "PAD").buffers, 2U);
  EXPECT_EQ(memory(machine, "PAD").granularity, 8U);
  EXPECT_EQ(memory(machine, "PAD").channels, 8U);
  EXPECT_EQ(memory(machine, "NIBBLES").data_width, 4U);
}

TEST(EveryAttribute, OfComputesAndEdges) {
  const Machine machine = parsed(kEverything);
  EXPECT_EQ(machine.dtypes, (std::vector<NamedDType>{{"f8", 8}}));
  const Compute& core = get(machine, find_compute(machine, "CORE").value());
  EXPECT_EQ(core.trigger, Trigger::kDataflow);
  EXPECT_EQ(core.attributes.at("lanes"), Attribute{int64_t{4}});
  EXPECT_EQ(core.ports, (std::vector<Port>{{"a", PortDirection::kIn, 128}}));
  const Capability& add = core.capabilities.at(0);
  EXPECT_EQ(add.latency, 3U);
  EXPECT_EQ(add.occupancy, 2U);
  EXPECT_DOUBLE_EQ(add.energy, 1.5);
  EXPECT_EQ(add.output, (CapabilityOperand{DType::kFixed, {4}, {8, 8, ""}}));
  EXPECT_EQ(add.inputs.at(0).dtype, DType::kI4);
  EXPECT_EQ(add.inputs.at(1), (CapabilityOperand{DType::kNamed, {4}, {0, 0, "f8"}}));
  EXPECT_EQ(core.capabilities.at(1).output.dtype, DType::kBF16);
  EXPECT_TRUE(find_compute(machine, "CORE.LANE1")) << "nodes nest";
  size_t on_axi = 0, named = 0;
  std::set<uint32_t> bursts;
  for (const Edge& edge : machine.edges) {
    if (edge.bus == "axi") ++on_axi;
    bursts.insert(edge.burst);
    if (edge.from_port == "r" && edge.to_port == "a") {
      ++named;
      EXPECT_EQ(edge.latency, 1U);
      EXPECT_DOUBLE_EQ(edge.energy, 0.5);
      EXPECT_EQ(edge.bus, "operands");
    }
  }
  EXPECT_EQ(on_axi, 2U);
  EXPECT_EQ(bursts, (std::set<uint32_t>{4, kBurstBeats}));
  EXPECT_EQ(named, 1U);
}

TEST(EveryAttribute, IsPrintedAndWritten) {
  const Machine machine = parsed(kEverything);
  const std::string text = print(machine);
  for (const char* said :
       {"clock = 1.5 GHz;", "word = 16;", "dtype f8 { bits = 8; }", "accesses = 3;", "read_energy = 20.5;",
        "granularity = 8;", "channels = 8;", "kind = cache;", "trigger = dataflow;", "fixed(8,8)", "occupancy = 2;",
        "bus = axi;", "burst = 4;", "RF.r -> CORE.a"}) {
    EXPECT_NE(text.find(said), std::string::npos) << said << " is not in\n" << text;
  }
  EXPECT_EQ(parsed(text), machine);
  const Result<Machine> read = from_json(to_json(machine));
  ASSERT_TRUE(read) << render(read.error());
  EXPECT_EQ(*read, machine);
}

TEST(EveryAttribute, WordsOf16Bits) {
  const Machine machine = parsed(kEverything);
  const Codec codec(machine);
  // 101 00101 00011 1 01: opcode 5, A = 5, B = 3, TGT = ALL, K = 1.
  const Result<InstructionWord> word = codec.assemble("ADD 5, 3, ALL");
  ASSERT_TRUE(word) << render(word.error());
  EXPECT_EQ(*word, 0xa51dU);
  EXPECT_EQ(codec.disassemble(*word), "ADD 5, 3, ALL");
  EXPECT_EQ(codec.disassemble(0xbf1dU), "ADD -1, 3, ALL");
  const Result<Codec::Decoded> decoded = codec.decode(*word);
  ASSERT_TRUE(decoded) << render(decoded.error());
  EXPECT_EQ(*codec.encode(decoded->instruction), *word);
  EXPECT_FALSE(codec.decode(*word | 0x10000U)) << "a bit above the word";
}

std::string shown(const CapabilityOperand& operand) {
  std::string text = "(" + std::string(name(operand.dtype));
  for (const uint64_t size : operand.shape) text += "," + std::to_string(size);
  return text + ")";
}

std::vector<std::string> capabilities(const Machine& machine, std::string_view name) {
  std::vector<std::string> lines;
  for (const Capability& capability : get(machine, find_compute(machine, name).value()).capabilities) {
    std::string line = shown(capability.output) + "=" + capability.name + "(";
    for (const CapabilityOperand& input : capability.inputs) line += (line.back() == '(' ? "" : ",") + shown(input);
    lines.push_back(line + ")");
  }
  return lines;
}

// Kinzer et al., "Restoring the Broken Covenant Between Compilers and Deep Learning Accelerators", Table 3, Hexagon.
TEST(PaperTable3, HexagonToTheLetter) {
  const Result<Machine> loaded = load_machine("hvx_paper");
  ASSERT_TRUE(loaded) << render(loaded.error());
  const Machine& machine = *loaded;
  EXPECT_EQ(capabilities(machine, "CORE"),
            (std::vector<std::string>{"(u8,8)=ADD((u8,8),(u8,8))", "(i32,1)=ADD((i32,1),(i32,1))",
                                      "(i32,1)=MAC((u8,4),(u8,4),(i32,1))", "(i32,1)=MUL((i32,1),(i32,1))"}));
  EXPECT_EQ(capabilities(machine, "HVX"),
            (std::vector<std::string>{"(i32,32)=ADD((i32,32),(i32,32))", "(i32,32)=SUB((i32,32),(i32,32))",
                                      "(i32,32)=MVMUL((u8,32,4),(u8,4))", "(i32,32)=GEMM((u8,32,4),(u8,4),(i32,32))",
                                      "(u32,32)=GEMM((u8,32,4),(u8,4),(u32,32))"}));
  const auto expect_sizes = [&](const char* name, uint32_t data_width, uint64_t banks, uint64_t depth) {
    const Memory& found = memory(machine, name);
    EXPECT_EQ(found.data_width, data_width) << name;
    EXPECT_EQ(found.banks, banks) << name;
    EXPECT_EQ(found.depth, depth) << name;
    EXPECT_EQ(found.buffers, 1U) << name;
  };
  expect_sizes("GRF", 32, 4, 32);
  expect_sizes("VRF", 1024, 32, 32);
  expect_sizes("L2", 8, 32, 1024);
  EXPECT_EQ(machine.memories.size(), 3U) << "DRAM is not in the graph";
  EXPECT_EQ(machine.computes.size(), 2U);
}

}  // namespace
}  // namespace covenant::acg
