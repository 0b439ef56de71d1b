#include "compiler/families/vliw/print.h"

#include <algorithm>
#include <fmt/format.h>

#include "acg/base/check.h"
#include "acg/encoding/syntax.h"
#include "compiler/families/vliw/register_access.h"

namespace covenant::compiler::vliw {
namespace {

using acg::FieldKind;
using acg::Mnemonic;

char letter_of(acg::RegisterFile file) {
  switch (file) {
    case acg::RegisterFile::kScalar:
      return 'r';
    case acg::RegisterFile::kVector:
      return 'v';
    case acg::RegisterFile::kPredicate:
      return 'p';
    case acg::RegisterFile::kVectorPredicate:
      return 'q';
    case acg::RegisterFile::kControl:
      break;
  }
  fail("a virtual register of a file that has none");
}

class Printing {
 public:
  Printing(const acg::Machine& machine, const std::vector<VirtualRegister>& registers)
      : machine_(machine), registers_(registers) {}

  void add(const std::vector<CodeStep>& steps, size_t depth = 0) {
    for (const CodeStep& step : steps) {
      if (const auto* loop = std::get_if<CodeLoop>(&step)) {
        line(depth, fmt::format("repeat {}:", loop->trips));
        add(loop->body, depth + 1);
        continue;
      }
      line(depth, text_of(std::get<CodeInstruction>(step)));
    }
  }

  void add(const std::vector<PacketStep>& steps, size_t depth = 0) {
    for (const PacketStep& step : steps) {
      if (const auto* loop = std::get_if<PacketLoop>(&step)) {
        line(depth, name_of(loop->kind));
        add(loop->body, depth + 1);
        continue;
      }
      std::string packet;
      for (const CodeInstruction& one : std::get<CodePacket>(step).instructions) {
        packet += (packet.empty() ? "" : "; ") + text_of(one);
      }
      line(depth, packet.empty() ? "{ }" : "{ " + packet + " }");
    }
  }

  void add(const std::vector<FixedRegister>& fixed) {
    for (const FixedRegister& entry : fixed) {
      const acg::RegisterFile file = registers_.at(entry.number).file;
      line(0, fmt::format("{} = {}{}", name_of(Name{entry.number}, true), letter_of(file), entry.index));
    }
  }

  const std::string& text() const { return text_; }

 private:
  void line(size_t depth, const std::string& text) { text_ += std::string(2 * depth, ' ') + text + "\n"; }

  static std::string name_of(LoopKind kind) {
    return kind == LoopKind::kInner ? "loop0:" : kind == LoopKind::kOuter ? "loop1:" : "branch:";
  }

  /// In the syntax of the first mnemonic that implements the operation.
  std::string text_of(const CodeInstruction& one) const {
    const auto mnemonic = std::find_if(
        machine_.mnemonics.begin(), machine_.mnemonics.end(),
        [&](const Mnemonic& entry) { return entry.does == one.instruction.operation && !entry.syntax.empty(); });
    check(mnemonic != machine_.mnemonics.end(), "an instruction that the machine has no text for");
    std::string text;
    for (const acg::SyntaxPiece& piece : acg::syntax_pieces(*mnemonic)) {
      text += piece.field ? operand(*mnemonic, mnemonic->fields[*piece.field], one, text) : piece.literal;
    }
    return text;
  }

  std::string operand(const Mnemonic& mnemonic, const acg::Field& field, const CodeInstruction& one,
                      const std::string& before) const {
    const size_t index = acg::operand_index(mnemonic.does, field.operand);
    const acg::OperandInfo& info = acg::info(mnemonic.does).operands[index];
    const int32_t value = one.instruction.operands[index];
    if (is_virtual(info)) return name_of(Name::of(value), is_pair(info.kind));
    if (field.is_relative) return "loop";
    if (field.kind == FieldKind::kEnumeration) return std::string(info.choices[static_cast<size_t>(value)]);
    const bool is_marked = field.is_extendable && one.is_extended;
    return (is_marked ? before.ends_with('#') ? "#" : "##" : "") + acg::operand_text(field, info, value, {});
  }

  std::string name_of(const Name& name, bool is_whole) const {
    const VirtualRegister& named = registers_.at(name.number);
    const char* const half = is_whole || !named.is_pair ? "" : name.is_upper ? ".upper" : ".lower";
    return fmt::format("%{}{}{}", letter_of(named.file), name.number, half);
  }

  const acg::Machine& machine_;
  const std::vector<VirtualRegister>& registers_;
  std::string text_;
};

template <typename AnyCode>
std::string printed(const AnyCode& code, const acg::Machine& machine) {
  Printing printing(machine, code.registers);
  printing.add(code.fixed);
  printing.add(code.steps);
  return printing.text();
}

template <typename AnyCode>
StageText stage_text_of(const Network& network, const std::vector<AnyCode>& codes, const acg::Machine& machine) {
  const auto of_layer = [&](size_t layer) {
    return fmt::format("# {}\n{}\n", network.layers[layer].layer.name, print(codes[layer], machine));
  };
  const auto whole = [&codes, of_layer] {
    std::string text;
    for (size_t i = 0; i < codes.size(); ++i) text += of_layer(i);
    return text;
  };
  return {layer_names(network), whole, of_layer};
}

}  // namespace

std::string print(const Code& code, const acg::Machine& machine) { return printed(code, machine); }
std::string print(const PacketCode& code, const acg::Machine& machine) { return printed(code, machine); }

StageText stage_text(const Network& network, const std::vector<Code>& codes, const acg::Machine& machine) {
  return stage_text_of(network, codes, machine);
}
StageText stage_text(const Network& network, const std::vector<PacketCode>& codes, const acg::Machine& machine) {
  return stage_text_of(network, codes, machine);
}

}  // namespace covenant::compiler::vliw
