#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>

#include "acg/graph/numerics.h"
#include "acg/graph/queries.h"
#include "acg/lang/json.h"
#include "acg/lang/print.h"
#include "tests/support/folders.h"
#include "tests/unit/acg/small_machine.h"

namespace covenant::acg {
namespace {

using testing::genesys;
using testing::kSmallMachine;
using testing::parsed;
using testing::with;

TEST(Load, ParametersTakeDefaultsOverEarlierOnes) {
  const Machine machine = parsed(kSmallMachine);
  EXPECT_EQ(machine.parameters, (std::map<std::string, int64_t>{{"M", 4}, {"N", 8}}));
  EXPECT_EQ(machine.preset, "");
  EXPECT_EQ(machine.clock_hertz, 500e6);
}

TEST(Load, SettingsWinOverPresetsAndPresetsOverDefaults) {
  EXPECT_EQ(parsed(kSmallMachine, "wide").parameters.at("N"), 16);
  EXPECT_EQ(parsed(kSmallMachine, "wide").preset, "wide");
  EXPECT_EQ(parsed(kSmallMachine, "wide", {{"N", "12"}}).parameters.at("N"), 12);
  EXPECT_EQ(parsed(kSmallMachine, "", {{"M", "6"}}).parameters.at("N"), 12) << "a default follows what was set";
  EXPECT_EQ(parsed(kSmallMachine, "", {{"N", "M + 3"}}).parameters.at("N"), 7)
      << "a setting may use earlier parameters";
  EXPECT_EQ(parsed(kSmallMachine, "", {{"M", "2"}, {"M", "3"}}).parameters.at("M"), 3) << "the later setting counts";
}

TEST(Load, OptionsAreListedWhereTheyHaveAnotherValue) {
  const std::string text = with("param N = M * 2;", "param N = M * 2;\n  option K in 1..64 = N + 1;");
  const std::string plain = print(parsed(kSmallMachine));
  EXPECT_EQ(print(parsed(text)), plain);
  EXPECT_EQ(print(parsed(text, "", {{"K", "9"}})), plain) << "its default by another word";
  EXPECT_EQ(parsed(text, "", {{"K", "10"}}).parameters.at("K"), 10);
  EXPECT_EQ(parsed(with("depth = 16", "depth = K", text)), parsed(with("depth = 16", "depth = 9")));
  EXPECT_EQ(machine_parameters("genesys:8x8", {{"axi", "64"}})->at("accumulator"), 32);
  EXPECT_EQ(machine_parameters("genesys:8x8", {{"accumulator", "16 + 4"}})->at("accumulator"), 20);
  EXPECT_EQ(machine_parameters("genesys:9x9").error().code, "ACG0006");
  EXPECT_EQ(machine_parameters("genesis").error().code, "ACG0007");
}

TEST(Load, AccumulatorsOfAWordAreNotSaid) {
  EXPECT_EQ(*load_machine("genesys", {{"accumulator", "32"}}), *load_machine("genesys"));
  for (const char* name : {"genesys", "dnnweaver"}) {
    const Machine machine = *load_machine(name, {{"accumulator", "24"}});
    EXPECT_EQ(accumulator_bits(get(machine, find_compute(machine, "SA").value())), 24U);
    EXPECT_EQ(machine.parameters.at("accumulator"), 24);
    EXPECT_EQ(*from_json(to_json(machine)), machine);
    EXPECT_EQ(parsed(print(machine)), machine);
  }
}

TEST(Load, SumsWrapUnlessTheySaturate) {
  EXPECT_EQ(*load_machine("genesys", {{"overflow", "wrap"}}), *load_machine("genesys"));
  for (const char* name : {"genesys", "dnnweaver"}) {
    const Machine machine = *load_machine(name, {{"overflow", "saturate"}});
    EXPECT_TRUE(saturates(machine));
    EXPECT_FALSE(saturates(*load_machine(name)));
    EXPECT_EQ(*from_json(to_json(machine)), machine);
    EXPECT_EQ(parsed(print(machine)), machine);
  }
  EXPECT_FALSE(saturates(*load_machine("hvx")));
}

TEST(Load, HalvesThatGoUpAreNotSaid) {
  for (const char* name : {"genesys", "dnnweaver"}) {
    const auto scaled = [&](const char* requant) { return *load_machine(name, {{"requant", requant}}); };
    EXPECT_EQ(requantization(scaled("fp32")), Requantization::kFloat);
    EXPECT_EQ(requantization(scaled("fixed")), Requantization::kFixed);
    EXPECT_EQ(requantization(scaled("fixed_tflite")), Requantization::kFixedTflite);
    EXPECT_EQ(print(scaled("fixed")).find("half_away"), std::string::npos);
    EXPECT_NE(print(scaled("fixed_tflite")).find("half_away = 1;"), std::string::npos);
    EXPECT_EQ(*from_json(to_json(scaled("fixed_tflite"))), scaled("fixed_tflite"));
    EXPECT_EQ(parsed(print(scaled("fixed_tflite"))), scaled("fixed_tflite"));
  }
  EXPECT_EQ(requantization(*load_machine("hvx")), Requantization::kFixed);
}

TEST(Load, DefaultPreset) {
  const std::string text = with("clock =", "preset = \"wide\"; clock =");
  EXPECT_EQ(parsed(text).preset, "wide");
  EXPECT_EQ(parsed(text).parameters.at("N"), 16);
}

TEST(Load, AttributesAndDefaults) {
  const Machine machine = parsed(kSmallMachine);
  const Memory& dram = get(machine, find_memory(machine, "DRAM").value());
  EXPECT_EQ(dram.kind, MemoryKind::kOffchip);
  EXPECT_EQ(dram.data_width, 8U);
  EXPECT_EQ(dram.depth, 1024U * 1024U);
  EXPECT_EQ(dram.latency, 40U);
  EXPECT_EQ(dram.where, (SourceLocation{"small.acg", 6, 10}));
  const Memory& out = get(machine, find_memory(machine, "OUT").value());
  EXPECT_EQ(out.granularity, 8U);
  EXPECT_EQ(out.unit_bytes(), 8U);
  EXPECT_EQ(out.buffer_units(), 32U * 4U);
  const Compute& array = get(machine, find_compute(machine, "SA").value());
  EXPECT_EQ(integer_attribute(array, "rows"), 4);
  EXPECT_EQ(get(machine, role(machine, array, "output")).name, "OUT2") << "a role may name a memory declared later";
  ASSERT_EQ(array.capabilities.size(), 1U);
  EXPECT_EQ(array.capabilities[0].inputs[1], (CapabilityOperand{DType::kI8, {4, 8}}));
  EXPECT_EQ(array.capabilities[0].latency, 1U);
  EXPECT_EQ(machine.computes[1].capabilities[0].latency, 2U);
}

TEST(Load, EdgesBothWaysAreTwo) {
  const Machine machine = parsed(kSmallMachine);
  const NodeId dram = find_memory(machine, "DRAM").value();
  const NodeId out = find_memory(machine, "OUT").value();
  ASSERT_TRUE(edge_between(machine, dram, out).has_value());
  ASSERT_TRUE(edge_between(machine, out, dram).has_value());
  EXPECT_EQ(machine.edges[edge_between(machine, out, dram).value()].bandwidth, 128U);
  EXPECT_EQ(machine.edges.size(), 13U);
}

TEST(Load, ClockUnits) {
  EXPECT_EQ(parsed(with("500 MHz", "1.5GHz")).clock_hertz, 1.5e9);
  EXPECT_EQ(parsed(with("500 MHz", "250 kHz")).clock_hertz, 250e3);
  EXPECT_EQ(parsed(with("500 MHz", "7 Hz")).clock_hertz, 7);
}

TEST(Load, Builtins) {
  std::set<std::string> files;
  for (const auto& file : std::filesystem::directory_iterator(source_folder() + "/acg/machines")) {
    files.insert(file.path().stem().string());
  }
  for (const char* included : {"adaptivfloat", "fixed_point", "genesys_words", "piecewise"}) files.erase(included);
  const std::vector<std::string> machines = builtin_machines(), commanded = builtin_command_machines();
  std::set<std::string> known(machines.begin(), machines.end());
  known.insert(commanded.begin(), commanded.end());
  EXPECT_EQ(known, files);
  EXPECT_EQ(known.size(), machines.size() + commanded.size());
  EXPECT_TRUE(std::is_sorted(machines.begin(), machines.end()));
  const std::vector<std::string> presets = builtin_presets("genesys");
  ASSERT_EQ(presets.size(), 18U);
  EXPECT_TRUE(builtin_presets("nonesuch").empty());
  for (size_t i = 0; i < 5; ++i) EXPECT_EQ(genesys(presets[i]).preset, presets[i]);
}

TEST(Load, BuiltinIsTheFile) {
  const Result<Machine> file = load_machine(source_folder() + "/acg/machines/genesys.acg:8x8");
  ASSERT_TRUE(file) << render(file.error());
  EXPECT_EQ(*file, genesys("8x8"));
}

TEST(Load, ShapesOfGenesys) {
  const std::pair<const char*, const char*> shapes[] = {{"16", "16"}, {"8", "8"},   {"32", "32"},
                                                        {"8", "24"},  {"20", "12"}, {"1", "1"}};
  for (const auto& [rows, columns] : shapes) {
    for (const char* axi : {"64", "128", "512"}) {
      const Machine machine = genesys("", {{"M", rows}, {"N", columns}, {"axi", axi}});
      EXPECT_EQ(machine.parameters.at("axi_vector"), std::stoi(axi));
    }
  }
}

TEST(Load, PathsMayHoldColons) {
  const std::string path = ::testing::TempDir() + "/covenant:a.acg";
  std::ofstream(path) << kSmallMachine;
  EXPECT_EQ(load_machine(path + ":wide")->parameters.at("N"), 16);
  std::remove(path.c_str());
}

TEST(Load, PrintAndJsonKeepPresetAndOddNumbers) {
  Machine machine = parsed(kSmallMachine, "wide");
  machine.parameters["lowest"] = INT64_MIN;
  machine.clock_hertz = 1234567890.125;
  EXPECT_EQ(parsed(print(machine)), machine) << print(machine);
  const Result<Machine> again = from_json(to_json(machine));
  ASSERT_TRUE(again) << render(again.error());
  EXPECT_EQ(*again, machine);
}

}  // namespace
}  // namespace covenant::acg
