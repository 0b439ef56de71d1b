// ELF files that are broken, or not static executables for the Hexagon: ISA0020 and ISA0021.
#include <functional>
#include <gtest/gtest.h>

#include "tests/unit/acg/small_elf.h"

namespace covenant::acg {
namespace {

using namespace testing;

class ElfErrors : public ::testing::Test {
 protected:
  static void refused(std::span<const uint8_t> bytes, const std::string& code, const std::string& offending,
                      const std::string& fix, const std::vector<std::string>& allowed = {}) {
    const Result<ElfFile> read = read_elf(bytes);
    ASSERT_FALSE(read) << offending;
    EXPECT_EQ(read.error().code, code) << offending;
    EXPECT_EQ(read.error().offending, offending);
    EXPECT_EQ(read.error().allowed, allowed) << offending;
    EXPECT_EQ(read.error().fix, fix) << offending;
    EXPECT_FALSE(read.error().message.empty());
  }

  std::vector<uint8_t> with_header(const std::function<void(Elf32_Ehdr&)>& change) const {
    std::vector<uint8_t> bytes = good_;
    Elf32_Ehdr header = header_of(bytes);
    change(header);
    put_entry(bytes, header, 0);
    return bytes;
  }
  std::vector<uint8_t> with_program(size_t index, const std::function<void(Elf32_Phdr&)>& change) const {
    std::vector<uint8_t> bytes = good_;
    const size_t table = header_of(bytes).e_phoff;
    auto program = entry_at<Elf32_Phdr>(bytes, table, index);
    change(program);
    put_entry(bytes, program, table, index);
    return bytes;
  }
  std::vector<uint8_t> with_section(uint32_t type, const std::function<void(Elf32_Shdr&)>& change) const {
    std::vector<uint8_t> bytes = good_;
    const size_t table = header_of(bytes).e_shoff;
    const size_t index = section_of_type(bytes, type);
    auto section = entry_at<Elf32_Shdr>(bytes, table, index);
    change(section);
    put_entry(bytes, section, table, index);
    return bytes;
  }
  std::vector<uint8_t> with_symbol(const std::function<void(Elf32_Sym&)>& change) const {
    std::vector<uint8_t> bytes = good_;
    const size_t table =
        entry_at<Elf32_Shdr>(bytes, header_of(bytes).e_shoff, section_of_type(bytes, SHT_SYMTAB)).sh_offset;
    auto symbol = entry_at<Elf32_Sym>(bytes, table, 1);
    change(symbol);
    put_entry(bytes, symbol, table, 1);
    return bytes;
  }

  Elf32_Shdr section(uint32_t type) const {
    return entry_at<Elf32_Shdr>(good_, header_of(good_).e_shoff, section_of_type(good_, type));
  }

