/// Packets: the words that a VLIW machine issues together. Converts between their instructions, bits and text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "acg/base/result.h"
#include "acg/isa/encode.h"

namespace covenant::acg {

/// `is_extended`: a constant extender precedes the instruction and gives its number the bits above the lowest six.
struct PacketInstruction {
  Instruction instruction;
  bool is_extended = false;
  bool operator==(const PacketInstruction&) const = default;
};

/// Instructions in the order of their words. Extenders are not listed: they belong to the instruction that they extend.
struct Packet {
  std::vector<PacketInstruction> instructions;
  bool ends_inner_loop = false;
  bool ends_outer_loop = false;
  bool operator==(const Packet&) const = default;
};

/// Converts packets to words and text and back, using the mnemonics and packet rules of a machine alone. It does not
/// check whether a packet may issue: see PacketChecker (acg/isa/vliw/packet_check.h).
class PacketCodec {
 public:
  /// Precondition: the machine has passed `validate` and has packets (`packet.slots > 0`).
  explicit PacketCodec(const Machine& machine);

  const Codec& words() const { return codec_; }
  const PacketRules& rules() const { return rules_; }

  /// The words of a packet, with parse bits set. Errors: those of Codec::encode and encode_extended; ISA0009 (no
  /// instruction, more words than a packet may have, too few for the end of a loop, an extender given as an
  /// instruction).
  Result<std::vector<InstructionWord>> encode(const Packet& packet) const;

  struct Decoded {
    Packet packet;
    uint32_t words = 0;  ///< number of words that were read
  };
  /// The packet at the start of `words`. Errors: those of Codec::decode; ISA0010 (no last word within the length of a
  /// packet, parse bits without a meaning, an extender that extends nothing).
  Result<Decoded> decode(std::span<const InstructionWord> words) const;

  /// The text of a packet at byte `address`: `{ v2 = vxor(v1,v3); vmem(r1++#2) = v2.new }:endloop0`. Precondition: it
  /// can be encoded.
  std::string disassemble(const Packet& packet, uint32_t address) const;
  /// The text of each instruction alone, in the order of words.
  std::vector<std::string> texts(const Packet& packet, uint32_t address) const;
  /// The inverse of `disassemble`. Errors: ISA0006 (text that matches no instruction), ISA0007 (no braces, or v.new
  /// without a producer).
  Result<Packet> assemble(std::string_view text, uint32_t address) const;

  /// The producer of the instruction at `consumer`: the instruction that its `produced` operand refers to, and the
  /// register that this one writes. Nothing if the instruction has no such operand or the packet no such producer.
  struct Producer {
    size_t index = 0;
    int32_t number = 0;                         ///< number of the register
    OperandKind kind = OperandKind::kProduced;  ///< kind of the operand: a vector or a scalar
  };
  std::optional<Producer> producer(const Packet& packet, size_t consumer) const;
  /// Makes the `produced` operand of the instruction at `consumer` refer to the nearest instruction before it that
  /// writes register `written`. Precondition: the operand and such an instruction exist.
  void set_producer(Packet& packet, size_t consumer, int32_t written) const;

 private:
  struct Writer {
    std::optional<int32_t> low;  ///< register that the instruction writes
    bool is_pair = false;
  };
  static Writer vector_written(const Instruction& instruction);
  static Writer scalar_written(const Instruction& instruction);
  static Writer written_by(const Instruction& instruction, OperandKind produced);
  /// True if distances to producers of this kind count the instruction.
  bool is_counted(Operation operation, OperandKind produced) const;
  static std::string name_of(const Producer& producer);
  std::optional<int32_t> produced_number(std::span<const PacketInstruction> before, std::string_view written) const;
  Result<PacketInstruction> read(std::string_view text, const Packet& before, uint32_t address) const;
  std::vector<bool> is_vector_;  ///< by Operation: the instruction occupies pipes

  PacketRules rules_;
  Codec codec_;
};

}  // namespace covenant::acg
