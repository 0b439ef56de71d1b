// The machines that come with the SDK: the figures and tables they are taken from.
#include <gtest/gtest.h>

#include "acg/graph/queries.h"
#include "acg/isa/encode.h"
#include "acg/lang/load.h"
#include "tests/unit/acg/small_machine.h"

namespace covenant::acg {
namespace {

Machine loaded(const std::string& spec) {
  const Result<Machine> machine = load_machine(spec, {});
  EXPECT_TRUE(machine) << spec << ": " << (machine ? "" : render(machine.error()));
  return machine ? *machine : Machine{};
}

const Memory& memory(const Machine& machine, std::string_view name) {
  return get(machine, find_memory(machine, name).value());
}

std::vector<std::string> path(const Machine& machine, std::string_view from, std::string_view to) {
  std::vector<std::string> names;
  const std::optional<ComputeId> compute = find_compute(machine, to);
  const NodeId goal = compute.has_value() ? NodeId{*compute} : NodeId{find_memory(machine, to).value()};
  for (const NodeId node : shortest_path(machine, find_memory(machine, from).value(), goal)) {
    names.push_back(name_of(machine, node));
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(PaperFigure2, GlobalScratchpadHolds28672Bytes) {
  const Machine machine = loaded("paper_fig2");
  const Memory& scratchpad = memory(machine, "GlobalScratchpad");
  EXPECT_EQ(scratchpad.element_bits(), 224U);
  EXPECT_EQ(scratchpad.buffer_bits(), 229'376U);
  EXPECT_EQ(scratchpad.buffer_bytes(), 28'672U);
}

TEST(PaperFigure2, OutermostMemoryIsDram) {
  const Machine machine = loaded("paper_fig2");
  EXPECT_EQ(get(machine, outermost_memory(machine)).name, "DRAM");
}

TEST(PaperFigure2, SixteenBitAdditionsSplitIntoVectorAndScalar) {
  const Machine machine = loaded("paper_fig2");
  Names nodes;
  for (const CapabilityMatch& match : find_capability(machine, "ADD", DType::kI16, {DType::kI16, DType::kI16})) {
    nodes.push_back(get(machine, match.compute).name);
  }
  EXPECT_EQ(nodes, (Names{"VectorUnit", "ScalarUnit"})) << "the largest granularity first";
}

TEST(PaperFigure2, MatrixUnitStartsWhenItsOperandsArrive) {
  const Machine machine = loaded("paper_fig2");
  EXPECT_EQ(get(machine, find_compute(machine, "MatrixUnit").value()).trigger, Trigger::kDataflow);
  EXPECT_EQ(get(machine, find_compute(machine, "VectorUnit").value()).trigger, Trigger::kMnemonic);
}

TEST(PaperFigure6, AddAsItStands) {
  const Machine machine = loaded("paper_fig2");
  ASSERT_EQ(machine.mnemonics.size(), 1U);
  const Mnemonic& add = machine.mnemonics[0];
  EXPECT_EQ(add.name, "ADD");
  EXPECT_EQ(add.opcode, 3U);
  ASSERT_EQ(add.fields.size(), 4U);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(add.fields[i].name, (Names{"SRC1_ADDR", "SRC2_ADDR", "DST_ADDR"}[i]));
    EXPECT_EQ(add.fields[i].kind, FieldKind::kInteger);
    EXPECT_EQ(add.fields[i].width, 8U);
  }
  EXPECT_EQ(add.fields[3].name, "TGT");
  EXPECT_EQ(add.fields[3].kind, FieldKind::kEnumeration);
  EXPECT_EQ(add.fields[3].width, 1U);
  EXPECT_EQ(add.fields[3].values, (Names{"SCALAR", "VECTOR"}));
}

TEST(PaperFigure6, ItsExampleIsAWord) {
  const Codec codec(loaded("paper_fig2"));
  const Result<InstructionWord> word = codec.assemble("ADD #3,#0,#1, VECTOR");
  ASSERT_TRUE(word) << render(word.error());
  EXPECT_EQ(*word, 0x3U << 28 | 3U << 20 | 0U << 12 | 1U << 4 | 1U << 3) << "opcode, three addresses, target";
  EXPECT_EQ(codec.disassemble(*word), "ADD #3,#0,#1, VECTOR");
  const Result<Codec::Decoded> decoded = codec.decode(*word);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->instruction, (Instruction{kDescribedWord, {3, 0, 1, 1}}));
  EXPECT_EQ(*codec.encode(decoded->instruction), *word);
}

TEST(PaperFigure8, ShortestPathAndChosenNode) {
  const Machine machine = loaded("paper_fig8");
  EXPECT_EQ(path(machine, "MEM1", "PE2"), (Names{"MEM1", "MEM2", "PE2"}));
  EXPECT_EQ(path(machine, "MEM2", "MEM1"), (Names{"MEM2", "MEM1"}));
  EXPECT_EQ(get(machine, outermost_memory(machine)).name, "MEM1");
  const auto matches = find_capability(machine, "ADD", DType::kI16, {DType::kI16, DType::kI16});
  ASSERT_EQ(matches.size(), 2U);
  EXPECT_EQ(get(machine, matches[0].compute).name, "PE2") << "two additions at a time";
}

TEST(PaperFigure9, FourAndOne) {
  const Machine machine = loaded("paper_fig9");
  const auto matches = find_capability(machine, "RELU", DType::kI32, {DType::kI32});
  ASSERT_EQ(matches.size(), 2U);
  EXPECT_EQ(get(machine, matches[0].compute).name, "SIMD");
  EXPECT_EQ(get(machine, matches[1].compute).name, "PE");
}

TEST(PaperFigure10, ShortestPathsOfDnnWeaver) {
  const Machine machine = loaded("dnnweaver");
  EXPECT_EQ(get(machine, outermost_memory(machine)).name, "DRAM");
  EXPECT_EQ(path(machine, "DRAM", "SA"), (Names{"DRAM", "IBUF", "SA"}));
  EXPECT_EQ(path(machine, "DRAM", "SIMD"), (Names{"DRAM", "VMEM1", "SIMD"}));
  EXPECT_EQ(path(machine, "WBUF", "SIMD"), (Names{"WBUF", "SA", "OBUF", "SIMD"}));
  EXPECT_EQ(path(machine, "OBUF", "DRAM"), (Names{"OBUF", "DRAM"}));
}

TEST(PaperTable3, SizesOfDnnWeaverAreTotals) {
  const Machine machine = loaded("dnnweaver");
  struct Row {
    const char* name;
    uint32_t data_width;
    uint64_t banks, depth;
  };
  for (const Row& row : {Row{"VMEM1", 32, 64, 2048}, Row{"VMEM2", 32, 64, 2048}, Row{"IBUF", 8, 64, 2048},
                         Row{"WBUF", 8, 4096, 4096}, Row{"OBUF", 32, 64, 2048}, Row{"BBUF", 32, 64, 1024}}) {
    const Memory& found = memory(machine, row.name);
    EXPECT_EQ(found.data_width, row.data_width) << row.name;
    EXPECT_EQ(found.banks, row.banks) << row.name;
    EXPECT_EQ(found.depth * found.buffers, row.depth) << row.name;
  }
  for (const Edge& edge : machine.edges) {
    if (edge.bandwidth != 0) {
      EXPECT_EQ(edge.bandwidth, 512U);
    }
  }
}

struct Design {
  const char* number;
  int64_t size, bits;
  int64_t input, weight, output, bias, vector;            ///< buffers in Kibit
  uint32_t axi_input, axi_param, axi_output, axi_vector;  ///< ports in bits per cycle
};
// The published designs, as the simulator SimDIT lists them.
constexpr Design kDesigns[] = {
    {"01", 16, 4, 128, 128, 512, 16, 512, 128, 64, 128, 128},
    {"02", 16, 4, 256, 512, 1024, 16, 1024, 256, 64, 256, 256},
    {"03", 16, 8, 256, 256, 512, 16, 512, 128, 128, 128, 128},
    {"04", 16, 8, 512, 512, 1024, 16, 1024, 256, 128, 256, 256},
    {"05", 32, 4, 256, 512, 1024, 32, 1024, 256, 128, 256, 256},
    {"06", 32, 4, 512, 1024, 2048, 32, 2048, 256, 128, 256, 256},
    {"07", 32, 8, 1024, 2048, 2048, 32, 2048, 256, 256, 256, 256},
    {"08", 64, 4, 1024, 2048, 4096, 64, 2048, 256, 256, 256, 256},
    {"09", 64, 8, 2048, 4096, 4096, 64, 4096, 512, 512, 512, 512},
    {"11", 128, 4, 2048, 8192, 8192, 128, 8192, 128, 512, 256, 256},
    {"12", 128, 4, 2048, 16384, 16384, 128, 16384, 512, 512, 512, 512},
    {"13", 128, 8, 4096, 16384, 8192, 128, 8192, 128, 512, 256, 256},
    {"14", 128, 8, 4096, 32768, 16384, 128, 16384, 512, 512, 512, 512},
};

uint32_t bandwidth(const Machine& machine, std::string_view from, std::string_view to) {
  const auto edge = edge_between(machine, find_memory(machine, from).value(), find_memory(machine, to).value());
  return machine.edges.at(edge.value()).bandwidth;
}

void expect_buffers(const Machine& machine, const Design& design) {
  const std::pair<const char*, int64_t> figures[] = {{"IBUF", design.input},   {"WBUF", design.weight},
                                                     {"OBUF", design.output},  {"BBUF", design.bias},
                                                     {"VMEM1", design.vector}, {"VMEM2", design.vector}};
  for (const auto& [name, kibit] : figures) {
    const Memory& found = memory(machine, name);
    EXPECT_EQ(static_cast<int64_t>(found.buffer_bits() * found.buffers / 1024), kibit) << name;
    EXPECT_EQ(found.buffers, 2U) << name;
  }
  for (const char* name : {"IBUF", "WBUF"}) EXPECT_EQ(memory(machine, name).data_width, design.bits) << name;
  for (const char* name : {"OBUF", "BBUF"}) EXPECT_EQ(memory(machine, name).data_width, 32U) << name;
}

void expect_ports(const Machine& machine, const Design& design) {
  EXPECT_EQ(bandwidth(machine, "DRAM", "IBUF"), design.axi_input);
  EXPECT_EQ(bandwidth(machine, "DRAM", "WBUF"), design.axi_param);
  EXPECT_EQ(bandwidth(machine, "DRAM", "BBUF"), design.axi_param);
  EXPECT_EQ(bandwidth(machine, "OBUF", "DRAM"), design.axi_output);
  for (const char* name : {"VMEM1", "VMEM2"}) {
    EXPECT_EQ(bandwidth(machine, "DRAM", name), design.axi_vector) << name;
    EXPECT_EQ(bandwidth(machine, name, "DRAM"), design.axi_vector) << name;
  }
  EXPECT_EQ(memory(machine, "DRAM").latency, 40U);
}

TEST(GenesysDesigns, HoldWhatWasPublished) {
  for (const Design& design : kDesigns) {
    SCOPED_TRACE(design.number);
    const Machine machine = loaded(std::string("genesys:") + design.number);
    EXPECT_EQ(machine.parameters.at("M"), design.size);
    EXPECT_EQ(machine.parameters.at("N"), design.size);
    EXPECT_EQ(machine.parameters.at("bits"), design.bits);
    expect_buffers(machine, design);
    expect_ports(machine, design);
    const Compute& array = get(machine, find_compute(machine, "SA").value());
    const DType wanted = design.bits == 4 ? DType::kI4 : DType::kI8;
    EXPECT_EQ(array.capabilities.at(0).inputs.at(1),
              (CapabilityOperand{wanted, {memory(machine, "IBUF").banks, memory(machine, "OBUF").banks}}));
  }
}

TEST(GenesysDesigns, AreAllPresets) {
  std::vector<std::string> numbers;
  for (const std::string& preset : builtin_presets("genesys")) {
    if (preset.size() == 2) numbers.push_back(preset);
  }
  std::vector<std::string> published;
  for (const Design& design : kDesigns) published.emplace_back(design.number);
  EXPECT_EQ(numbers, published);
}

TEST(GenesysWords, AreThoseOfDnnWeaver) { EXPECT_EQ(loaded("genesys").mnemonics, loaded("dnnweaver").mnemonics); }

}  // namespace
}  // namespace covenant::acg
