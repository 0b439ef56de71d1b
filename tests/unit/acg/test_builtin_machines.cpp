// The machines that come with the SDK: the figures and tables they are taken from.
#include <gtest/gtest.h>

#include "acg/graph/queries.h"
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
  const NodeId goal = find_compute(machine, to).has_value() ? NodeId{*find_compute(machine, to)}
                                                            : NodeId{find_memory(machine, to).value()};
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
  EXPECT_EQ(scratchpad.half_bits(), 229'376U);
  EXPECT_EQ(scratchpad.half_bytes(), 28'672U);
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
  int64_t size, bits, input, weight, output, bias, vector;  ///< buffers in Kibit
};
// The published designs, as the simulator SimDIT lists them.
constexpr Design kDesigns[] = {
    {"01", 16, 4, 128, 128, 512, 16, 512},          {"02", 16, 4, 256, 512, 1024, 16, 1024},
    {"03", 16, 8, 256, 256, 512, 16, 512},          {"04", 16, 8, 512, 512, 1024, 16, 1024},
    {"05", 32, 4, 256, 512, 1024, 32, 1024},        {"06", 32, 4, 512, 1024, 2048, 32, 2048},
    {"07", 32, 8, 1024, 2048, 2048, 32, 2048},      {"08", 64, 4, 1024, 2048, 4096, 64, 2048},
    {"09", 64, 8, 2048, 4096, 4096, 64, 4096},      {"11", 128, 4, 2048, 8192, 8192, 128, 8192},
    {"12", 128, 4, 2048, 16384, 16384, 128, 16384}, {"13", 128, 8, 4096, 16384, 8192, 128, 8192},
    {"14", 128, 8, 4096, 32768, 16384, 128, 16384}};

TEST(GenesysDesigns, HoldWhatWasPublished) {
  for (const Design& design : kDesigns) {
    SCOPED_TRACE(design.number);
    const std::string spec = std::string("genesys:") + design.number;
    if (design.bits == 4) {
      const Result<Machine> refused = load_machine(spec, {});
      ASSERT_FALSE(refused) << "there is no 4-bit arithmetic";
      EXPECT_EQ(refused.error().code, "ACG0013");
      EXPECT_EQ(refused.error().offending, "4");
      continue;
    }
    const Machine machine = loaded(spec);
    EXPECT_EQ(machine.parameters.at("M"), design.size);
    EXPECT_EQ(machine.parameters.at("N"), design.size);
    const auto kibit = [&](std::string_view name) {
      const Memory& found = memory(machine, name);
      return static_cast<int64_t>(found.half_bits() * found.buffers / 1024);
    };
    EXPECT_EQ(kibit("IBUF"), design.input);
    EXPECT_EQ(kibit("WBUF"), design.weight);
    EXPECT_EQ(kibit("OBUF"), design.output);
    EXPECT_EQ(kibit("BBUF"), design.bias);
    EXPECT_EQ(kibit("VMEM1"), design.vector);
    EXPECT_EQ(kibit("VMEM2"), design.vector);
  }
}

}  // namespace
}  // namespace covenant::acg
