#include "acg/isa/vliw/packet.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "acg/base/check.h"
#include "acg/base/trimmed.h"
#include "acg/encoding/word_text.h"
#include "acg/operations/vliw_traits.h"

namespace covenant::acg {
namespace {

constexpr Operation kExtender = operation_of(VliwOperation::kA4Ext);

Diagnostic malformed(std::string_view code, std::string message, std::string offending, std::string fix) {
  return {std::string(code), {}, "packet", std::move(message), std::move(offending), {}, std::move(fix)};
}

/// The extender that gives the high bits of `number`.
Instruction extender_of(uint32_t number) { return {kExtender, {static_cast<int32_t>(number & ~kExtendedBits)}}; }

std::optional<size_t> produced_operand(const Instruction& instruction) {
  const std::span<const OperandInfo> operands = info(instruction.operation).operands;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (is_produced(operands[i].kind)) return i;
  }
  return std::nullopt;
}

}  // namespace

PacketCodec::PacketCodec(const Machine& machine)
    : is_vector_(kOperationCount), rules_(machine.packet), codec_(machine) {
  check(rules_.slots > 0, "a machine without packets");
  for (const Mnemonic& mnemonic : machine.mnemonics) {
    is_vector_[static_cast<size_t>(mnemonic.does)] = !mnemonic.pipes.empty();
  }
}

Result<std::vector<InstructionWord>> PacketCodec::encode(const Packet& packet) const {
  std::vector<InstructionWord> words;
  for (const PacketInstruction& entry : packet.instructions) {
    if (entry.instruction.operation == kExtender) {
      return malformed("ISA0009", "an extender is no instruction of its own", "a4_ext", "set is_extended instead");
    }
    if (entry.is_extended) {
      const std::optional<size_t> operand = codec_.extendable_operand(entry.instruction.operation);
      const int32_t number = operand ? entry.instruction.operands[*operand] : 0;
      const Result<InstructionWord> extender = codec_.encode(extender_of(static_cast<uint32_t>(number)));
      if (!extender) return extender.error();
      words.push_back(*extender);
    }
    const Result<InstructionWord> word =
        entry.is_extended ? codec_.encode_extended(entry.instruction) : codec_.encode(entry.instruction);
    if (!word) return word.error();
    words.push_back(*word);
  }
  const size_t least = packet.ends_outer_loop ? 3 : packet.ends_inner_loop ? 2 : 1;
  if (words.size() < least || words.size() > rules_.words) {
    return malformed("ISA0009", fmt::format("a packet of {}..{} words was wanted", least, rules_.words),
                     fmt::format("{} words", words.size()),
                     words.size() < least ? "add a nop" : "make two packets of it");
  }
  const InstructionWord mask = scattered(~uint64_t{0}, codec_.parse_bits());
  for (size_t i = 0; i < words.size(); ++i) {
    const bool ends_loop = (i == 0 && packet.ends_inner_loop) || (i == 1 && packet.ends_outer_loop);
    const uint32_t code = i + 1 == words.size() ? rules_.last : ends_loop ? rules_.loop_end : rules_.more;
    words[i] = (words[i] & ~mask) | scattered(code, codec_.parse_bits());
  }
  return words;
}

Result<PacketCodec::Decoded> PacketCodec::decode(std::span<const InstructionWord> words) const {
  Decoded decoded;
  std::optional<uint32_t> high;
  for (size_t i = 0; i < words.size() && i < rules_.words; ++i) {
    const uint64_t code = gathered(words[i], codec_.parse_bits());
    if (code != rules_.more && code != rules_.last && (code != rules_.loop_end || i > 1)) {
      return malformed("ISA0010", fmt::format("word {} has parse bits without a meaning", i),
                       "0x" + hex(words[i], codec_.word_bits()), "only words of the machine's mnemonics make packets");
    }
    if (code == rules_.loop_end) (i == 0 ? decoded.packet.ends_inner_loop : decoded.packet.ends_outer_loop) = true;
    const Result<Codec::Decoded> word = high ? codec_.decode_extended(words[i], *high) : codec_.decode(words[i]);
    if (!word) return word.error();
    const bool is_extender = word->instruction.operation == kExtender;
    if (!is_extender) decoded.packet.instructions.push_back({word->instruction, high.has_value()});
    high = is_extender ? std::optional(static_cast<uint32_t>(word->instruction.operands[0])) : std::nullopt;
    if (code != rules_.last) continue;
    if (high) break;
    decoded.words = static_cast<uint32_t>(i + 1);
    return decoded;
  }
  if (high) return malformed("ISA0010", "an extender that extends nothing", "a4_ext", "put it before an instruction");
  return malformed("ISA0010", fmt::format("no last word within {} words", rules_.words),
                   fmt::format("{} words", words.size()), "mark the last word of the packet");
}

