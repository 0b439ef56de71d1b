/// Packets: the words that a VLIW machine issues together, as instructions, bits and text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "acg/base/result.h"
#include "acg/isa/encode.h"

namespace covenant::acg {

/// `is_extended`: a constant extender stands before the instruction and gives its number the bits above the lowest six.
struct PacketInstruction {
  Instruction instruction;
  bool is_extended = false;
  bool operator==(const PacketInstruction&) const = default;
};

/// Instructions in the order of their words; extenders are no instructions of their own.
struct Packet {
  std::vector<PacketInstruction> instructions;
  bool ends_inner_loop = false;
  bool ends_outer_loop = false;
  bool operator==(const Packet&) const = default;
};

/// Between packets, words and text, by the mnemonics and packet rules of a machine alone. It does not check whether a
/// packet may issue: `check_packet` of acg/isa/packet_check.h does.
class PacketCodec {
 public:
  /// Precondition: the machine has passed `validate` and has packets (`packet.slots > 0`).
  explicit PacketCodec(const Machine& machine);

  const Codec& words() const { return codec_; }
  const PacketRules& rules() const { return rules_; }

  /// Its words, parse bits set. Errors: those of Codec::encode and encode_extended; ISA0009 (no instruction, more words
  /// than a packet has, too few for the end of a loop, an extender as an instruction).
  Result<std::vector<InstructionWord>> encode(const Packet& packet) const;

  struct Decoded {
    Packet packet;
    uint32_t words = 0;  ///< how many it took
  };
  /// The packet at the start of `words`. Errors: those of Codec::decode; ISA0010 (no last word within the length of a
  /// packet, parse bits without a meaning, an extender that extends nothing).
  Result<Decoded> decode(std::span<const InstructionWord> words) const;

  /// `{ v2 = vxor(v1,v3); vmem(r1++#2) = v2.new }:endloop0`, standing at byte `address`. Precondition: it encodes.
  std::string disassemble(const Packet& packet, uint32_t address) const;
  /// Of each of its instructions alone, in the order of words.
  std::vector<std::string> texts(const Packet& packet, uint32_t address) const;
  /// The inverse of `disassemble`. Errors: ISA0006 (no instruction is written so), ISA0007 (no braces, or v.new without
  /// a producer).
  Result<Packet> assemble(std::string_view text, uint32_t address) const;

  /// Of the instruction at `consumer`: which instruction its `produced` operand means, and which register that writes.
  /// Nothing if it has no such operand or there is no such producer.
  struct Producer {
    size_t index = 0;
    int32_t number = 0;                         ///< of the register
    OperandKind kind = OperandKind::kProduced;  ///< of the operand: a vector, or a scalar
  };
  std::optional<Producer> producer(const Packet& packet, size_t consumer) const;
  /// Makes the `produced` operand of the instruction at `consumer` mean the nearest one before it that writes the
  /// register `written`.
  /// Precondition: it has such an operand, and there is such an instruction.
  void set_producer(Packet& packet, size_t consumer, int32_t written) const;

 private:
  struct Writer {
    std::optional<int32_t> low;  ///< register that it writes
    bool is_pair = false;
  };
  static Writer vector_written(const Instruction& instruction);
  static Writer scalar_written(const Instruction& instruction);
  static Writer written_by(const Instruction& instruction, OperandKind produced);
  /// Does the distance to a producer count it?
  bool is_counted(Operation operation, OperandKind produced) const;
  static std::string name_of(const Producer& producer);
  std::optional<int32_t> produced_number(std::span<const PacketInstruction> before, std::string_view written) const;
  Result<PacketInstruction> read(std::string_view text, const Packet& before, uint32_t address) const;
  std::vector<bool> is_vector_;  ///< by Operation: occupies pipes

  PacketRules rules_;
  Codec codec_;
};

}  // namespace covenant::acg
