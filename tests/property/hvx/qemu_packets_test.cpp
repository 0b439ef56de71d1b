// Random programs in lock step with QEMU: after every packet all registers are equal, at the end all of memory.
#include <array>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "acg/base/failure.h"
#include "sim/vliw/core.h"
#include "tests/property/hvx/qemu.h"
#include "tests/property/hvx/random_code.h"

namespace covenant::acg {
namespace {

using namespace testing;
using sim::vliw::AddressSpace;
using sim::vliw::Core;
using sim::vliw::Registers;

constexpr size_t kPrograms = 10;
/// 50,000 packets in the full tier of the tests.
size_t packets_of_a_program() { return std::getenv("COVENANT_FULL") != nullptr ? 5000 : 1400; }

AddressSpace memory_of(ElfFile& file) {
  AddressSpace memory;
  for (ElfSegment& segment : file.segments) memory.add("segment", segment.address, segment.content);
  return memory;
}

std::string text_of(const sim::vliw::Vector& vector) {
  std::string text;
  for (size_t i = sim::vliw::kVectorBytes; i-- > 0;)
    text += fmt::format("{:02x}{}", vector.bytes[i], i % 4 == 0 ? " " : "");
  return text;
}

/// Names and both values of all registers that differ.
std::string differences(const Registers& ours, const Registers& theirs) {
  std::string text;
  const auto note = [&](const std::string& name, const std::string& our, const std::string& their) {
    text += fmt::format("  {}: {} of ours, {} of QEMU's\n", name, our, their);
  };
  const auto compare = [&](const char* name, const auto& our, const auto& their, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      if (our[i] != their[i])
        note(fmt::format("{}{}", name, i), fmt::format("{:x}", our[i]), fmt::format("{:x}", their[i]));
    }
  };
  const auto compare_vectors = [&](const char* name, const auto& our, const auto& their, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      if (our[i] != their[i])
        note(fmt::format("{}{}", name, i), "\n" + text_of(our[i]) + "\n", "\n" + text_of(their[i]));
    }
  };
  compare("r", ours.scalars, theirs.scalars, 32);
  compare("p", ours.predicates, theirs.predicates, 4);
  compare("c", ours.controls, theirs.controls, 14);
  compare_vectors("v", ours.vectors, theirs.vectors, 32);
  compare_vectors("q", ours.vector_predicates, theirs.vector_predicates, 4);
  return text;
}

/// Number of executions of each operation.
using Executed = std::array<size_t, kVliwOperationCount>;

void count(const Packet& packet, Executed& executed) {
  for (const PacketInstruction& entry : packet.instructions) {
    ++executed.at(static_cast<size_t>(vliw_operation(entry.instruction.operation).value()));
    if (entry.is_extended) ++executed.at(static_cast<size_t>(VliwOperation::kA4Ext));
  }
}

/// Runs in lock step and stops at the first packet that differs. Returns the number of packets.
size_t run_in_lock_step(const Machine& machine, ElfFile file, Executed& executed) {
  Qemu qemu(file);
  Core core(machine, memory_of(file), file.entry);
  QemuState theirs;
  std::string before = "the start";
  size_t packets = 0;
  for (; qemu.next(theirs); ++packets) {
    // Initial state from the operating system.
    if (packets == 0) core.registers() = theirs.registers;
    EXPECT_EQ(core.address(), theirs.address) << "after " << before;
    const std::string difference = differences(core.registers(), theirs.registers);
    EXPECT_EQ(difference, "") << "after " << before;
    if (::testing::Test::HasFailure()) return packets;
    before = core.text_at(core.address());
    count(core.packet_at(core.address()), executed);
    core.run(1);
    // The services have no effect on registers that the program looks at.
    if (core.take_service()) core.registers().scalars[0] = core.registers().scalars[2];
  }
  EXPECT_EQ(qemu.written(), file.segments[1].content) << "after " << before;
  return packets;
}

TEST(HvxPackets, StateEqualsThatOfQemuAfterEach) {
  RandomSource random(7);
  const Machine machine = hvx();
  size_t drawn = 0, run = 0;
  Executed executed{};
  for (size_t i = 0; i < kPrograms; ++i) {
    RandomCode code(machine, random);
    const ElfFile file = code.program(packets_of_a_program());
    run += run_in_lock_step(machine, file, executed);
    drawn += code.drawn();
    if (HasFailure()) return;
  }
  for (size_t i = 0; i < executed.size(); ++i) {
    EXPECT_GE(executed[i], 10U) << info(operation_of(static_cast<VliwOperation>(i))).name;
  }
  std::cout << drawn << " random packets, " << run << " executed in lock step\n";
  EXPECT_GE(drawn, kPrograms * packets_of_a_program());
}

}  // namespace
}  // namespace covenant::acg
