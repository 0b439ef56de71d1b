/// ELF files for the Hexagon, as other compilers emit them and QEMU runs them: static 32-bit little-endian executables
/// ("Tool Interface Standard: Executable and Linking Format", version 1.2; machine number and flags as in LLVM).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "acg/base/result.h"

namespace covenant::acg {

/// A range of addresses that is loaded when the program starts.
struct ElfSegment {
  uint32_t address = 0;
  uint64_t bytes = 0;            ///< size in memory: at least that of `content`, at most up to the end of 32-bit
                                 ///< addresses
  std::vector<uint8_t> content;  ///< the part that the file holds; the bytes after it are zero
  bool is_executable = false;
  bool is_writable = false;

  /// The address after its last byte.
  uint64_t end() const { return uint64_t{address} + bytes; }
  bool operator==(const ElfSegment&) const = default;
};

struct ElfFile {
  uint32_t entry = 0;                       ///< in an executable segment
  std::vector<ElfSegment> segments;         ///< by rising address; none is empty, no two overlap
  std::map<std::string, uint32_t> symbols;  ///< addresses of functions and objects by name; none if it was stripped
  bool operator==(const ElfFile&) const = default;
};

/// True if the bytes begin as those of an ELF file do, for any machine.
bool is_elf(std::span<const uint8_t> bytes);

/// Reads and checks the file. Segments are those that are loaded and not empty; their contents together are not larger
/// than the file, nor are the names of its symbols. Symbols are defined functions, objects and symbols without a type;
/// among several with one name the first global one counts, or the first if all are local. Errors: ISA0020 (not a
/// static executable for the Hexagon, or its entry is in no executable segment), ISA0021 (cut off, or tables that lie
/// outside the file or contradict themselves).
Result<ElfFile> read_elf(std::span<const uint8_t> bytes);

/// The bytes of an executable for V66; equal files give equal bytes. It has sections and a symbol table for
/// disassemblers. `read_elf` gives `file` back if names of symbols are not empty and hold no zero byte. QEMU maps pages
/// of 64 KiB: to run there, no two segments may share a page. Precondition: segments and entry are as described above.
std::vector<uint8_t> elf_bytes(const ElfFile& file);

}  // namespace covenant::acg