PacketCodec::Writer PacketCodec::scalar_written(const Instruction& instruction) {
  const std::span<const OperandInfo> operands = info(instruction.operation).operands;
  // The result of an instruction is its first operand, if that is a written register and not an address register.
  const bool has_result = !operands.empty() && operands[0].kind == OperandKind::kScalar && writes(operands[0].access);
  if (!has_result || has(instruction, VliwTrait::kStore) || has(instruction, VliwTrait::kPredicated)) return {};
  return {instruction.operands[0], false};
}

PacketCodec::Writer PacketCodec::written_by(const Instruction& instruction, OperandKind produced) {
  return produced == OperandKind::kProduced ? vector_written(instruction) : scalar_written(instruction);
}

bool PacketCodec::is_counted(Operation operation, OperandKind produced) const {
  return produced == OperandKind::kProducedScalar || is_vector_[static_cast<size_t>(operation)];
}

PacketCodec::Writer PacketCodec::vector_written(const Instruction& instruction) {
  const std::span<const OperandInfo> operands = info(instruction.operation).operands;
  for (size_t i = 0; i < operands.size(); ++i) {
    const bool is_pair = operands[i].kind == OperandKind::kVectorPair;
    if (!writes(operands[i].access) || (!is_pair && operands[i].kind != OperandKind::kVector)) continue;
    return {instruction.operands[i], is_pair};
  }
  return {};
}

std::optional<PacketCodec::Producer> PacketCodec::producer(const Packet& packet, size_t consumer) const {
  const Instruction& instruction = packet.instructions.at(consumer).instruction;
  const std::optional<size_t> operand = produced_operand(instruction);
  if (!operand) return std::nullopt;
  const OperandKind kind = info(instruction.operation).operands[*operand].kind;
  const int32_t number = instruction.operands[*operand];
  int32_t distance = number / 2;
  for (size_t i = consumer; distance > 0 && i-- > 0;) {
    const Instruction& before = packet.instructions[i].instruction;
    if (!is_counted(before.operation, kind) || --distance > 0) continue;
    const Writer written = written_by(before, kind);
    const bool is_odd = number % 2 != 0;
    if (!written.low || (is_odd && !written.is_pair)) return std::nullopt;
    return Producer{i, *written.low + (is_odd ? 1 : 0), kind};
  }
  return std::nullopt;
}

std::vector<std::string> PacketCodec::texts(const Packet& packet, uint32_t address) const {
  std::vector<std::string> texts;
  for (size_t i = 0; i < packet.instructions.size(); ++i) {
    const PacketInstruction& entry = packet.instructions[i];
    TextPlace place{address, entry.is_extended, ""};
    if (const std::optional<Producer> from = producer(packet, i)) place.produced = name_of(*from);
    const Result<InstructionWord> word =
        entry.is_extended ? codec_.encode_extended(entry.instruction) : codec_.encode(entry.instruction);
    check(static_cast<bool>(word), "text of an instruction that does not encode");
    const Result<Codec::Decoded> decoded = codec_.decode(*word);
    check(static_cast<bool>(decoded), "an encoded word that does not decode");
    texts.push_back(codec_.text({entry.instruction, decoded->mnemonic}, place));
  }
  return texts;
}

