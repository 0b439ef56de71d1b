/// Programs of machines that issue packets: the layout of their image in the address space of a core.
#pragma once

#include <cstdint>

#include "acg/isa/vliw/elf_file.h"
#include "acg/program/program.h"

namespace covenant::acg {

/// Address of byte 0 of the image. No part of a program lies below it.
inline constexpr uint32_t kImageAddress = 0x100000;
/// The address to which a program returns at its end. No packet of a program lies there.
inline constexpr uint32_t kCallerAddress = 0x1000;
/// The code of a program is a function: this register holds its return address when it is called.
inline constexpr int32_t kReturnRegister = 31;

/// True if the instruction words of the program's machine are packets.
inline bool is_of_packets(const Program& program) { return program.machine.packet.slots > 0; }

/// A device holds the part of the image that `memory_ranges` gives from this address of each memory upwards.
inline uint64_t image_address(const Program& program) { return is_of_packets(program) ? kImageAddress : 0; }
/// The start address that a device is given: that of the program's first block or packet.
uint64_t start_address(const Program& program);

/// An executable that reads the bytes of the program's inputs, in their layout in memory, one after the other from
/// standard input, runs the program, and writes those of its outputs to standard output. Error: ISA0023 (a program
/// without packets).
Result<ElfFile> elf_of(const Program& program);

}  // namespace covenant::acg
