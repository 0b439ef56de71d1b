#include "acg/isa/vliw/elf_listing.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <vector>

#include "acg/isa/vliw/packet.h"

namespace covenant::acg {
namespace {

constexpr uint32_t kWordBytes = 4;

class ElfListing {
 public:
  ElfListing(const ElfFile& file, const Machine& machine)
      : codec_(machine), text_(fmt::format("# {}, starts at 0x{:x}\n", machine.name, file.entry)) {
    for (const auto& [name, address] : file.symbols) {
      if (address % kWordBytes == 0) names_[address].push_back(name);
    }
  }

  void append(const ElfSegment& segment) {
    text_ += fmt::format("\n# {} bytes at 0x{:x}\n", segment.bytes, segment.address);
    size_t offset = 0;
    while (offset < segment.content.size()) offset += append_at(segment, offset);
    const uint64_t zeros = segment.bytes - segment.content.size();
    if (zeros > 0) text_ += fmt::format("# {} bytes of zeros\n", zeros);
  }

  const std::string& text() const { return text_; }

 private:
  /// Appends the text of what stands at `offset`. Returns the number of bytes that it covers.
  size_t append_at(const ElfSegment& segment, size_t offset) {
    const auto address = static_cast<uint32_t>(segment.address + offset);
    if (const auto found = names_.find(address); found != names_.end()) {
      for (const std::string& name : found->second) text_ += name + ":\n";
    }
    const std::vector<InstructionWord> words = words_at(segment, offset);
    if (words.empty()) {
      text_ += fmt::format("{:08x}  .byte 0x{:02x}\n", address, segment.content[offset]);
      return 1;
    }
    const Result<PacketCodec::Decoded> decoded = codec_.decode(words);
    if (!decoded) {
      text_ += fmt::format("{:08x}  .word 0x{:08x}\n", address, words.front().bits(0, 8 * kWordBytes));
      return kWordBytes;
    }
    text_ += fmt::format("{:08x}  {}\n", address, codec_.disassemble(decoded->packet, address));
    return size_t{decoded->words} * kWordBytes;
  }

  /// The words at `offset`, at most as many as a packet may have, up to the next symbol. Empty if the offset is not
  /// word-aligned.
  std::vector<InstructionWord> words_at(const ElfSegment& segment, size_t offset) const {
    const auto address = static_cast<uint32_t>(segment.address + offset);
    if (address % kWordBytes != 0) return {};
    size_t end = segment.content.size();
    if (const auto next = names_.upper_bound(address); next != names_.end()) {
      end = std::min<size_t>(end, next->first - segment.address);
    }
    std::vector<InstructionWord> words;
    for (; offset + kWordBytes <= end && words.size() < codec_.rules().words; offset += kWordBytes) {
      uint32_t word = 0;
      std::memcpy(&word, segment.content.data() + offset, kWordBytes);
      words.emplace_back(word);
    }
    return words;
  }

  PacketCodec codec_;
  std::map<uint32_t, std::vector<std::string>> names_;  ///< names of symbols, by address
  std::string text_;
};

}  // namespace

Result<std::string> disassemble_executable(const ElfFile& file, const Machine& machine) {
  if (machine.packet.slots == 0) {
    return Diagnostic{"ISA0022",
                      {},
                      "",
                      "a machine that issues no packets has no texts for those of an executable",
                      machine.name,
                      {},
                      "name a machine with a packet { ... } clause, such as hvx"};
  }
  ElfListing listing(file, machine);
  for (const ElfSegment& segment : file.segments) {
    if (segment.is_executable) listing.append(segment);
  }
  return listing.text();
}

}  // namespace covenant::acg
