#include "acg/program/packet_program.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>

#include "acg/base/check.h"
#include "acg/encoding/word_text.h"
#include "acg/isa/vliw/packet.h"
#include "acg/program/start_code.h"

namespace covenant::acg {
namespace {

/// One line for each packet. Addresses are those of the core's address space.
class PacketListing : public CodeListing {
 public:
  PacketListing(const Program& program, const WordStream& stream)
      : machine_(program.machine), codec_(program.machine), stream_(stream) {}

  std::string block_text(uint64_t first, uint64_t end) const override {
    std::string text;
    end = std::min<uint64_t>(end, stream_.words.size());
    for (uint64_t i = first; i < end;) {
      const std::span<const InstructionWord> left = std::span(stream_.words).subspan(i, end - i);
      const auto address = static_cast<uint32_t>(kImageAddress + stream_.address + machine_.word_bytes() * i);
      const Result<PacketCodec::Decoded> decoded =
          codec_.decode(left.first(std::min<size_t>(left.size(), machine_.packet.words)));
      text += decoded ? fmt::format("{:08x}  {}\n", address, codec_.disassemble(decoded->packet, address))
                      : fmt::format("{:08x}  .word 0x{}\n", address, hex(left.front(), machine_.word_bits));
      i += decoded ? decoded->words : 1;
    }
    return text;
  }

  /// The code that returns to the caller.
  std::string rest_text(uint64_t first) const override {
    const std::string text = block_text(first, stream_.words.size());
    return text.empty() ? "" : "\nreturn\n" + text;
  }

 private:
  const Machine& machine_;
  PacketCodec codec_;
  const WordStream& stream_;
};

uint64_t start_of_code(const Program& program) { return kImageAddress + program.entry; }

std::unique_ptr<CodeListing> listing(const Program& program, const WordStream& stream) {
  return std::make_unique<PacketListing>(program, stream);
}

}  // namespace

constinit const CodeKind kPacketCode{
    .is_of = issues_packets, .image_address = kImageAddress, .start_address = start_of_code, .listing = listing};

Result<ElfFile> elf_of(const Program& program) {
  if (!is_of_packets(program)) {
    return Diagnostic{"ISA0023",
                      {},
                      program.model,
                      "a machine that issues no packets has no executables",
                      program.machine.name,
                      {"machines with a packet { ... } clause, such as hvx"},
                      "write a program (.cprog) for this machine"};
  }
  std::vector<uint8_t> image(program.memory_bytes);
  for (const Segment& segment : program.segments) {
    std::copy(segment.data.begin(), segment.data.end(), image.begin() + static_cast<std::ptrdiff_t>(segment.address));
  }
  ElfFile file;
  StartCode start = start_code(program);
  file.entry = start.entry;
  const uint64_t size = start.bytes.size();
  file.segments.push_back({start.address, size, std::move(start.bytes), true, false});
  const uint64_t bytes = image.size();
  file.segments.push_back({kImageAddress, bytes, std::move(image), true, true});
  file.symbols = {{"_failed", start.address}, {"_transfer", start.transfer}, {"_start", start.entry}};
  for (const Block& block : program.blocks) {
    const uint64_t address = kImageAddress + program.entry + block.first_word * program.machine.word_bytes();
    file.symbols.emplace(block.layer, static_cast<uint32_t>(address));
  }
  return file;
}

}  // namespace covenant::acg
