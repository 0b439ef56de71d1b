/// Runs code in packets as a whole program, on our core and in QEMU.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "compiler/families/vliw/packetize.h"

namespace covenant::compiler::vliw::testing {

inline constexpr uint32_t kCodeAddress = 0x20000;

struct Range {
  uint32_t address = 0;
  uint32_t bytes = 0;
};

/// Sets the registers that are given (by virtual register), runs the packets, writes a range of memory, ends.
std::vector<uint8_t> program_of(const acg::Machine& machine, const std::vector<FixedRegister>& fixed,
                                const std::map<uint32_t, uint32_t>& given, const std::vector<PacketStep>& steps,
                                const Range& written);

/// The data at `address` when the program has come to its end. Counts its packets.
std::vector<uint8_t> on_our_core(const acg::Machine& machine, std::vector<uint8_t> program, std::vector<uint8_t> data,
                                 uint32_t address, uint64_t& packets);

/// The program's output in QEMU.
std::vector<uint8_t> in_qemu(const std::vector<uint8_t>& program, const std::vector<uint8_t>& data, uint32_t address);

}  // namespace covenant::compiler::vliw::testing