  const std::vector<uint8_t> good_ = elf_bytes(small_elf());
  const std::string machine_ = "compile it for the Hexagon: --target=hexagon";
  const std::string static_ = "link it statically: -static";
  const std::string again_ = "copy or link it again";
};

TEST_F(ElfErrors, NoElfFile) {
  const std::vector<std::string> allowed{"7f 45 4c 46"};
  refused({}, "ISA0020", "e_ident =", "give an executable", allowed);
  refused(std::vector<uint8_t>{0x7f, 'E'}, "ISA0020", "e_ident = 7f 45", "give an executable", allowed);
  refused(std::vector<uint8_t>(100, '#'), "ISA0020", "e_ident = 23 23 23 23", "give an executable", allowed);
}

TEST_F(ElfErrors, OtherFiles) {
  refused(with_header([](Elf32_Ehdr& header) { header.e_ident[EI_CLASS] = ELFCLASS64; }), "ISA0020",
          "e_ident[EI_CLASS] = 2", machine_, {"1 (ELFCLASS32)"});
  refused(with_header([](Elf32_Ehdr& header) { header.e_ident[EI_DATA] = ELFDATA2MSB; }), "ISA0020",
          "e_ident[EI_DATA] = 2", machine_, {"1 (ELFDATA2LSB)"});
  refused(with_header([](Elf32_Ehdr& header) { header.e_machine = EM_RISCV; }), "ISA0020", "e_machine = 243", machine_,
          {"164 (EM_QDSP6)"});
  refused(with_header([](Elf32_Ehdr& header) { header.e_type = ET_DYN; }), "ISA0020", "e_type = 3", static_,
          {"2 (ET_EXEC)"});
  refused(with_header([](Elf32_Ehdr& header) { header.e_type = ET_REL; }), "ISA0020", "e_type = 1", static_,
          {"2 (ET_EXEC)"});
}

TEST_F(ElfErrors, DynamicLinking) {
  refused(with_program(1, [](Elf32_Phdr& program) { program.p_type = PT_INTERP; }), "ISA0020", "p_type = 3 (PT_INTERP)",
          static_, {"1 (PT_LOAD)"});
  refused(with_program(1, [](Elf32_Phdr& program) { program.p_type = PT_DYNAMIC; }), "ISA0020",
          "p_type = 2 (PT_DYNAMIC)", static_, {"1 (PT_LOAD)"});
}

TEST_F(ElfErrors, Entry) {
  const std::string fix = "name a function as the entry: -Wl,--entry=main";
  const std::vector<std::string> allowed{"0x10100..0x1010b"};
  for (const auto& [entry, text] :
       {std::pair<uint32_t, std::string>{0, "0x0"}, {0x100ff, "0x100ff"}, {0x1010c, "0x1010c"}, {0x30300, "0x30300"}}) {
    refused(with_header([entry = entry](Elf32_Ehdr& header) { header.e_entry = entry; }), "ISA0020",
            "e_entry = " + text, fix, allowed);
  }
  refused(with_header([](Elf32_Ehdr& header) { header.e_phnum = 0; }), "ISA0020", "e_entry = 0x10104", fix);
}

TEST_F(ElfErrors, CutOff) {
  const std::span<const uint8_t> all = good_;
  refused(all.first(51), "ISA0021", "52 bytes from byte 0 on", again_);
  refused(all.first(100), "ISA0021", "128 bytes from byte 52 on", again_);
  refused(all.first(0x10b), "ISA0021", "12 bytes from byte 256 on", again_);
  const Elf32_Ehdr header = header_of(good_);
  refused(all.first(all.size() - 1), "ISA0021",
          std::to_string(40 * header.e_shnum) + " bytes from byte " + std::to_string(header.e_shoff) + " on", again_);
}

TEST_F(ElfErrors, TablesOutsideTheFile) {
  refused(with_header([](Elf32_Ehdr& header) { header.e_phoff = 0xfffffff0; }), "ISA0021",
          "128 bytes from byte 4294967280 on", again_);
  refused(with_header([](Elf32_Ehdr& header) { header.e_shoff = 0xffffffff; }), "ISA0021",
          "360 bytes from byte 4294967295 on", again_);
  refused(with_section(SHT_SYMTAB, [](Elf32_Shdr& table) { table.sh_size = 0xfffffff0; }), "ISA0021",
          "4294967280 bytes from byte " + std::to_string(section(SHT_SYMTAB).sh_offset) + " on", again_);
  refused(with_section(SHT_STRTAB, [](Elf32_Shdr& table) { table.sh_offset = 0xfffffff0; }), "ISA0021",
          std::to_string(section(SHT_STRTAB).sh_size) + " bytes from byte 4294967280 on", again_);
}

TEST_F(ElfErrors, SizesOfEntries) {
  refused(with_header([](Elf32_Ehdr& header) { header.e_phentsize = 56; }), "ISA0021", "e_phentsize = 56", again_);
  refused(with_header([](Elf32_Ehdr& header) { header.e_shentsize = 0; }), "ISA0021", "e_shentsize = 0", again_);
  refused(with_section(SHT_SYMTAB, [](Elf32_Shdr& table) { table.sh_entsize = 24; }), "ISA0021", "sh_entsize = 24",
          again_);
  refused(with_section(SHT_SYMTAB, [](Elf32_Shdr& table) { table.sh_size = 17; }), "ISA0021", "sh_size = 17", again_);
  refused(with_header([](Elf32_Ehdr& header) { header.e_phnum = PN_XNUM; }), "ISA0020", "e_phnum = 65535",
          "link it with fewer segments", {"0..65534"});
}

TEST_F(ElfErrors, Segments) {
  refused(with_program(1, [](Elf32_Phdr& program) { program.p_vaddr = 0x1010b; }), "ISA0021",
          "0x10100..0x1010b and 0x1010b..0x1010d", again_);
  refused(with_program(3, [](Elf32_Phdr& program) { program.p_vaddr = 0xfff00001; }), "ISA0021",
          "0xfff00001..0x100000000", again_);
  refused(with_program(1, [](Elf32_Phdr& program) { program.p_filesz = 4; }), "ISA0021", "p_filesz = 4", again_);
  refused(with_program(1, [](Elf32_Phdr& program) { program.p_offset = 0xffffffff; }), "ISA0021",
          "3 bytes from byte 4294967295 on", again_);
  // The whole file as content, once more than the file has room for.
  const auto size = static_cast<uint32_t>(good_.size());
  refused(with_program(3,
                       [size](Elf32_Phdr& program) {
                         program.p_offset = 0;
                         program.p_filesz = size;
                       }),
          "ISA0021", std::to_string(size + 20) + " bytes", again_);
}

TEST_F(ElfErrors, Symbols) {
  refused(with_section(SHT_SYMTAB, [](Elf32_Shdr& table) { table.sh_link = 100; }), "ISA0021", "sh_link = 100", again_);
  refused(with_section(SHT_SYMTAB, [](Elf32_Shdr& table) { table.sh_link = 1; }), "ISA0021", "sh_link = 1", again_);
  const uint32_t names = section(SHT_STRTAB).sh_size;
  refused(with_symbol([names](Elf32_Sym& symbol) { symbol.st_name = names; }), "ISA0021",
          "st_name = " + std::to_string(names), again_);
  refused(with_section(SHT_STRTAB, [](Elf32_Shdr& table) { table.sh_size = 4; }), "ISA0021", "st_name = 1", again_);
  refused(with_symbol([](Elf32_Sym& symbol) { symbol.st_shndx = 100; }), "ISA0021", "st_shndx = 100", again_);
}

TEST_F(ElfErrors, NamesThatShareTheirEnds) {
  ElfFile file;
  file.entry = 0x10000;
  file.segments = {{0x10000, 4, {}, true, false}};
  file.symbols[std::string(20000, 'x')] = 0x10000;
  for (uint32_t i = 0; i < 100; ++i) file.symbols["name" + std::to_string(i)] = i;
  std::vector<uint8_t> bytes = elf_bytes(file);
  const size_t table =
      entry_at<Elf32_Shdr>(bytes, header_of(bytes).e_shoff, section_of_type(bytes, SHT_SYMTAB)).sh_offset;
  const uint32_t longest = entry_at<Elf32_Sym>(bytes, table, 101).st_name;
  for (uint32_t i = 1; i <= 100; ++i) {
    auto symbol = entry_at<Elf32_Sym>(bytes, table, i);
    symbol.st_name = longest + i;
    put_entry(bytes, symbol, table, i);
  }
  refused(bytes, "ISA0021", "39997 bytes", again_);
}

}  // namespace
}  // namespace covenant::acg
