// ELF files: those of ours as llvm-readelf, llvm-objdump and QEMU read them, and one of lld as we read it.
#include <algorithm>

#include "acg/encoding/word_text.h"
#include "acg/isa/vliw/elf_file.h"
#include "tests/property/hvx/draw.h"
#include "tests/property/hvx/llvm.h"

namespace covenant::acg {
namespace {

using namespace testing;

constexpr uint32_t kEntry = 0x10000;

/// A temporary folder for files and the output of tools, removed by the destructor.
class Tools {
 public:
  Tools() : folder_(std::filesystem::temp_directory_path() / fmt::format("covenant_elf_{}", ::getpid())) {
    std::filesystem::create_directories(folder_);
  }
  ~Tools() { std::filesystem::remove_all(folder_); }
  Tools(const Tools&) = delete;
  Tools& operator=(const Tools&) = delete;

  void write(const char* name, const std::vector<uint8_t>& bytes) const {
    std::ofstream file(folder_ / name, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    file.close();
    std::filesystem::permissions(folder_ / name, std::filesystem::perms::owner_all);
  }
  void write(const char* name, const std::string& text) const {
    write(name, std::vector<uint8_t>(text.begin(), text.end()));
  }
  std::vector<uint8_t> read(const char* name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  struct Said {
    int exit_code = 0;
    std::string text;
    bool has_line(const std::string& words) const {
      return ("\n" + text).find("\n" + words + "\n") != std::string::npos;
    }
  };
  /// Blanks are one each, and none at the ends of a line.
  Said run(const std::vector<std::string>& command) const {
    std::filesystem::remove(folder_ / "said");
    Said said{rtl::run_process(command, folder_, folder_ / "said"), ""};
    std::ifstream lines(folder_ / "said");
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string joined;
      for (std::string word; words >> word;) joined += (joined.empty() ? "" : " ") + word;
      said.text += joined + "\n";
    }
    return said;
  }

 private:
  std::filesystem::path folder_;
};

std::vector<uint8_t> code_of(const std::vector<std::string>& packets) {
  const PacketCodec codec(hvx());
  std::vector<uint8_t> bytes;
  for (const std::string& text : packets) {
    const auto address = static_cast<uint32_t>(kEntry + bytes.size());
    const Result<Packet> packet = codec.assemble(text, address);
    EXPECT_TRUE(packet) << (packet ? "" : render(packet.error()));
    if (!packet) return {};
    const Result<std::vector<InstructionWord>> words = codec.encode(*packet);
    EXPECT_TRUE(words) << (words ? "" : render(words.error()));
    if (!words) return {};
    for (const InstructionWord& word : *words) append_bytes(bytes, word, 32);
  }
  return bytes;
}

ElfSegment code_segment(const std::vector<std::string>& packets) {
  std::vector<uint8_t> code = code_of(packets);
  return {kEntry, code.size(), code, true, false};
}

TEST(LlvmElf, ReadsOurFile) {
  ElfFile file;
  file.entry = kEntry;
  file.segments = {code_segment({"{ r0 = #7; r6 = #94 }", "{ trap0(#1) }"}),
                   {0x20010, 4, {1, 2, 3, 4}, false, false},
                   {0x30010, 0x30, {1, 2, 3, 4, 5}, false, true},
                   {0x40010, 0x100, {}, false, true},
                   {0x50000, 4, {0, 0xc0, 0, 0x7f}, true, true}};
  file.symbols = {{"constant", 0x20010}, {"last", 0x50000}, {"main", kEntry},  {"outside", 0x60000},
                  {"room", 0x40110 - 1}, {"tail", 0x30020}, {"value", 0x30010}};
  const Tools tools;
  tools.write("ours.elf", elf_bytes(file));
  const Tools::Said said = tools.run({"llvm-readelf-14", "-h", "-l", "-s", "-S", "ours.elf"});
  EXPECT_EQ(said.exit_code, 0);
  EXPECT_EQ(said.text.find("warning"), std::string::npos);
  for (const char* line : {
           "Class: ELF32",
           "Data: 2's complement, little endian",
           "Type: EXEC (Executable file)",
           "Machine: Qualcomm Hexagon",
           "Entry point address: 0x10000",
           "Flags: 0x66",
           "Number of program headers: 5",
           "LOAD 0x010000 0x00010000 0x00010000 0x0000c 0x0000c R E 0x10000",
           "LOAD 0x010010 0x00020010 0x00020010 0x00004 0x00004 R 0x10000",
           "LOAD 0x020010 0x00030010 0x00030010 0x00005 0x00030 RW 0x10000",
           "LOAD 0x000010 0x00040010 0x00040010 0x00000 0x00100 RW 0x10000",
           "LOAD 0x030000 0x00050000 0x00050000 0x00004 0x00004 RWE 0x10000",
           "00 .text",
           "01 .rodata",
           "02 .data .bss",
           "03 .bss.1",
           "04 .text.1",
           "[ 1] .text PROGBITS 00010000 010000 00000c 00 AX 0 0 4",
           "[ 2] .rodata PROGBITS 00020010 010010 000004 00 A 0 0 4",
           "[ 3] .data PROGBITS 00030010 020010 000005 00 WA 0 0 4",
           "[ 6] .text.1 PROGBITS 00050000 030000 000004 00 WAX 0 0 4",
           "1: 00020010 0 OBJECT GLOBAL DEFAULT 2 constant",
           "2: 00050000 0 FUNC GLOBAL DEFAULT 6 last",
           "3: 00010000 0 FUNC GLOBAL DEFAULT 1 main",
           "4: 00060000 0 OBJECT GLOBAL DEFAULT ABS outside",
           "5: 0004010f 0 OBJECT GLOBAL DEFAULT 5 room",
           "6: 00030020 0 OBJECT GLOBAL DEFAULT 4 tail",
           "7: 00030010 0 OBJECT GLOBAL DEFAULT 3 value",
       }) {
    EXPECT_TRUE(said.has_line(line)) << line << "\n" << said.text;
  }
}

TEST(LlvmElf, DisassemblesOurText) {
  ElfFile file;
  file.entry = kEntry;
  file.segments = {
      code_segment({"{ r0 = #7; r6 = #94 }", "{ v1.w += vrmpy(v0.ub,r2.b); v2 = vmem(r0++#1) }", "{ trap0(#1) }"})};
  file.symbols = {{"main", kEntry}, {"stop", kEntry + 16}};
  const Tools tools;
  tools.write("ours.elf", elf_bytes(file));
  const Tools::Said said = tools.run({"llvm-objdump-14", "-d", "--mattr=+hvxv68", "--no-show-raw-insn", "ours.elf"});
  EXPECT_EQ(said.exit_code, 0);
  for (const char* line : {"Disassembly of section .text:", "00010000 <main>:", "10000: { r0 = #7", "10004: r6 = #94 }",
                           "10008: { v1.w += vrmpy(v0.ub,r2.b)", "1000c: v2 = vmem(r0++#1) }",
                           "00010010 <stop>:", "10010: { trap0(#1) }"}) {
    EXPECT_TRUE(said.has_line(line)) << line << "\n" << said.text;
  }
}

TEST(QemuElf, RunsOurFile) {
  ElfFile file;
  file.entry = kEntry;
  file.segments = {code_segment({"{ r0 = #7; r6 = #94 }", "{ trap0(#1) }"})};
  const Tools tools;
  tools.write("ours.elf", elf_bytes(file));
  const Tools::Said said = tools.run({"qemu-hexagon", "./ours.elf"});
  EXPECT_EQ(said.exit_code, 7) << said.text;
}

/// Contents of segments: the exit code is a sum of a constant, of data, and of the zeros after them.
TEST(QemuElf, LoadsEverySegment) {
  ElfFile file;
  file.entry = kEntry;
  file.segments = {code_segment({"{ r1 = ##131088; r2 = ##196624 }", "{ r3 = memw(r1+#0); r4 = memw(r2+#0) }",
                                 "{ r5 = memw(r2+#4); r2 = ##262160 }", "{ r1 = memw(r2+#8) }", "{ r0 = add(r3,r4) }",
                                 "{ r0 = add(r0,r5) }", "{ r0 = add(r0,r1); r6 = #94 }", "{ trap0(#1) }"}),
                   {0x20010, 4, {30, 0, 0, 0}, false, false},
                   {0x30010, 0xfff0, {12, 0, 0, 0}, false, true},
                   {0x40010, 0x100, {}, false, true}};
  const Tools tools;
  tools.write("ours.elf", elf_bytes(file));
  const Tools::Said said = tools.run({"qemu-hexagon", "./ours.elf"});
  EXPECT_EQ(said.exit_code, 42) << said.text;
}

constexpr const char* kProgram = R"(
  .globl start
  .type start,@function
start:
  { r0 = #7
    r6 = #94 }
  { trap0(#1) }
local:
  { nop }
  .data
  .globl value
  .type value,@object
value:
  .word 0x12345678
  .bss
  .globl room
  .type room,@object
room:
  .space 100
)";

TEST(LlvmElf, WeReadWhatLldHasLinked) {
  const Tools tools;
  tools.write("in.s", std::string(kProgram));
  ASSERT_EQ(
      tools.run({"llvm-mc-14", "-triple=hexagon", "-mcpu=hexagonv66", "-filetype=obj", "in.s", "-o", "in.o"}).exit_code,
      0);
  const Tools::Said linked =
      tools.run({"ld.lld-14", "-static", "--entry=start", "-Ttext=0x20000", "-Tdata=0x30000", "in.o", "-o", "out.elf"});
  ASSERT_EQ(linked.exit_code, 0) << linked.text;
  const Result<ElfFile> file = read_elf(tools.read("out.elf"));
  ASSERT_TRUE(file) << render(file.error());
  EXPECT_EQ(file->entry, 0x20000U);
  const auto code = std::find_if(file->segments.begin(), file->segments.end(),
                                 [](const ElfSegment& segment) { return segment.is_executable; });
  ASSERT_NE(code, file->segments.end());
  std::vector<uint8_t> wanted = code_of({"{ r0 = #7; r6 = #94 }", "{ trap0(#1) }", "{ nop }"});
  EXPECT_EQ(*code, (ElfSegment{0x20000, wanted.size(), wanted, true, false}));
  const ElfSegment& data = file->segments.back();
  EXPECT_EQ(data, (ElfSegment{0x30000, 104, {0x78, 0x56, 0x34, 0x12}, false, true}));
  const std::map<std::string, uint32_t> symbols{
      {"local", 0x2000c}, {"room", 0x30004}, {"start", 0x20000}, {"value", 0x30000}};
  EXPECT_EQ(file->symbols, symbols);
  tools.write("again.elf", elf_bytes(*file));
  EXPECT_EQ(tools.run({"qemu-hexagon", "./again.elf"}).exit_code, 7);
  // An object file is what the assembler gives before it is linked.
  const Result<ElfFile> object = read_elf(tools.read("in.o"));
  ASSERT_FALSE(object);
  EXPECT_EQ(object.error().code, "ISA0020");
  EXPECT_EQ(object.error().offending, "e_type = 1");
}

}  // namespace
}  // namespace covenant::acg
