/// Programs of machines that issue packets: the layout of their image in the address space of a core.
#pragma once

#include <cstdint>

#include "acg/isa/vliw/elf_file.h"
#include "acg/program/code.h"

namespace covenant::acg {

/// Address of byte 0 of the image. No part of a program lies below it.
inline constexpr uint32_t kImageAddress = 0x100000;
/// The address to which a program returns at its end. No packet of a program lies there.
inline constexpr uint32_t kCallerAddress = 0x1000;
/// The code of a program is a function: this register holds its return address when it is called.
inline constexpr int32_t kReturnRegister = 31;

/// True if the instruction words of the machine, or of the program's machine, are packets.
inline bool issues_packets(const Machine& machine) { return machine.packet.slots > 0; }
inline bool is_of_packets(const Program& program) { return issues_packets(program.machine); }

/// The row of this kind of code.
extern const CodeKind kPacketCode;

/// An executable that reads the bytes of the program's inputs, in their layout in memory, one after the other from
/// standard input, runs the program, and writes those of its outputs to standard output. Error: ISA0023 (a program
/// without packets).
Result<ElfFile> elf_of(const Program& program);

}  // namespace covenant::acg
