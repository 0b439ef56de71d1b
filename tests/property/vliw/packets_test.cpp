// Random code: whatever is packed, overlapped and allocated, memory is what the instructions make one after the other;
// on our core, and in QEMU.
#include "compiler/target/vliw/packets.h"

#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <unistd.h>

#include "acg/base/failure.h"
#include "acg/isa/elf_file.h"
#include "acg/lang/load.h"
#include "compiler/target/vliw/allocate.h"
#include "compiler/target/vliw/place.h"
#include "rtl/cosim/process.h"
#include "sim/units/vliw_core/core.h"
#include "tests/property/vliw/interpret.h"
#include "tests/property/vliw/random_code.h"

namespace covenant::compiler::vliw {
namespace {

using namespace testing;
using acg::testing::RandomSource;

constexpr uint32_t kCodeAddress = 0x20000;
constexpr int kPrograms = 150, kInQemu = 25;

std::vector<uint8_t> random_data(RandomSource& random) {
  std::vector<uint8_t> data(kDataBytes);
  for (uint8_t& byte : data) byte = static_cast<uint8_t>(random.between(0, 255));
  return data;
}

std::vector<uint8_t> words_of(const acg::Machine& machine, const std::vector<std::string>& packets) {
  const acg::PacketCodec codec(machine);
  std::vector<uint8_t> bytes;
  for (const std::string& text : packets) {
    const auto words = codec.encode(*codec.assemble(text, 0));
    EXPECT_TRUE(words) << text;
    for (const acg::InstructionWord& word : *words) {
      for (uint32_t i = 0; i < 4; ++i) bytes.push_back(word.byte(i));
    }
  }
  return bytes;
}

/// Sets the registers that are given, runs the packets, writes the data, ends.
std::vector<uint8_t> program_of(const acg::Machine& machine, const RandomCode& drawn,
                                const std::vector<PacketStep>& steps) {
  std::vector<std::string> begin;
  for (const FixedRegister& entry : drawn.code.fixed) {
    begin.push_back(
        fmt::format("{{ r{} = ##{} }}", entry.register_, static_cast<int32_t>(drawn.given.at(entry.number))));
  }
  std::vector<uint8_t> bytes = words_of(machine, begin);
  const auto at = kCodeAddress + static_cast<uint32_t>(bytes.size());
  const std::vector<uint8_t> body = bytes_of(placed(steps, machine, at), machine);
  bytes.insert(bytes.end(), body.begin(), body.end());
  const std::vector<uint8_t> end = words_of(machine, {fmt::format("{{ r0 = #1; r1 = ##{} }}", kDataAddress),
                                                      fmt::format("{{ r2 = ##{}; r6 = #64 }}", kDataBytes),
                                                      "{ trap0(#1) }", "{ r0 = #0; r6 = #94 }", "{ trap0(#1) }"});
  bytes.insert(bytes.end(), end.begin(), end.end());
  return bytes;
}

/// Memory after the first service that is asked for.
std::vector<uint8_t> on_our_core(const acg::Machine& machine, std::vector<uint8_t> program, std::vector<uint8_t> data,
                                 uint64_t& packets) {
  sim::vliw::AddressSpace memory;
  memory.add("code", kCodeAddress, program);
  memory.add("data", kDataAddress, data);
  sim::vliw::Core core(machine, std::move(memory), kCodeAddress, false);
  core.run(10'000'000);
  EXPECT_TRUE(core.take_service().has_value());
  packets += core.packets();
  return data;
}

std::vector<uint8_t> in_qemu(const std::vector<uint8_t>& program, const std::vector<uint8_t>& data) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("covenant_vliw_{}", ::getpid());
  std::filesystem::create_directories(folder);
  const std::vector<uint8_t> elf = acg::elf_bytes(
      {kCodeAddress,
       {{kCodeAddress, program.size(), program, true, false}, {kDataAddress, data.size(), data, false, true}},
       {}});
  std::ofstream(folder / "program", std::ios::binary)
      .write(reinterpret_cast<const char*>(elf.data()), static_cast<std::streamsize>(elf.size()));
  std::filesystem::permissions(folder / "program", std::filesystem::perms::owner_all);
  EXPECT_EQ(rtl::run_process({"qemu-hexagon", "-cpu", "v67", "./program"}, folder, folder / "written"), 0);
  std::ifstream file(folder / "written", std::ios::binary);
  std::vector<uint8_t> written{std::istreambuf_iterator<char>(file), {}};
  std::filesystem::remove_all(folder);
  return written;
}

TEST(VliwPackets, DoWhatTheirInstructionsDoOneAfterTheOther) {
  RandomSource random(15);
  const acg::Machine machine = *acg::load_machine("hvx");
  int too_large = 0, in_both = 0;
  uint64_t packets = 0;
  for (int i = 0; i < kPrograms; ++i) {
    const RandomCode drawn = random_code(random);
    const std::vector<uint8_t> data = random_data(random);
    std::vector<uint8_t> wanted = data;
    interpret(drawn.code, wanted, kDataAddress, drawn.given);
    for (const PacketOptions& options :
         {PacketOptions{}, {.pack = true, .pipeline = false}, {.pack = false, .pipeline = false}}) {
      const auto steps = allocated(packets_of(drawn.code, machine, options), machine);
      if (!steps) {
        EXPECT_EQ(steps.error().code, "GEN0050");
        ++too_large;
        continue;
      }
      const std::vector<uint8_t> program = program_of(machine, drawn, *steps);
      ASSERT_TRUE(on_our_core(machine, program, data, packets) == wanted)
          << "program " << i << "\n"
          << text_of(placed(*steps, machine, kCodeAddress), machine);
      if (i >= kInQemu) continue;
      ++in_both;
      ASSERT_TRUE(in_qemu(program, data) == wanted) << "program " << i;
    }
  }
  std::cout << kPrograms << " programs three ways, " << packets << " packets executed, " << too_large
            << " want more registers than there are, " << in_both << " ran in QEMU, too\n";
  EXPECT_LT(too_large, kPrograms / 10);
}

}  // namespace
}  // namespace covenant::compiler::vliw
