#include "acg/isa/vliw/elf_file.h"

#include <gtest/gtest.h>

#include "acg/base/check.h"
#include "tests/unit/acg/small_elf.h"

namespace covenant::acg {
namespace {

using namespace testing;

void expect_same(const ElfFile& file) {
  const std::vector<uint8_t> bytes = elf_bytes(file);
  EXPECT_TRUE(is_elf(bytes));
  const Result<ElfFile> again = read_elf(bytes);
  ASSERT_TRUE(again) << render(again.error());
  EXPECT_EQ(*again, file);
  EXPECT_EQ(elf_bytes(*again), bytes) << "the same bytes for equal files";
}

/// It is read, or refused as a user's mistake: whatever the bytes are.
void expect_no_crash(std::span<const uint8_t> bytes) {
  const Result<ElfFile> file = read_elf(bytes);
  if (!file) {
    EXPECT_TRUE(file.error().code == "ISA0020" || file.error().code == "ISA0021") << render(file.error());
    EXPECT_FALSE(file.error().offending.empty());
    return;
  }
  for (const ElfSegment& segment : file->segments) EXPECT_LE(segment.content.size(), bytes.size());
}

/// One segment, at the start of pages: a file whose headers are most of it.
ElfFile tiny_elf() { return {0x10074, {{0x10074, 16, {1, 2, 3, 4}, true, false}}, {{"f", 0x10074}, {"g", 0x10078}}}; }

TEST(ElfFile, RoundTrip) {
  expect_same(small_elf());
  expect_same(tiny_elf());
}

TEST(ElfFile, RoundTripOfLimits) {
  ElfFile file = tiny_elf();
  file.symbols.clear();
  expect_same(file);
  file.segments.push_back({0x20000, 1, {7}, true, true});
  file.segments.push_back({0x20001, 1, {8}, true, true});
  expect_same(file);
  file.segments.push_back({0x20002, 0xfffdfffe, {}, false, false});
  expect_same(file);
  file.segments = {{0, 0xffffffff, {}, true, true}};
  expect_same(file);
}

TEST(ElfFile, ManySegments) {
  ElfFile file = tiny_elf();
  for (uint32_t i = 0; i < 300; ++i) {
    file.segments.push_back({0x20000 + 16 * i, 12, {static_cast<uint8_t>(i), 1}, i % 2 == 0, i % 3 == 0});
    file.symbols["s" + std::to_string(i)] = 0x20004 + 16 * i;
  }
  file.entry = 0x20000;
  expect_same(file);
}

TEST(ElfFile, OffsetsAreCongruentToAddresses) {
  const std::vector<uint8_t> bytes = elf_bytes(small_elf());
  const Elf32_Ehdr header = header_of(bytes);
  ASSERT_EQ(header.e_phnum, 4);
  for (size_t i = 0; i < header.e_phnum; ++i) {
    const auto program = entry_at<Elf32_Phdr>(bytes, header.e_phoff, i);
    EXPECT_EQ(program.p_offset % program.p_align, program.p_vaddr % program.p_align) << i;
  }
}

TEST(ElfFile, Beginnings) {
  EXPECT_FALSE(is_elf({}));
  EXPECT_FALSE(is_elf(std::vector<uint8_t>{0x7f, 'E', 'L'}));
  EXPECT_TRUE(is_elf(std::vector<uint8_t>{0x7f, 'E', 'L', 'F'}));
  EXPECT_FALSE(is_elf(std::vector<uint8_t>{'C', 'O', 'V', 'P', 'R', 'O', 'G', '\n'}));
}

TEST(ElfFile, WithoutSectionsThereAreNoSymbols) {
  std::vector<uint8_t> bytes = elf_bytes(small_elf());
  Elf32_Ehdr header = header_of(bytes);
  header.e_shoff = 0;
  header.e_shnum = 0;
  put_entry(bytes, header, 0);
  ElfFile stripped = small_elf();
  stripped.symbols.clear();
  const Result<ElfFile> again = read_elf(bytes);
  ASSERT_TRUE(again) << render(again.error());
  EXPECT_EQ(*again, stripped);
}

TEST(ElfFile, NumberOfSectionsInTheFirstOne) {
  std::vector<uint8_t> bytes = elf_bytes(small_elf());
  Elf32_Ehdr header = header_of(bytes);
  auto first = entry_at<Elf32_Shdr>(bytes, header.e_shoff);
  first.sh_size = header.e_shnum;
  put_entry(bytes, first, header.e_shoff);
  header.e_shnum = 0;
  put_entry(bytes, header, 0);
  const Result<ElfFile> again = read_elf(bytes);
  ASSERT_TRUE(again) << render(again.error());
  EXPECT_EQ(*again, small_elf());
}

TEST(ElfFile, SegmentsInAnyOrder) {
  std::vector<uint8_t> bytes = elf_bytes(small_elf());
  const size_t table = header_of(bytes).e_phoff;
  const auto first = entry_at<Elf32_Phdr>(bytes, table, 0);
  put_entry(bytes, entry_at<Elf32_Phdr>(bytes, table, 3), table, 0);
  put_entry(bytes, first, table, 3);
  const Result<ElfFile> again = read_elf(bytes);
  ASSERT_TRUE(again) << render(again.error());
  EXPECT_EQ(*again, small_elf());
}

TEST(ElfFile, EmptyAndOtherSegmentsAreLeftOut) {
  std::vector<uint8_t> bytes = elf_bytes(small_elf());
  const size_t table = header_of(bytes).e_phoff;
  auto program = entry_at<Elf32_Phdr>(bytes, table, 3);
  program.p_memsz = 0;
  program.p_offset = 0xffffffff;
  put_entry(bytes, program, table, 3);
  program = entry_at<Elf32_Phdr>(bytes, table, 1);
  program.p_type = PT_NOTE;
  put_entry(bytes, program, table, 1);
  ElfFile fewer = small_elf();
  fewer.segments = {fewer.segments[0], fewer.segments[2]};
  const Result<ElfFile> again = read_elf(bytes);
  ASSERT_TRUE(again) << render(again.error());
  EXPECT_EQ(*again, fewer);
}

/// The value found for two symbols with one name; `first` and `second` are their bindings.
uint32_t value_of_two(uint32_t first, uint32_t second) {
  ElfFile file = tiny_elf();
  file.symbols = {{"a", 0x10074}, {"b", 0x10078}};
  std::vector<uint8_t> bytes = elf_bytes(file);
  const size_t table =
      entry_at<Elf32_Shdr>(bytes, header_of(bytes).e_shoff, section_of_type(bytes, SHT_SYMTAB)).sh_offset;
  auto a = entry_at<Elf32_Sym>(bytes, table, 1);
  auto b = entry_at<Elf32_Sym>(bytes, table, 2);
  b.st_name = a.st_name;
  a.st_info = static_cast<uint8_t>(ELF32_ST_INFO(first, STT_NOTYPE));
  b.st_info = static_cast<uint8_t>(ELF32_ST_INFO(second, STT_FUNC));
  put_entry(bytes, a, table, 1);
  put_entry(bytes, b, table, 2);
  const Result<ElfFile> read = read_elf(bytes);
  EXPECT_TRUE(read);
  EXPECT_EQ(read->symbols.size(), 1U);
  return read->symbols.at("a");
}

TEST(ElfFile, TheFirstGlobalSymbolOfAName) {
  EXPECT_EQ(value_of_two(STB_LOCAL, STB_LOCAL), 0x10074U);
  EXPECT_EQ(value_of_two(STB_LOCAL, STB_GLOBAL), 0x10078U);
  EXPECT_EQ(value_of_two(STB_LOCAL, STB_WEAK), 0x10078U);
  EXPECT_EQ(value_of_two(STB_GLOBAL, STB_LOCAL), 0x10074U);
  EXPECT_EQ(value_of_two(STB_GLOBAL, STB_GLOBAL), 0x10074U);
}

TEST(ElfFile, SymbolsOfOtherKinds) {
  const std::vector<uint8_t> good = elf_bytes(tiny_elf());
  const size_t table = entry_at<Elf32_Shdr>(good, header_of(good).e_shoff, section_of_type(good, SHT_SYMTAB)).sh_offset;
  const auto symbols_with = [&](uint32_t type, uint16_t section) {
    std::vector<uint8_t> bytes = good;
    auto symbol = entry_at<Elf32_Sym>(bytes, table, 1);
    symbol.st_info = static_cast<uint8_t>(ELF32_ST_INFO(STB_GLOBAL, type));
    symbol.st_shndx = section;
    put_entry(bytes, symbol, table, 1);
    const Result<ElfFile> file = read_elf(bytes);
    EXPECT_TRUE(file);
    return file->symbols.size();
  };
  EXPECT_EQ(symbols_with(STT_OBJECT, 1), 2U);
  EXPECT_EQ(symbols_with(STT_NOTYPE, SHN_ABS), 2U);
  EXPECT_EQ(symbols_with(STT_NOTYPE, SHN_XINDEX), 2U);
  EXPECT_EQ(symbols_with(STT_NOTYPE, SHN_UNDEF), 1U);
  EXPECT_EQ(symbols_with(STT_OBJECT, SHN_COMMON), 1U);
  EXPECT_EQ(symbols_with(STT_SECTION, 1), 1U);
  EXPECT_EQ(symbols_with(STT_FILE, SHN_ABS), 1U);
}

TEST(ElfFile, EveryPrefix) {
  for (const ElfFile& file : {tiny_elf(), small_elf()}) {
    std::vector<uint8_t> bytes = elf_bytes(file);
    // Prefixes that end in the zeros before a page are alike.
    const size_t step = bytes.size() > 100'000 ? 61 : 1;
    for (size_t size = 0; size < bytes.size(); size += step) {
      // A copy of its own, so that a sanitizer sees what is read past its end.
      const std::vector<uint8_t> prefix(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
      const Result<ElfFile> cut = read_elf(prefix);
      ASSERT_FALSE(cut) << size << ": the section headers at the end are missing";
      ASSERT_EQ(cut.error().code, size < SELFMAG ? "ISA0020" : "ISA0021") << size;
    }
  }
}

TEST(ElfFile, EveryByteChanged) {
  for (const ElfFile& file : {tiny_elf(), small_elf()}) {
    std::vector<uint8_t> bytes = elf_bytes(file);
    const Elf32_Ehdr header = header_of(bytes);
    const size_t tables = entry_at<Elf32_Shdr>(bytes, header.e_shoff, section_of_type(bytes, SHT_SYMTAB)).sh_offset;
    const size_t headers = sizeof(Elf32_Ehdr) + header.e_phnum * sizeof(Elf32_Phdr);
    for (size_t i = 0; i < bytes.size(); ++i) {
      // Between them are content, and zeros before pages.
      if (i >= headers + 256 && i + 256 < tables) continue;
      const uint8_t before = bytes[i];
      for (const int value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
        bytes[i] = static_cast<uint8_t>(value);
        expect_no_crash(bytes);
      }
      bytes[i] = before;
    }
  }
}

TEST(ElfFile, PreconditionsOfWriting) {
  ElfFile file = tiny_elf();
  file.entry = 0x10084;
  EXPECT_THROW(elf_bytes(file), InternalError);
  file = tiny_elf();
  file.segments.push_back({0x10080, 4, {}, false, true});
  EXPECT_THROW(elf_bytes(file), InternalError) << "overlaps";
  file.segments.back() = {0x100, 4, {}, false, true};
  EXPECT_THROW(elf_bytes(file), InternalError) << "falls";
  file.segments.back() = {0x20000, 0, {}, false, true};
  EXPECT_THROW(elf_bytes(file), InternalError) << "empty";
  file.segments.back() = {0x20000, 1, {1, 2}, false, true};
  EXPECT_THROW(elf_bytes(file), InternalError) << "smaller than its content";
  file.segments.back() = {0x20000, 0xfffe0001, {}, false, true};
  EXPECT_THROW(elf_bytes(file), InternalError) << "past the last address";
}

}  // namespace
}  // namespace covenant::acg
