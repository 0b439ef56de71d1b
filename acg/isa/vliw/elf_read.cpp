#include <algorithm>
#include <bit>
#include <cstring>
#include <elf.h>
#include <fmt/format.h>

#include "acg/base/failure.h"
#include "acg/isa/vliw/elf_file.h"

namespace covenant::acg {
namespace {

static_assert(std::endian::native == std::endian::little, "structures are copied as the file has them");

constexpr uint64_t kAddresses = uint64_t{1} << 32;
constexpr std::string_view kOtherMachine = "compile it for the Hexagon: --target=hexagon";
constexpr std::string_view kDynamic = "link it statically: -static";

/// The value that a field of the header must have.
struct Requirement {
  std::string_view field;
  uint32_t value = 0;
  uint32_t wanted = 0;
  std::string_view name;  ///< name of the required value
  std::string_view fix;
};

std::string addresses_of(const ElfSegment& segment) {
  return fmt::format("{:#x}..{:#x}", segment.address, segment.end() - 1);
}

class Reader {
 public:
  explicit Reader(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  ElfFile run() {
    check_header();
    ElfFile file;
    file.entry = header_.e_entry;
    file.segments = segments();
    check_entry(file);
    file.symbols = symbols();
    return file;
  }

 private:
  [[noreturn]] static void refuse(std::string message, std::string offending, std::vector<std::string> allowed,
                                  std::string_view fix) {
    throw Failure{
        {"ISA0020", {}, "ELF file", std::move(message), std::move(offending), std::move(allowed), std::string(fix)}};
  }
  [[noreturn]] static void broken(std::string message, std::string offending) {
    throw Failure{{"ISA0021", {}, "ELF file", std::move(message), std::move(offending), {}, "copy or link it again"}};
  }

  /// Both numbers come from 32-bit fields of the file: their sum is exact in 64 bits.
  std::span<const uint8_t> part(std::string_view name, uint64_t offset, uint64_t count) const {
    if (offset + count > bytes_.size()) {
      broken(fmt::format("{} past the end of the file, which has {} bytes", name, bytes_.size()),
             fmt::format("{} bytes from byte {} on", count, offset));
    }
    return bytes_.subspan(static_cast<size_t>(offset), static_cast<size_t>(count));
  }

  /// Copies the entries: tables of a file need not be aligned.
  template <typename Entry>
  std::vector<Entry> table(std::string_view name, uint64_t offset, uint64_t count) const {
    const std::span<const uint8_t> from = part(name, offset, count * sizeof(Entry));
    std::vector<Entry> entries(static_cast<size_t>(count));
    if (!from.empty()) std::memcpy(entries.data(), from.data(), from.size());
    return entries;
  }

  static void check_entry_size(std::string_view field, uint32_t bytes, size_t wanted) {
    if (bytes == wanted) return;
    broken(fmt::format("entries of {} bytes were wanted", wanted), fmt::format("{} = {}", field, bytes));
  }

  void check_header() {
    if (!is_elf(bytes_)) {
      std::string start;
      for (size_t i = 0; i < bytes_.size() && i < SELFMAG; ++i) start += fmt::format(" {:02x}", bytes_[i]);
      refuse("it does not begin as ELF files do", "e_ident =" + start, {"7f 45 4c 46"}, "give an executable");
    }
    header_ = table<Elf32_Ehdr>("the header is", 0, 1).front();
    const Requirement requirements[] = {
        {"e_ident[EI_CLASS]", header_.e_ident[EI_CLASS], ELFCLASS32, "ELFCLASS32", kOtherMachine},
        {"e_ident[EI_DATA]", header_.e_ident[EI_DATA], ELFDATA2LSB, "ELFDATA2LSB", kOtherMachine},
        {"e_machine", header_.e_machine, EM_QDSP6, "EM_QDSP6", kOtherMachine},
        {"e_type", header_.e_type, ET_EXEC, "ET_EXEC", kDynamic},
    };
    for (const Requirement& requirement : requirements) {
      if (requirement.value == requirement.wanted) continue;
      refuse("no static executable of the Hexagon", fmt::format("{} = {}", requirement.field, requirement.value),
             {fmt::format("{} ({})", requirement.wanted, requirement.name)}, requirement.fix);
    }
  }

  std::vector<ElfSegment> segments() const {
    std::vector<ElfSegment> result;
    uint64_t content_bytes = 0;
    for (const Elf32_Phdr& program : loaded()) {
      ElfSegment segment{
          program.p_vaddr, program.p_memsz, {}, (program.p_flags & PF_X) != 0, (program.p_flags & PF_W) != 0};
      check_place(segment, result);
      content_bytes += program.p_filesz;
      // Otherwise a small file whose segments share their content could fill the memory of the host.
      if (content_bytes > bytes_.size()) {
        broken("its segments hold more than the file", fmt::format("{} bytes", content_bytes));
      }
      segment.content = content(program);
      result.push_back(std::move(segment));
    }
    return result;
  }

  /// Program headers of the segments that take memory, by rising address.
  std::vector<Elf32_Phdr> loaded() const {
    if (header_.e_phnum == 0) return {};
    if (header_.e_phnum == PN_XNUM) {
      refuse("more segments than its header can count", fmt::format("e_phnum = {}", header_.e_phnum),
             {fmt::format("0..{}", PN_XNUM - 1)}, "link it with fewer segments");
    }
    check_entry_size("e_phentsize", header_.e_phentsize, sizeof(Elf32_Phdr));
    std::vector<Elf32_Phdr> result;
    for (const Elf32_Phdr& program : table<Elf32_Phdr>("program headers go", header_.e_phoff, header_.e_phnum)) {
      check_static(program);
      if (program.p_type != PT_LOAD) continue;
      if (program.p_filesz > program.p_memsz) {
        broken(fmt::format("a segment of {} bytes has more content", program.p_memsz),
               fmt::format("p_filesz = {}", program.p_filesz));
      }
      if (program.p_memsz > 0) result.push_back(program);
    }
    std::stable_sort(result.begin(), result.end(),
                     [](const Elf32_Phdr& a, const Elf32_Phdr& b) { return a.p_vaddr < b.p_vaddr; });
    return result;
  }

  static void check_static(const Elf32_Phdr& program) {
    if (program.p_type != PT_INTERP && program.p_type != PT_DYNAMIC) return;
    const std::string_view name = program.p_type == PT_INTERP ? "PT_INTERP" : "PT_DYNAMIC";
    refuse("only a dynamic linker could load it", fmt::format("p_type = {} ({})", program.p_type, name),
           {fmt::format("{} (PT_LOAD)", PT_LOAD)}, kDynamic);
  }

  static void check_place(const ElfSegment& segment, const std::vector<ElfSegment>& before) {
    if (segment.end() > kAddresses) {
      broken("a segment goes past the last address of 32 bits", addresses_of(segment));
    }
    if (!before.empty() && before.back().end() > segment.address) {
      broken("two segments overlap", addresses_of(before.back()) + " and " + addresses_of(segment));
    }
  }

  std::vector<uint8_t> content(const Elf32_Phdr& program) const {
    // Linkers write an arbitrary offset if there is no content.
    if (program.p_filesz == 0) return {};
    const std::span<const uint8_t> held = part("a segment goes", program.p_offset, program.p_filesz);
    return {held.begin(), held.end()};
  }

  static void check_entry(const ElfFile& file) {
    std::vector<std::string> allowed;
    for (const ElfSegment& segment : file.segments) {
      if (!segment.is_executable) continue;
      if (segment.address <= file.entry && file.entry < segment.end()) return;
      allowed.push_back(addresses_of(segment));
    }
    refuse("its entry is in no executable segment", fmt::format("e_entry = {:#x}", file.entry), std::move(allowed),
           "name a function as the entry: -Wl,--entry=main");
  }

  std::vector<Elf32_Shdr> sections() const {
    if (header_.e_shoff == 0) return {};
    check_entry_size("e_shentsize", header_.e_shentsize, sizeof(Elf32_Shdr));
    constexpr std::string_view kName = "section headers go";
    // A count that is too large for the header is stored in the first section.
    const uint64_t count =
        header_.e_shnum > 0 ? uint64_t{header_.e_shnum} : table<Elf32_Shdr>(kName, header_.e_shoff, 1).front().sh_size;
    return table<Elf32_Shdr>(kName, header_.e_shoff, count);
  }

  std::map<std::string, uint32_t> symbols() const {
    const std::vector<Elf32_Shdr> all = sections();
    // A file has at most one such section.
    const auto found =
        std::find_if(all.begin(), all.end(), [](const Elf32_Shdr& section) { return section.sh_type == SHT_SYMTAB; });
    if (found == all.end()) return {};
    check_entry_size("sh_entsize", found->sh_entsize, sizeof(Elf32_Sym));
    if (found->sh_size % sizeof(Elf32_Sym) != 0) {
      broken("a part of a symbol at the end of the table", fmt::format("sh_size = {}", found->sh_size));
    }
    if (found->sh_link >= all.size() || all[found->sh_link].sh_type != SHT_STRTAB) {
      broken("the symbols have no table of names", fmt::format("sh_link = {}", found->sh_link));
    }
    const Elf32_Shdr& strings = all[found->sh_link];
    const std::span<const uint8_t> names = part("names of symbols go", strings.sh_offset, strings.sh_size);
    return symbols(table<Elf32_Sym>("symbols go", found->sh_offset, found->sh_size / sizeof(Elf32_Sym)), names,
                   all.size());
  }

  std::map<std::string, uint32_t> symbols(const std::vector<Elf32_Sym>& entries, std::span<const uint8_t> names,
                                          size_t sections) const {
    std::map<std::string, uint32_t> result;
    std::map<std::string, bool> is_global;
    size_t name_bytes = 0;
    for (const Elf32_Sym& symbol : entries) {
      if (!is_wanted(symbol, sections)) continue;
      const std::string name = name_of(symbol, names);
      if (name.empty()) continue;
      name_bytes += name.size();
      // Names may share their tails; written out in full they must not fill the memory of the host.
      if (name_bytes > bytes_.size()) {
        broken("the names of its symbols are longer than the file", fmt::format("{} bytes", name_bytes));
      }
      const bool is_local = ELF32_ST_BIND(symbol.st_info) == STB_LOCAL;
      const auto [known, is_new] = is_global.try_emplace(name, !is_local);
      if (!is_new && (is_local || known->second)) continue;
      known->second = !is_local;
      result[name] = symbol.st_value;
    }
    return result;
  }

  static bool is_wanted(const Elf32_Sym& symbol, size_t sections) {
    const uint32_t type = ELF32_ST_TYPE(symbol.st_info);
    if (type != STT_FUNC && type != STT_OBJECT && type != STT_NOTYPE) return false;
    const uint32_t section = symbol.st_shndx;
    if (section == SHN_UNDEF) return false;
    // Two of the reserved numbers mark definitions: an absolute address, and a section whose number is too large.
    if (section >= SHN_LORESERVE) return section == SHN_ABS || section == SHN_XINDEX;
    if (section >= sections) broken("a symbol of a section that is not there", fmt::format("st_shndx = {}", section));
    return true;
  }

  static std::string name_of(const Elf32_Sym& symbol, std::span<const uint8_t> names) {
    if (symbol.st_name == 0) return {};
    if (symbol.st_name >= names.size()) {
      broken("the name of a symbol is outside the table of names", fmt::format("st_name = {}", symbol.st_name));
    }
    const std::span<const uint8_t> from = names.subspan(symbol.st_name);
    const auto end = std::find(from.begin(), from.end(), uint8_t{0});
    if (end == from.end()) broken("the name of a symbol has no end", fmt::format("st_name = {}", symbol.st_name));
    return {from.begin(), end};
  }

  std::span<const uint8_t> bytes_;
  Elf32_Ehdr header_{};
};

}  // namespace

bool is_elf(std::span<const uint8_t> bytes) {
  return bytes.size() >= SELFMAG && std::memcmp(bytes.data(), ELFMAG, SELFMAG) == 0;
}

Result<ElfFile> read_elf(std::span<const uint8_t> bytes) {
  return guarded<ElfFile>([&] { return Reader(bytes).run(); });
}

}  // namespace covenant::acg