std::string PacketCodec::disassemble(const Packet& packet, uint32_t address) const {
  const std::string_view end = packet.ends_inner_loop && packet.ends_outer_loop ? ":endloop01"
                               : packet.ends_inner_loop                         ? ":endloop0"
                               : packet.ends_outer_loop                         ? ":endloop1"
                                                                                : "";
  return fmt::format("{{ {} }}{}", fmt::join(texts(packet, address), "; "), end);
}

std::string PacketCodec::name_of(const Producer& producer) {
  return fmt::format("{}{}", producer.kind == OperandKind::kProduced ? "v" : "r", producer.number);
}

/// The number of a `produced` operand that refers to register `written` ("v7"), for the instruction after `before`.
std::optional<int32_t> PacketCodec::produced_number(std::span<const PacketInstruction> before,
                                                    std::string_view written) const {
  const OperandKind kind = written.starts_with('v') ? OperandKind::kProduced : OperandKind::kProducedScalar;
  int32_t distance = 0;
  for (size_t i = before.size(); i-- > 0;) {
    if (!is_counted(before[i].instruction.operation, kind)) continue;
    ++distance;
    const Writer writer = written_by(before[i].instruction, kind);
    if (!writer.low) continue;
    if (name_of({i, *writer.low, kind}) == written) return 2 * distance;
    if (writer.is_pair && name_of({i, *writer.low + 1, kind}) == written) return 2 * distance + 1;
  }
  return std::nullopt;
}

void PacketCodec::set_producer(Packet& packet, size_t consumer, int32_t written) const {
  Instruction& instruction = packet.instructions.at(consumer).instruction;
  const std::optional<size_t> operand = produced_operand(instruction);
  check(operand.has_value(), "no operand that names a producer");
  const OperandKind kind = info(instruction.operation).operands[operand.value()].kind;
  const std::span<const PacketInstruction> all = packet.instructions;
  const std::optional<int32_t> number = produced_number(all.first(consumer), name_of({0, written, kind}));
  check(operand.has_value() && number.has_value(), "no producer to be set");
  instruction.operands[operand.value()] = number.value();
}

Result<PacketInstruction> PacketCodec::read(std::string_view text, const Packet& before, uint32_t address) const {
  const Result<Codec::Written> written = codec_.read(text, {address, false, ""});
  if (!written) return written.error();
  PacketInstruction entry{written->decoded.instruction, written->is_extended};
  if (!written->produced.empty()) {
    const std::optional<int32_t> number = produced_number(before.instructions, written->produced);
    if (!number) {
      return malformed("ISA0007", "no instruction before it in the packet writes the register", written->produced,
                       "put the producer before it");
    }
    entry.instruction.operands[produced_operand(entry.instruction).value()] = *number;
  }
  // Text does not show whether an address has an extender: one is used only if the address does not fit otherwise.
  if (!entry.is_extended && !codec_.encode(entry.instruction)) {
    entry.is_extended = static_cast<bool>(codec_.encode_extended(entry.instruction));
  }
  return entry;
}

Result<Packet> PacketCodec::assemble(std::string_view text, uint32_t address) const {
  Packet packet;
  text = trimmed(text);
  const size_t close = text.rfind('}');
  const std::string_view end = close == std::string_view::npos ? text : trimmed(text.substr(close + 1));
  packet.ends_inner_loop = end == ":endloop0" || end == ":endloop01";
  packet.ends_outer_loop = end == ":endloop1" || end == ":endloop01";
  if (!text.starts_with('{') || (!end.empty() && !packet.ends_inner_loop && !packet.ends_outer_loop)) {
    return malformed("ISA0007", "a packet stands in braces, the end of a loop after them", std::string(end),
                     "write `{ nop; nop }:endloop0`");
  }
  std::string_view left = text.substr(1, close - 1);
  for (;;) {
    const size_t semicolon = left.find(';');
    Result<PacketInstruction> entry = read(trimmed(left.substr(0, semicolon)), packet, address);
    if (!entry) return entry.error();
    packet.instructions.push_back(*entry);
    if (semicolon == std::string_view::npos) return packet;
    left.remove_prefix(semicolon + 1);
  }
}

}  // namespace covenant::acg
