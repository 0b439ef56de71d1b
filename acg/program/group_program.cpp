#include "acg/program/group_program.h"

#include <algorithm>
#include <fmt/format.h>

#include "acg/encoding/word_text.h"
#include "acg/graph/queries.h"
#include "acg/isa/encode.h"

namespace covenant::acg {
namespace {

/// One line for each word, and one for each group: its engine.
class GroupListing : public CodeListing {
 public:
  GroupListing(const Program& program, const WordStream& stream)
      : machine_(program.machine), codec_(program.machine), engines_(engines(program.machine)), stream_(stream) {}

  std::string block_text(uint64_t first, uint64_t end) const override {
    std::string text;
    uint64_t left_in_group = 0;
    end = std::min<uint64_t>(end, stream_.words.size());
    for (uint64_t i = first; i < end; ++i) {
      const InstructionWord& word = stream_.words[i];
      const Result<Codec::Decoded> decoded = codec_.decode(word);
      std::string indent = "  ";
      if (left_in_group > 0) {
        --left_in_group;
        indent = "    ";
      } else if (decoded && decoded->instruction.operation == Operation::kGroup) {
        const Instruction& group = decoded->instruction;
        left_in_group = static_cast<uint64_t>(group.operands[operand_index(Operation::kGroup, "count")]);
        text += fmt::format("\n  {}: {} words\n", engine_name(group), left_in_group);
      }
      text += fmt::format("{:08x}  {}{}{}\n", stream_.address + machine_.word_bytes() * i,
                          hex(word, machine_.word_bits), indent, codec_.disassemble(word));
    }
    return text;
  }

  /// Gaps are zeros.
  std::string rest_text(uint64_t /*first*/) const override { return ""; }

 private:
  std::string engine_name(const Instruction& group) const {
    const auto index = static_cast<size_t>(group.operands[operand_index(Operation::kGroup, "engine")]);
    return index < engines_.size() ? engines_[index].name : fmt::format("engine {}", index);
  }

  const Machine& machine_;
  Codec codec_;
  std::vector<Engine> engines_;
  const WordStream& stream_;
};

bool is_of(const Machine& /*machine*/) { return true; }

std::unique_ptr<CodeListing> listing(const Program& program, const WordStream& stream) {
  return std::make_unique<GroupListing>(program, stream);
}

}  // namespace

constinit const CodeKind kGroupCode{
    .is_of = is_of, .image_address = 0, .start_address = entry_address, .listing = listing};

}  // namespace covenant::acg
