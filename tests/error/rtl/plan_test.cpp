/// Machines for which no RTL can be generated, each with its diagnostic.
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <utility>

#include "acg/graph/queries.h"
#include "acg/lang/load.h"
#include "rtl/gen/generate.h"
#include "tests/support/folders.h"

namespace covenant::rtl {
namespace {

struct Edit {
  std::string from;
  std::string to;
};

std::string content_of(const std::string& name) {
  std::ifstream file(source_folder() + "/acg/machines/" + name);
  std::stringstream content;
  content << file.rdbuf();
  return content.str();
}

/// The diagnostic for GeneSys, its words in the same text, with some of that text replaced.
Diagnostic refused(const std::vector<Edit>& edits) {
  const std::string include = "include \"genesys_words.acg\";";
  std::string text = content_of("genesys.acg");
  text.replace(text.find(include), include.size(), content_of("genesys_words.acg"));
  for (const Edit& edit : edits) {
    size_t at = text.find(edit.from);
    if (at == std::string::npos) throw std::runtime_error("the machine has no " + edit.from);
    for (; at != std::string::npos; at = text.find(edit.from, at + edit.to.size()))
      text.replace(at, edit.from.size(), edit.to);
  }
  const auto machine = acg::parse_machine(text, "edited.acg");
  if (!machine) throw std::runtime_error(render(machine.error()));
  const auto files = generate(*machine);
  if (files) return {};
  return files.error();
}

TEST(Refused, NothingOfTheMachineAsItIs) { EXPECT_EQ(refused({}).code, ""); }

TEST(Taken, DesignsOfFourBits) { EXPECT_TRUE(generate(*acg::load_machine("genesys:01"))); }

TEST(Refused, UnitsWithoutAModule) {
  acg::Machine machine = *acg::load_machine("genesys");
  machine.computes[1].unit = acg::UnitKind::kVliwCore;
  const auto files = generate(machine);
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().code, "RTL0017");
  EXPECT_EQ(files.error().offending, "vliw_core");
}

TEST(Refused, BeatsThatAxiDoesNotCarry) {
  acg::Machine machine = *acg::load_machine("genesys");
  const std::vector<acg::Engine> engines = acg::engines(machine);
  machine.edges[engines[acg::find_engine(engines, "DRAM->BBUF").value()].edge.value()].bandwidth = 96;
  const auto asked = generate(machine, AxiMasters::kOne);
  ASSERT_FALSE(asked);
  EXPECT_EQ(asked.error().code, "RTL0018");
  EXPECT_EQ(asked.error().subject, "edge DRAM->BBUF");
  EXPECT_EQ(asked.error().offending, "96");

  // Without a request for AXI masters: there is no device, but a note about it.
  const auto files = generate(machine);
  ASSERT_TRUE(files) << render(files.error());
  for (const auto& [name, text] : *files) EXPECT_EQ(name.find("_axi"), std::string::npos) << name;
  EXPECT_EQ(files->at("Makefile").find("covenant_axi.f"), std::string::npos);
  EXPECT_NE(files->at("README.md").find("RTL0018"), std::string::npos);
}

/// A second systolic array, on the input and weight memories of the first one.
Diagnostic refused_array(const std::string& bias, const std::string& output) {
  const std::string memory = " { data_width = 32; banks = N; depth = 64; buffers = 2; }\n";
  return refused({{"  # Each off-chip edge",
                   "  memory BBUF2" + memory + "  memory OBUF2" + memory +
                       "  compute SA2 { unit = systolic_array; rows = M; columns = N; input = IBUF; weight = WBUF; "
                       "bias = " +
                       bias + "; output = " + output +
                       "; (i32,N) = GEMM((i8,M),(i8,M,N),(i32,N)); }\n"
                       "  edge DRAM -> BBUF2 { bandwidth = 64; }\n"
                       "  edge OBUF2 -> DRAM { bandwidth = 64; }\n  edge IBUF -> SA2; edge WBUF -> SA2; edge " +
                       bias + " -> SA2; edge SA2 -> " + output + ";\n  # Each off-chip edge"}});
}

TEST(Taken, ArraysThatShareMemories) {
  for (const auto& [bias, output] :
       {std::pair{"BBUF2", "OBUF2"}, {"BBUF", "OBUF2"}, {"BBUF2", "OBUF"}, {"OBUF", "OBUF2"}}) {
    EXPECT_EQ(refused_array(bias, output).code, "") << bias << " " << output;
  }
}

/// One more than each limit is refused, with the edge that it is about; the limit itself is taken.
TEST(Refused, DelaysAndBeatsThatTheRtlDoesNotHave) {
  const auto with = [](const std::string& parameter, const std::string& value) {
    return *acg::load_machine("genesys:8x8", {{parameter, value}});
  };
  EXPECT_TRUE(generate(with("dram_latency", "8191")));
  EXPECT_TRUE(generate(with("axi_weight", "4096")));
  const auto slow = generate(with("dram_latency", "8192"));
  ASSERT_FALSE(slow);
  EXPECT_EQ(slow.error().code, "RTL0020");
  const auto wide = generate(with("axi_weight", "8192"));
  ASSERT_FALSE(wide);
  EXPECT_EQ(wide.error().code, "RTL0020");
  EXPECT_EQ(wide.error().subject, "edge DRAM->WBUF");
}

/// Vectors of one lane of 16 bits lie in one element unless addresses are those of bytes.
TEST(Refused, VectorsThatEndInAnotherElement) {
  const auto one_lane = [](const std::string& granularity) {
    return refused(
        {{"param N = 16;", "param N = 1;"},
         {"param bits in [4, 8, 16] = 8;", "param bits in [8, 16] = 16;"},
         {"memory VMEM2 { data_width = 32; banks = N;     depth = vector_depth; buffers = 2; granularity = bits;",
          "memory VMEM2 { data_width = 32; banks = N; depth = vector_depth; buffers = 2; granularity = " + granularity +
              ";"}});
  };
  EXPECT_EQ(one_lane("16").code, "");
  const Diagnostic d = one_lane("8");
  EXPECT_EQ(d.code, "RTL0021");
  EXPECT_EQ(d.subject, "memory VMEM2");
  EXPECT_EQ(d.fix, "give the memory granularity = 16");
}

TEST(Refused, ElementsOfOddWidth) {
  const Diagnostic d =
      refused({{"memory VMEM2 { data_width = 32; banks = N; ", "memory VMEM2 { data_width = 64; banks = N / 2; "},
               {"depth = vector_depth; buffers = 2; granularity = bits; }\n  memory IMM",
                "depth = vector_depth; buffers = 2; }\n  memory IMM"}});
  EXPECT_EQ(d.code, "RTL0002");
  EXPECT_EQ(d.subject, "memory VMEM2");
  EXPECT_EQ(d.offending, "64");
}

TEST(Refused, SumsWhereOperandsLie) {
  const Diagnostic d = refused({{"bias = BBUF;", "bias = OBUF;"}, {"edge BBUF -> SA;", "edge OBUF -> SA;"}});
  EXPECT_EQ(d.code, "RTL0003");
  EXPECT_EQ(d.subject, "memory OBUF");
}

TEST(Taken, BiasesWhereInputsLie) {
  EXPECT_EQ(refused({{"bias = BBUF;", "bias = IBUF;"}, {"edge BBUF -> SA;", ""}}).code, "");
}

TEST(Refused, WeightsWhereBiasesLie) {
  const Diagnostic d =
      refused({{"memory WBUF  { data_width = bits; banks = M * N;", "memory WBUF  { data_width = 8; banks = 4 * N;"},
               {"bias = BBUF;", "bias = WBUF;"},
               {"edge BBUF -> SA;", ""}});
  EXPECT_EQ(d.code, "RTL0005");
}

TEST(Taken, OutputMemoriesOfAnyElements) {
  for (const char* memory :
       {"memory OBUF  { data_width = 16; banks = 2 * N; ", "memory OBUF  { data_width = 8; banks = N; ",
        "memory OBUF  { data_width = 32; banks = N / 2; "}) {
    EXPECT_EQ(refused({{"memory OBUF  { data_width = 32; banks = N; ", memory}}).code, "") << memory;
  }
}

TEST(Refused, AddressesWithinElements) {
  const Diagnostic d = refused({{"memory OBUF  { data_width = 32; banks = N;     depth = output_depth; buffers = 2; }",
                                 "memory OBUF  { data_width = 32; banks = N; depth = 64; granularity = 8; }"},
                                {"param N = 16;", "param N = 6;"}});
  EXPECT_EQ(d.code, "RTL0009");
  EXPECT_EQ(d.subject, "memory OBUF");
}

TEST(Refused, WeightsThatLanesWrite) {
  acg::Machine machine = *acg::load_machine("genesys");
  const acg::MemoryId weights = acg::find_memory(machine, "WBUF").value();
  for (acg::Edge& edge : machine.edges) {
    if (edge.to != acg::NodeId{weights}) continue;
    edge.from = acg::find_compute(machine, "SIMD").value();
    edge.bandwidth = 0;
  }
  const auto files = generate(machine);
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().code, "RTL0005");
}

TEST(Refused, WeightsThatAreStoredOffchip) {
  const Diagnostic d = refused({{"edge DRAM -> WBUF   {", "edge DRAM <-> WBUF   {"}});
  EXPECT_EQ(d.code, "RTL0005");
}

}  // namespace
}  // namespace covenant::rtl
