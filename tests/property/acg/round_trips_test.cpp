#include <cmath>
#include <gtest/gtest.h>

#include "acg/lang/json.h"
#include "acg/lang/print.h"
#include "acg/program/program_file.h"
#include "tests/property/acg/random_source.h"
#include "tests/unit/acg/small_program.h"

namespace covenant::acg {
namespace {

using testing::RandomSource;

Machine random_machine(RandomSource& random) {
  std::vector<std::pair<std::string, std::string>> set{
      {"M", std::to_string(random.between(1, 48))},
      {"N", std::to_string(random.between(1, 48))},
      {"axi", std::to_string(8 * random.between(1, 128))},
      {"axi_instruction", std::to_string(32 * random.between(1, 16))},
      {"dram_latency", std::to_string(random.between(1, 500))},
      {"input_depth", std::to_string(random.between(1, 4096))},
      {"vector_depth", std::to_string(random.between(1, 4096)) + " + 1"}};
  // Any subset of the settings, and sometimes a preset below them.
  std::erase_if(set, [&](const auto&) { return random.between(0, 2) == 0; });
  std::vector<std::string> presets = builtin_presets("genesys");
  // With 4 bits, an odd number of elements is not whole bytes.
  std::erase_if(presets, [](const std::string& preset) { return testing::genesys(preset).parameters.at("bits") != 8; });
  const auto preset = static_cast<size_t>(random.between(0, static_cast<int64_t>(presets.size())));
  return testing::genesys(preset < presets.size() ? presets[preset] : "", set);
}

TEST(RandomMachines, TextAndJsonAreLossless) {
  RandomSource random(3);
  for (int repeat = 0; repeat < 60; ++repeat) {
    const Machine machine = random_machine(random);
    ASSERT_FALSE(machine.memories.empty());
    const Result<Machine> text = parse_machine(print(machine), "printed.acg");
    ASSERT_TRUE(text) << render(text.error());
    ASSERT_EQ(*text, machine);
    ASSERT_EQ(print(*text), print(machine));
    const Result<Machine> json = from_json(to_json(machine));
    ASSERT_TRUE(json) << render(json.error());
    ASSERT_EQ(*json, machine);
    ASSERT_EQ(to_json(*json), to_json(machine));
  }
}

std::string random_name(RandomSource& random) {
  std::string name;
  for (int64_t length = random.between(0, 12); length > 0; --length) name += static_cast<char>(random.between(1, 126));
  return name;
}

TEST(RandomPrograms, FilesAreLossless) {
  RandomSource random(4);
  for (int repeat = 0; repeat < 200; ++repeat) {
    Program program = testing::small_program();
    program.model = random_name(random);
    program.segments[1].data.resize(static_cast<size_t>(random.between(1, 100)));
    for (uint8_t& byte : program.segments[1].data) byte = static_cast<uint8_t>(random.between(0, 255));
    program.segments[1].size = program.segments[1].data.size();
    program.inputs[0].quantization = {
        std::ldexp(static_cast<float>(random.between(1, 1 << 24)), static_cast<int>(random.between(-140, 100))),
        static_cast<int32_t>(random.between(INT32_MIN, INT32_MAX))};
    program.outputs[0].pad_value = static_cast<int32_t>(random.between(-128, 127));
    program.blocks[0].layer = random_name(random);
    program.blocks[0].macs = static_cast<uint64_t>(random.between(0, INT64_MAX)) * 2 + 1;
    program.blocks[1].codelet = random_name(random);
    const Result<Program> again = read_program(write_program(program), "random.cprog");
    ASSERT_TRUE(again) << render(again.error());
    ASSERT_EQ(*again, program);
  }
}

}  // namespace
}  // namespace covenant::acg
