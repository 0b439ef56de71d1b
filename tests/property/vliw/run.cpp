#include "tests/property/vliw/run.h"

#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

#include "acg/isa/vliw/elf_file.h"
#include "compiler/families/vliw/address_assignment.h"
#include "rtl/cosim/process.h"
#include "sim/vliw/core.h"

namespace covenant::compiler::vliw::testing {
namespace {

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

}  // namespace

std::vector<uint8_t> program_of(const acg::Machine& machine, const std::vector<FixedRegister>& fixed,
                                const std::map<uint32_t, uint32_t>& given, const std::vector<PacketStep>& steps,
                                const Range& written) {
  std::vector<std::string> begin;
  for (const FixedRegister& entry : fixed) {
    begin.push_back(fmt::format("{{ r{} = ##{} }}", entry.index, static_cast<int32_t>(given.at(entry.number))));
  }
  std::vector<uint8_t> bytes = words_of(machine, begin);
  const auto at = kCodeAddress + static_cast<uint32_t>(bytes.size());
  const std::vector<uint8_t> body = bytes_of(assign_addresses(steps, machine, at), machine);
  bytes.insert(bytes.end(), body.begin(), body.end());
  const std::vector<uint8_t> end = words_of(machine, {fmt::format("{{ r0 = #1; r1 = ##{} }}", written.address),
                                                      fmt::format("{{ r2 = ##{}; r6 = #64 }}", written.bytes),
                                                      "{ trap0(#1) }", "{ r0 = #0; r6 = #94 }", "{ trap0(#1) }"});
  bytes.insert(bytes.end(), end.begin(), end.end());
  return bytes;
}

std::vector<uint8_t> on_our_core(const acg::Machine& machine, std::vector<uint8_t> program, std::vector<uint8_t> data,
                                 uint32_t address, uint64_t& packets) {
  sim::vliw::AddressSpace memory;
  memory.add("code", kCodeAddress, program);
  memory.add("data", address, data);
  sim::vliw::Core core(machine, std::move(memory), kCodeAddress, false);
  core.run(10'000'000);
  EXPECT_TRUE(core.take_service().has_value());
  packets += core.packets();
  return data;
}

std::vector<uint8_t> in_qemu(const std::vector<uint8_t>& program, const std::vector<uint8_t>& data, uint32_t address) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("covenant_vliw_{}", ::getpid());
  std::filesystem::create_directories(folder);
  const std::vector<uint8_t> elf =
      acg::elf_bytes({kCodeAddress,
                      {{kCodeAddress, program.size(), program, true, false}, {address, data.size(), data, false, true}},
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

}  // namespace covenant::compiler::vliw::testing
