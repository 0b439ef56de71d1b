#include <bit>
#include <cstring>
#include <elf.h>
#include <fmt/format.h>

#include "acg/base/check.h"
#include "acg/base/rounding.h"
#include "acg/isa/vliw/elf_file.h"

namespace covenant::acg {
namespace {

static_assert(std::endian::native == std::endian::little, "structures are copied as the file has them");

constexpr uint32_t kFlagsV66 = 0x66;
// Page size of QEMU's Hexagon. Loaders require file offsets that are congruent to addresses modulo the page size.
constexpr uint32_t kPageBytes = 0x10000;
constexpr size_t kSectionAlignment = 4;

bool contains(const ElfSegment& segment, uint32_t address) {
  return segment.address <= address && address < segment.end();
}

void check_file(const ElfFile& file) {
  // A segment becomes at most two sections, whose numbers must stay below the reserved ones.
  check(file.segments.size() < SHN_LORESERVE / 2 - 4, "too many segments for an ELF file");
  uint64_t end = 0;
  bool has_entry = false;
  for (const ElfSegment& segment : file.segments) {
    check(segment.bytes > 0 && segment.content.size() <= segment.bytes, "a segment that is smaller than its content");
    check(segment.address >= end, "segments that overlap, or fall");
    end = segment.end();
    has_entry = has_entry || (segment.is_executable && contains(segment, file.entry));
  }
  check(end <= uint64_t{1} << 32, "a segment past the last address");
  check(has_entry, "an entry outside of executable segments");
}

/// A table of strings: one after the other, each followed by a zero; the first one is empty.
class StringTable {
 public:
  uint32_t add(std::string_view text) {
    const size_t at = bytes_.size();
    bytes_.append(text).push_back('\0');
    return static_cast<uint32_t>(at);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_{'\0'};
};

class Writer {
 public:
  explicit Writer(const ElfFile& file) : file_(file) {}

  std::vector<uint8_t> run() {
    bytes_.resize(sizeof(Elf32_Ehdr) + file_.segments.size() * sizeof(Elf32_Phdr));
    sections_.push_back({});
    for (const ElfSegment& segment : file_.segments) add_segment(segment);
    add_symbols();
    add_section_names();
    const size_t section_table = round_up(bytes_.size(), kSectionAlignment);
    bytes_.resize(section_table);
    append(sections_.data(), sections_.size() * sizeof(Elf32_Shdr));
    check(bytes_.size() < uint64_t{1} << 32, "an ELF file of 4 GiB");
    put_headers(static_cast<uint32_t>(section_table));
    return std::move(bytes_);
  }

 private:
  void append(const void* from, size_t count) {
    const auto* start = static_cast<const uint8_t*>(from);
    bytes_.insert(bytes_.end(), start, start + count);
  }

  void add_segment(const ElfSegment& segment) {
    if (!segment.content.empty()) bytes_.resize(bytes_.size() + (segment.address - bytes_.size()) % kPageBytes);
    const auto offset = static_cast<uint32_t>(bytes_.size());
    append(segment.content.data(), segment.content.size());
    Elf32_Phdr program{};
    program.p_type = PT_LOAD;
    // Without content there is nothing to map, but readers check all the same that the offset is congruent.
    program.p_offset = segment.content.empty() ? segment.address % kPageBytes : offset;
    program.p_vaddr = program.p_paddr = segment.address;
    program.p_filesz = static_cast<uint32_t>(segment.content.size());
    program.p_memsz = static_cast<uint32_t>(segment.bytes);
    program.p_flags = PF_R | (segment.is_writable ? PF_W : 0U) | (segment.is_executable ? PF_X : 0U);
    program.p_align = kPageBytes;
    programs_.push_back(program);
    add_sections(segment, offset);
  }

  /// Adds a section for the content and one for the zeros after it, since a section cannot hold both.
  void add_sections(const ElfSegment& segment, uint32_t offset) {
    const std::string_view name = segment.is_executable ? ".text" : segment.is_writable ? ".data" : ".rodata";
    Elf32_Shdr section{};
    section.sh_flags =
        SHF_ALLOC | (segment.is_writable ? SHF_WRITE : 0U) | (segment.is_executable ? SHF_EXECINSTR : 0U);
    section.sh_offset = offset;
    const auto held = static_cast<uint32_t>(segment.content.size());
    const auto zeros = static_cast<uint32_t>(segment.bytes - segment.content.size());
    if (held > 0) add_loaded(name, SHT_PROGBITS, segment.address, held, section);
    section.sh_offset += held;
    if (zeros > 0) add_loaded(".bss", SHT_NOBITS, segment.address + held, zeros, section);
  }

