/// ELF files of the Hexagon: what other compilers emit and what QEMU runs. Static executables of 32 bits, little-endian
/// ("Tool Interface Standard: Executable and Linking Format", version 1.2; the machine's number and flags are those of
/// LLVM).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "acg/base/result.h"

namespace covenant::acg {

/// Addresses that hold something when the program starts.
struct ElfSegment {
  uint32_t address = 0;
  uint64_t bytes = 0;            ///< in memory: at least those of `content`, at most up to the end of 32-bit addresses
  std::vector<uint8_t> content;  ///< what the file holds of it; the bytes after it are zero
  bool is_executable = false;
  bool is_writable = false;
  bool operator==(const ElfSegment&) const = default;
};

struct ElfFile {
  uint32_t entry = 0;                       ///< in an executable segment
  std::vector<ElfSegment> segments;         ///< by rising address; none is empty, no two overlap
  std::map<std::string, uint32_t> symbols;  ///< addresses of functions and objects by name; none if it was stripped
  bool operator==(const ElfFile&) const = default;
};

/// Whether the bytes begin as those of an ELF file do, whatever its machine.
bool is_elf(std::span<const uint8_t> bytes);

/// The file, checked: the contents of its segments together are not larger than the file, nor are the names of its
/// symbols. Segments are those that are loaded and not empty; symbols are functions, objects and those without a type
/// that are defined. Of several with one name the first global one counts, or the first if all are local.
/// Errors: ISA0020 (no static executable of the Hexagon, or its entry is in no executable segment), ISA0021 (cut off,
/// or tables that lie outside the file or contradict themselves).
Result<ElfFile> read_elf(std::span<const uint8_t> bytes);

/// The bytes of an executable for V66; the same bytes for equal files. It has sections and a table of symbols for
/// disassemblers. `read_elf` of them gives `file` again, if names of symbols are not empty and have no zero byte.
/// QEMU maps pages of 64 KiB: for it, no two segments may have one in common.
/// Precondition: what is said above of segments and entry holds.
std::vector<uint8_t> elf_bytes(const ElfFile& file);

}  // namespace covenant::acg
