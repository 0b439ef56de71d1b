/// Programs that do nothing but move rows of bytes, over every edge between off-chip memory and the machine that a load
/// fills: what compiled layers leave unused, or use little. With what they must leave behind, as files.
///
///     axi_traffic MACHINE FOLDER PROGRAMS SEED      writes FOLDER/0, FOLDER/1, ...; MACHINE is a file of JSON
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "acg/lang/json.h"
#include "rtl/gen/self_test.h"
#include "sim/run/simulate.h"
#include "tests/support/sim/assembly.h"

namespace {

using covenant::acg::Operation;
using covenant::sim::testing::Assembly;
using covenant::sim::testing::kFree;
using covenant::sim::testing::kFull;

constexpr uint32_t kData = 1 << 14;  // bytes that are loaded, and those that each store may write
constexpr int32_t kUnits = 256;      // units of four bytes, in a memory that is stored from
constexpr int32_t kLevel = 16;       // level of the only loop

class Traffic {
 public:
  Traffic(const covenant::acg::Machine& machine, uint64_t seed) : assembly_(machine), random_(seed) {}

  /// The array multiplies once, vector memories are stored as they have been filled.
  Assembly make() {
    for (const std::string buffer : {"IBUF", "WBUF", "BBUF"}) {
      assembly_.group("DRAM->" + buffer).wait(buffer, kFree).load(0, 0, kUnits * 4);
      move(Operation::kLoad, 0);
      assembly_.post(buffer, kFull);
    }
    multiply();
    uint32_t to = kData;
    for (const std::string memory : {"VMEM1", "VMEM2"}) {
      assembly_.group("DRAM->" + memory).wait(memory, kFree).load(0, 0, kUnits * 4);
      move(Operation::kLoad, 0);
      assembly_.post(memory, kFull);
      store(memory, to);
      to += kData;
    }
    store("OBUF", to);
    return std::move(assembly_.end_block(true));
  }

  std::vector<uint8_t> data() {
    std::vector<uint8_t> bytes(kData);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random_());
    return bytes;
  }

 private:
  int32_t draw(int32_t from, int32_t to) { return std::uniform_int_distribution<int32_t>(from, to)(random_); }

  /// Fills as much of OBUF as is stored, with products by the same weights.
  void multiply() {
    assembly_.group("SA").op(Operation::kTrip, {8, kUnits / 4 - 1, 0});
    assembly_.stride(covenant::sim::testing::kInput, 8, 1).stride(covenant::sim::testing::kOutput, 8, 1);
    for (const char* buffer : {"IBUF", "WBUF", "BBUF"}) assembly_.wait(buffer, kFull);
    assembly_.wait("OBUF", kFree).op(Operation::kGemm, {0});
    for (const char* buffer : {"IBUF", "WBUF", "BBUF"}) assembly_.post(buffer, kFree);
    assembly_.post("OBUF", kFull);
  }

  void store(const std::string& memory, uint32_t to) {
    assembly_.group(memory + "->DRAM").wait(memory, kFull);
    move(Operation::kStore, to);
    assembly_.post(memory, kFree);
  }

  /// Three loops over rows of some length, at some distance, from anywhere on; within what has been filled.
  void move(Operation operation, uint32_t base) {
    for (int k = 0; k < 3; ++k) {
      const int32_t units = draw(1, 16), rows = draw(24, 32);
      const int32_t apart = draw(units * 4, 200), begin = draw(0, static_cast<int32_t>(kData) - rows * 200);
      assembly_.base(covenant::sim::testing::kOffchip, base + static_cast<uint32_t>(begin));
      assembly_.base(covenant::sim::testing::kOnchip, static_cast<uint32_t>(draw(0, 8)));
      assembly_.op(Operation::kTrip, {kLevel, rows - 1, 0});
      assembly_.stride(covenant::sim::testing::kOffchip, kLevel, apart);
      assembly_.stride(covenant::sim::testing::kOnchip, kLevel, draw(0, 1));
      assembly_.op(operation, {units * 4 - 1});
    }
  }

  Assembly assembly_;
  std::mt19937_64 random_;
};

void write(const covenant::acg::Machine& machine, const std::filesystem::path& folder, uint64_t seed) {
  Traffic traffic(machine, seed);
  Assembly assembly = traffic.make();
  const covenant::acg::Program program = assembly.program();
  const std::vector<uint8_t> before = assembly.image(traffic.data());
  std::vector<uint8_t> after = before;
  const auto result = covenant::sim::simulate(program, after);
  if (!result) throw std::runtime_error(render(result.error()));
  const covenant::rtl::SelfTest test{.name = "traffic",
                                     .entry = static_cast<uint32_t>(covenant::acg::entry_address(program)),
                                     .memories = covenant::acg::memory_ranges(program),
                                     .before = before,
                                     .after = after,
                                     .cycles = result->cycles};
  std::filesystem::create_directories(folder);
  for (const auto& [name, text] : covenant::rtl::self_test_files(test)) {
    if (name.starts_with("test/")) std::ofstream(folder / name.substr(5), std::ios::binary) << text;
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) {
    std::fputs("axi_traffic MACHINE FOLDER PROGRAMS SEED\n", stderr);
    return 2;
  }
  try {
    std::ifstream file(arguments[1]);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto machine = covenant::acg::from_json(text);
    if (!machine) throw std::runtime_error(render(machine.error()));
    const uint64_t programs = std::stoull(arguments[3]), seed = std::stoull(arguments[4]);
    for (uint64_t k = 0; k < programs; ++k) {
      write(*machine, std::filesystem::path(arguments[2]) / std::to_string(k), seed * programs + k);
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
