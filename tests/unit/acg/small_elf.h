/// A small executable for the Hexagon, and its parts as bytes, so that tests can corrupt them.
#pragma once

#include <cstring>
#include <elf.h>

#include "acg/isa/vliw/elf_file.h"

namespace covenant::acg::testing {

/// Code, constants, data with zeros after it, zeros alone. One symbol in each, and two outside of all sections.
inline ElfFile small_elf() {
  ElfFile file;
  file.entry = 0x10104;
  file.segments = {{0x10100, 12, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, true, false},
                   {0x20203, 3, {21, 22, 23}, false, false},
                   {0x30300, 32, {31, 0, 0, 34, 0}, false, true},
                   {0x40400, 0x100000, {}, false, true}};
  file.symbols = {{"data", 0x30301},  {"end", 0x140400},  {"limit", 7},     {"room", 0x40400},
                  {"start", 0x10104}, {"table", 0x20203}, {"tail", 0x30306}};
  return file;
}

/// Entry `index` of a table that starts at byte `offset`.
template <typename Entry>
Entry entry_at(const std::vector<uint8_t>& bytes, size_t offset, size_t index = 0) {
  Entry entry{};
  std::memcpy(&entry, bytes.data() + offset + index * sizeof(Entry), sizeof(Entry));
  return entry;
}

template <typename Entry>
void put_entry(std::vector<uint8_t>& bytes, const Entry& entry, size_t offset, size_t index = 0) {
  std::memcpy(bytes.data() + offset + index * sizeof(Entry), &entry, sizeof(Entry));
}

inline Elf32_Ehdr header_of(const std::vector<uint8_t>& bytes) { return entry_at<Elf32_Ehdr>(bytes, 0); }

/// Number of the first section of a type.
inline size_t section_of_type(const std::vector<uint8_t>& bytes, uint32_t type) {
  const Elf32_Ehdr header = header_of(bytes);
  size_t index = 0;
  while (index < header.e_shnum && entry_at<Elf32_Shdr>(bytes, header.e_shoff, index).sh_type != type) ++index;
  return index;
}

}  // namespace covenant::acg::testing
