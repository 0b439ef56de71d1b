/// Programs of machines that issue packets: how their image lies in the address space of a core.
#pragma once

#include <cstdint>

#include "acg/isa/elf_file.h"
#include "acg/isa/program.h"

namespace covenant::acg {

/// Address of byte 0 of the image. Below it lies nothing of a program.
inline constexpr uint32_t kImageAddress = 0x100000;
/// Where a program returns to when it has come to its end. No packet of a program lies there.
inline constexpr uint32_t kCallerAddress = 0x1000;
/// The code of a program is a function: it returns to what this register holds when it is called.
inline constexpr int32_t kReturnRegister = 31;

/// True if the words of the program's machine are packets.
inline bool is_of_packets(const Program& program) { return program.machine.packet.slots > 0; }

/// A device holds what `memory_ranges` says of the image from this address of each memory on.
inline uint64_t image_address(const Program& program) { return is_of_packets(program) ? kImageAddress : 0; }
/// What a device is told to start the program: the address of its first block or packet.
uint64_t start_address(const Program& program);

/// An executable that reads the bytes of the program's inputs, as they lie in memory, one after the other from the
/// standard input, runs the program, and writes those of its outputs to the standard output.
/// Error: ISA0023 (a program that has no packets).
Result<ElfFile> elf_of(const Program& program);

}  // namespace covenant::acg