  void add_loaded(std::string_view name, uint32_t type, uint32_t address, uint32_t bytes, Elf32_Shdr section) {
    const size_t number = used_[std::string(name)]++;
    section.sh_name = section_names_.add(number == 0 ? std::string(name) : fmt::format("{}.{}", name, number));
    section.sh_type = type;
    section.sh_addr = address;
    section.sh_size = bytes;
    section.sh_addralign = address % kSectionAlignment == 0 ? kSectionAlignment : 1;
    sections_.push_back(section);
  }

  void add_symbols() {
    std::vector<Elf32_Sym> symbols(1);
    StringTable names;
    for (const auto& [name, address] : file_.symbols) {
      Elf32_Sym symbol{};
      symbol.st_name = names.add(name);
      symbol.st_value = address;
      symbol.st_info = ELF32_ST_INFO(STB_GLOBAL, is_code(address) ? STT_FUNC : STT_OBJECT);
      symbol.st_shndx = section_at(address);
      symbols.push_back(symbol);
    }
    bytes_.resize(round_up(bytes_.size(), kSectionAlignment));
    Elf32_Shdr& table = add_table(".symtab", SHT_SYMTAB, symbols.data(), symbols.size() * sizeof(Elf32_Sym));
    table.sh_link = static_cast<uint32_t>(sections_.size());  // section of the names: the next one
    table.sh_info = 1;                                        // index of the first symbol that is not local
    table.sh_entsize = sizeof(Elf32_Sym);
    table.sh_addralign = kSectionAlignment;
    add_table(".strtab", SHT_STRTAB, names.bytes().data(), names.bytes().size());
  }

  bool is_code(uint32_t address) const {
    for (const ElfSegment& segment : file_.segments) {
      if (contains(segment, address)) return segment.is_executable;
    }
    return false;
  }

  uint16_t section_at(uint32_t address) const {
    for (size_t i = 1; i < sections_.size(); ++i) {
      if (address >= sections_[i].sh_addr && address - sections_[i].sh_addr < sections_[i].sh_size) {
        return static_cast<uint16_t>(i);
      }
    }
    return SHN_ABS;
  }

  void add_section_names() {
    // The name of this section is itself in the table.
    StringTable names = section_names_;
    names.add(".shstrtab");
    add_table(".shstrtab", SHT_STRTAB, names.bytes().data(), names.bytes().size());
  }

  Elf32_Shdr& add_table(std::string_view name, uint32_t type, const void* from, size_t count) {
    Elf32_Shdr section{};
    section.sh_name = section_names_.add(name);
    section.sh_type = type;
    section.sh_offset = static_cast<uint32_t>(bytes_.size());
    section.sh_size = static_cast<uint32_t>(count);
    section.sh_addralign = 1;
    append(from, count);
    return sections_.emplace_back(section);
  }

  void put_headers(uint32_t section_table) {
    Elf32_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS32;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_EXEC;
    header.e_machine = EM_QDSP6;
    header.e_version = EV_CURRENT;
    header.e_entry = file_.entry;
    header.e_phoff = sizeof(Elf32_Ehdr);
    header.e_shoff = section_table;
    header.e_flags = kFlagsV66;
    header.e_ehsize = sizeof(Elf32_Ehdr);
    header.e_phentsize = sizeof(Elf32_Phdr);
    header.e_phnum = static_cast<uint16_t>(programs_.size());
    header.e_shentsize = sizeof(Elf32_Shdr);
    header.e_shnum = static_cast<uint16_t>(sections_.size());
    header.e_shstrndx = static_cast<uint16_t>(sections_.size() - 1);
    std::memcpy(bytes_.data(), &header, sizeof(header));
    std::memcpy(bytes_.data() + sizeof(header), programs_.data(), programs_.size() * sizeof(Elf32_Phdr));
  }

  const ElfFile& file_;
  std::vector<uint8_t> bytes_;
  std::vector<Elf32_Phdr> programs_;
  std::vector<Elf32_Shdr> sections_;
  std::map<std::string, size_t> used_;  ///< number of sections that share a name; the second one is ".text.1"
  StringTable section_names_;
};

}  // namespace

std::vector<uint8_t> elf_bytes(const ElfFile& file) {
  check_file(file);
  return Writer(file).run();
}

}  // namespace covenant::acg
