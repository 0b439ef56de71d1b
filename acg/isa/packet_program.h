/// Programs of machines that issue packets: how their image lies in the address space of a core.
#pragma once

#include <cstdint>

#include "acg/isa/elf_file.h"
#include "acg/isa/program.h"

namespace covenant::acg {

/// Address of byte 0 of the image. Below it lies nothing of a program.
inline constexpr uint32_t kImageAddress = 0x100000;
/// The code of a program is a function: it returns to what this register holds when it is called.
inline constexpr int32_t kReturnRegister = 31;

/// True if the words of the program's machine are packets.
inline bool is_of_packets(const Program& program) { return program.machine.packet.slots > 0; }

/// An executable that reads the bytes of the program's inputs, as they lie in memory, one after the other from the
/// standard input, runs the program, and writes those of its outputs to the standard output.
/// Error: ISA0023 (a program that has no packets).
Result<ElfFile> elf_of(const Program& program);

}  // namespace covenant::acg
