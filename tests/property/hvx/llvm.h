/// LLVM's assembler and disassembler for Hexagon: an independent implementation of the instruction set.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

#include "acg/encoding/instruction_word.h"
#include "rtl/cosim/process.h"

namespace covenant::acg::testing {

/// One packet as llvm-objdump prints it.
struct LlvmPacket {
  uint32_t address = 0;
  std::vector<InstructionWord> words;
  std::vector<std::string> texts;  ///< one per word
  std::string end;                 ///< ":endloop0" or empty
};

/// Processes thousands of lines in one run; its files are in a temporary folder that the destructor removes.
class Llvm {
 public:
  /// `compounds`: a compare and the branch on its result become one word where they can.
  explicit Llvm(bool compounds = false)
      : compounds_(compounds),
        folder_(std::filesystem::temp_directory_path() / fmt::format("covenant_llvm_{}", ::getpid())) {
    std::filesystem::create_directories(folder_);
  }
  ~Llvm() { std::filesystem::remove_all(folder_); }
  Llvm(const Llvm&) = delete;
  Llvm& operator=(const Llvm&) = delete;

  /// Lines (counted from 0) that the assembler refuses.
  std::set<size_t> refused(const std::vector<std::string>& lines) const {
    assemble(lines);
    std::set<size_t> numbers;
    std::ifstream said(folder_ / "said");
    for (std::string line; std::getline(said, line);) {
      const size_t error = line.find(": error:");
      if (error == std::string::npos) continue;
      const size_t colon = line.find(".s:");
      EXPECT_LT(colon, error) << line;
      numbers.insert(std::stoul(line.substr(colon + 3)) - 1);
    }
    return numbers;
  }

  /// The packets of the lines; every line must be accepted.
  std::vector<LlvmPacket> packets(const std::vector<std::string>& lines) const {
    const int status = assemble(lines);
    std::ifstream said(folder_ / "said");
    std::ostringstream messages;
    messages << said.rdbuf();
    EXPECT_EQ(status, 0) << messages.str().substr(0, 2000);
    EXPECT_EQ(run({"llvm-objdump-14", "-d", "--mcpu=hexagonv68", "--mattr=+hvxv68", "in.o"}, "out"), 0);
    std::vector<LlvmPacket> result;
    std::ifstream listing(folder_ / "out");
    for (std::string line; std::getline(listing, line);) add(line, result);
    return result;
  }

 private:
  /// Runs a tool with its output in the file `said`. The reference is release 14: its name is the Debian package's.
  int run(const std::vector<std::string>& command, const char* said) const {
    std::filesystem::remove(folder_ / said);
    return rtl::run_process(command, folder_, folder_ / said);
  }

  int assemble(const std::vector<std::string>& lines) const {
    std::ofstream file(folder_ / "in.s");
    for (const std::string& line : lines) file << line << "\n";
    file.close();
    std::vector<std::string> command{"llvm-mc-14",
                                     "-triple=hexagon",
                                     "-mcpu=hexagonv68",
                                     "-mattr=+hvxv68,+hvx-length128b",
                                     "--mno-pairing",
                                     "-filetype=obj",
                                     "in.s",
                                     "-o",
                                     "in.o"};
    if (!compounds_) command.emplace_back("--mno-compound");
    return run(command, "said");
  }

  /// `      14:	02 45 00 29	29004502 { 	v2 = vmem(r0++#-3)`
  static void add(const std::string& line, std::vector<LlvmPacket>& result) {
    std::istringstream stream(line);
    std::string address, bytes, rest;
    if (!std::getline(stream, address, ':') || !std::getline(stream, bytes, '\t') || !std::getline(stream, bytes, '\t'))
      return;
    std::getline(stream, rest, '\0');
    if (rest.size() < 8 || rest.find_first_not_of("0123456789abcdef") < 8) return;
    const uint32_t word = static_cast<uint32_t>(std::stoul(rest.substr(0, 8), nullptr, 16));
    std::string text = rest.substr(8);
    if (text.find('{') != std::string::npos) {
      result.push_back({static_cast<uint32_t>(std::stoul(address, nullptr, 16)), {}, {}, ""});
      text.erase(0, text.find('{') + 1);
    }
    ASSERT_FALSE(result.empty()) << line;
    if (text.find("<unknown>") != std::string::npos) {
      result.push_back({static_cast<uint32_t>(std::stoul(address, nullptr, 16)), {word}, {"<unknown>"}, ""});
      return;
    }
    const size_t close = text.find('}');
    if (close != std::string::npos) {
      result.back().end = trimmed(text.substr(close + 1));
      text.erase(close);
    }
    result.back().words.push_back(word);
    result.back().texts.push_back(trimmed(text));
  }

  static std::string trimmed(const std::string& text) {
    const size_t first = text.find_first_not_of(" \t\n");
    if (first == std::string::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
  }

  bool compounds_;
  std::filesystem::path folder_;
};

/// The packet in braces as Covenant writes it; extenders have no text of their own.
inline std::string text_of(const LlvmPacket& packet) {
  std::string text;
  for (const std::string& instruction : packet.texts) {
    if (instruction.starts_with("immext(")) continue;
    text += (text.empty() ? "{ " : "; ") + instruction;
  }
  return text + " }" + packet.end;
}

}  // namespace covenant::acg::testing
