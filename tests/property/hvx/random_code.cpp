#include "tests/property/hvx/random_code.h"

#include <map>

namespace covenant::acg::testing {

ElfFile RandomCode::program(size_t packets) {
  refresh_all();
  while (drawn_ < packets) {
    if (code_.size() % 8 == 0) refresh();
    switch (random_.between(0, 9)) {
      case 0:
      case 1:
      case 2:
        add_branch();
        break;
      case 3:
        add_loops();
        break;
      case 4:
        add_frame();
        break;
      default:
        add(random_packet(false));
    }
  }
  add_end();
  return assembled();
}

Instruction RandomCode::make(VliwOperation operation, std::initializer_list<int32_t> operands) {
  Instruction instruction{operation_of(operation), {}};
  std::copy(operands.begin(), operands.end(), instruction.operands.begin());
  return instruction;
}

PacketInstruction RandomCode::constant(int32_t reg, int64_t value) {
  return {make(VliwOperation::kA2Tfrsi, {reg, static_cast<int32_t>(value)}), true};
}

void RandomCode::add_constants(int32_t first, int64_t first_value, int32_t second, int64_t second_value) {
  add({{constant(first, first_value), constant(second, second_value)}});
}

int64_t RandomCode::random_value() {
  constexpr std::array<int64_t, 8> kExtremes{0, 1, -1, INT32_MIN, INT32_MAX, 0x80008000, 0x7fff7fff, 0x80};
  const auto pick = static_cast<size_t>(random_.between(0, 15));
  return pick < kExtremes.size() ? kExtremes[pick] : random_.between(INT32_MIN, INT32_MAX);
}

void RandomCode::refresh_pointers() {
  add_constants(kVectors, near_middle(1), kBytes, near_middle(1));
  add_constants(kDoubles, near_middle(8), kWords, near_middle(4));
  add_constants(kAnyByte, near_middle(1), kJump, random_.between(-300, 300));
  add_constants(kHalves, near_middle(2), kIndex, random_.between(0, 100) * 8);
  const int32_t modifier = static_cast<int32_t>(6 + random_.between(0, 1));
  add({{{make(VliwOperation::kA2Tfrrcr, {modifier, kJump}), false}}});
}

void RandomCode::refresh() {
  refresh_pointers();
  const auto reg = static_cast<int32_t>(random_.between(0, kFree - 2));
  add_constants(reg, random_value(), reg + 1, random_value());
  add({{{make(VliwOperation::kVl32bPi, {static_cast<int32_t>(random_.between(0, 15)), kVectors, 1}), false}}});
}

void RandomCode::refresh_all() {
  refresh_pointers();
  for (int32_t i = 0; i < kFree; i += 2) add_constants(i, random_value(), i + 1, random_value());
  for (int32_t i = 0; i < 16; ++i) add({{{make(VliwOperation::kVl32bPi, {i, kVectors, 1}), false}}});
}

namespace {
bool has_store(const Packet& packet) {
  return std::any_of(packet.instructions.begin(), packet.instructions.end(),
                     [](const PacketInstruction& entry) { return has(entry.instruction, VliwTrait::kStore); });
}
/// Another instruction writes the register that a temporary value stands for: no code of a compiler does, and QEMU
/// takes either value for the other.
bool writes_temporary(const Packet& packet) {
  std::map<Register, int> writers;
  for (const PacketInstruction& entry : packet.instructions) {
    for (const RegisterUse& use : register_uses(entry.instruction)) {
      const bool is_vector = use.used.file == RegisterFile::kVector;
      if (is_vector && writes(use.access) && ++writers[use.used] > 1) return true;
    }
  }
  return false;
}
bool has_text(std::string_view name, std::string_view part) { return name.find(part) != std::string_view::npos; }
}  // namespace

int32_t RandomCode::base_of(const Mnemonic& mnemonic) {
  const std::string_view name = info(mnemonic.does).name;
  if (name.starts_with('v')) return has_text(name, "ub_") ? kBytes : kVectors;
  if (!name.ends_with("_pi")) return kDoubles;
  if (has_text(name, "rd_")) return kDoubles;
  if (has_text(name, "ri")) return kWords;
  return has_text(name, "rh") || has_text(name, "ruh") ? kHalves : kAnyByte;
}

std::optional<PacketInstruction> RandomCode::draw() {
  const auto at = static_cast<size_t>(random_.between(0, static_cast<int64_t>(machine_.mnemonics.size()) - 1));
  const Mnemonic& mnemonic = machine_.mnemonics[at];
  const Operation does = mnemonic.does;
  if (has(does, VliwTrait::kBranch) || has(does, VliwTrait::kInnerLoop) || has(does, VliwTrait::kOuterLoop)) return {};
  if (has(does, VliwTrait::kFrame)) return {};
  if (does == operation_of(VliwOperation::kJ2Trap0) || does == operation_of(VliwOperation::kA4Ext)) return {};
  PacketInstruction entry{random_instruction(random_, mnemonic, kFree), false};
  const bool is_access = has(does, VliwTrait::kLoad) || has(does, VliwTrait::kStore);
  if (is_access) set_base(entry.instruction, base_of(mnemonic));
  // Loops and the addresses of vectors live in control registers, too.
  if (does == operation_of(VliwOperation::kA2Tfrrcr)) entry.instruction.operands[0] = kAllPredicates;
  // Counters are the emulator's own.
  constexpr std::array<int32_t, 7> kComparable{0, 1, 2, 3, kAllPredicates, kFirstModifier, kFirstModifier + 1};
  if (does == operation_of(VliwOperation::kA2Tfrcrr)) {
    entry.instruction.operands[1] = kComparable[static_cast<size_t>(random_.between(0, 6))];
  }
  if (random_.between(0, 5) == 0) extend(entry, mnemonic, is_access);
  return entry;
}

void RandomCode::extend(PacketInstruction& entry, const Mnemonic& mnemonic, bool is_access) {
  for (const Field& field : mnemonic.fields) {
    if (!field.is_extendable) continue;
    entry.is_extended = true;
    entry.instruction.operands[operand_index(mnemonic.does, field.operand)] =
        static_cast<int32_t>(is_access ? random_.between(-500, 500) * 8 : random_value());
  }
}

void RandomCode::set_base(Instruction& instruction, int32_t base) {
  const std::span<const OperandInfo> operands = info(instruction.operation).operands;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].kind != OperandKind::kScalar || !reads(operands[i].access)) continue;
    instruction.operands[i] = base;
    const bool is_indexed = std::any_of(operands.begin(), operands.end(),
                                        [](const OperandInfo& operand) { return operand.name == "shift"; });
    if (is_indexed) instruction.operands[i + 1] = kIndex;
    return;
  }
}

bool RandomCode::shares_slot(const Packet& packet) {
  const auto is_access = [](const PacketInstruction& entry) {
    return has(entry.instruction, VliwTrait::kLoad) || has(entry.instruction, VliwTrait::kStore);
  };
  const auto first = std::find_if(packet.instructions.begin(), packet.instructions.end(), is_access);
  const bool is_last = std::all_of(first, packet.instructions.end(), is_access);
  return !is_last && std::any_of(packet.instructions.begin(), packet.instructions.end(),
                                 [](const auto& entry) { return has(entry.instruction, VliwTrait::kPredicated); });
}

bool RandomCode::loads_after_store(const Packet& packet) {
  const auto has_trait = [](VliwTrait trait) {
    return [trait](const PacketInstruction& entry) { return has(entry.instruction, trait); };
  };
  const std::vector<PacketInstruction>& all = packet.instructions;
  const auto store = std::find_if(all.begin(), all.end(), has_trait(VliwTrait::kStore));
  return std::any_of(store, all.end(), has_trait(VliwTrait::kLoad));
}

bool RandomCode::stores_temporary(const Packet& packet) const {
  for (size_t i = 0; i < packet.instructions.size(); ++i) {
    const auto producer = codec_.producer(packet, i);
    if (producer && has(packet.instructions[producer->index].instruction, VliwTrait::kTemporary)) return true;
  }
  return false;
}

Packet RandomCode::random_packet(bool ends_loop) {
  for (;;) {
    Packet packet;
    packet.ends_inner_loop = ends_loop;
    const int64_t wanted = random_.between(1, 4);
    for (int tries = 0; tries < 40 && static_cast<int64_t>(packet.instructions.size()) < wanted; ++tries) {
      const std::optional<PacketInstruction> entry = draw();
      if (!entry) continue;
      Packet bigger = packet;
      bigger.instructions.push_back(*entry);
      if (has(entry->instruction, VliwTrait::kNewPredicate)) add_producer(bigger);
      if (!producing(bigger)) add_producer(bigger);
      const Result<Packet> arranged = checker_.arranged(bigger);
      const bool is_comparable = arranged && !shares_slot(*arranged) && !loads_after_store(*arranged) &&
                                 !writes_temporary(*arranged) && !stores_temporary(*arranged);
      if (is_comparable) packet = *arranged;
      // The end of a loop wants two words.
      if (!arranged && ends_loop && packet.instructions.empty()) packet = alone_with_nop(bigger);
    }
    if (checker_.check(packet)) {
      ++drawn_;
      return packet;
    }
  }
}

Packet RandomCode::alone_with_nop(Packet packet) {
  packet.instructions.insert(packet.instructions.begin(), {make(VliwOperation::kA2Nop, {}), false});
  return packet;
}

bool RandomCode::producing(Packet& packet) {
  Instruction& last = packet.instructions.back().instruction;
  const std::optional<OperandKind> produced = set_producer_before(last);
  if (!produced) return true;
  const bool is_odd = produced == OperandKind::kProduced && random_.between(0, 1) == 1;
  last.operands[operand_index(last.operation, "produced")] =
      static_cast<int32_t>(2 * random_.between(1, 3) + (is_odd ? 1 : 0));
  return codec_.producer(packet, packet.instructions.size() - 1).has_value();
}

void RandomCode::add_producer(Packet& packet) {
  Instruction& last = packet.instructions.back().instruction;
  const auto a = static_cast<int32_t>(random_.between(0, kFree - 1)),
             b = static_cast<int32_t>(random_.between(0, kFree - 1));
  const auto before = packet.instructions.end() - 1;
  if (has(last, VliwTrait::kNewPredicate)) {
    const int32_t predicate = last.operands[predicate_read(last).value()];
    packet.instructions.insert(before, {make(VliwOperation::kC2Cmpgt, {predicate, a, b}), false});
  } else if (const std::optional<OperandKind> produced = set_producer_before(last)) {
    const bool is_vector = produced == OperandKind::kProduced;
    packet.instructions.insert(before,
                               {make(is_vector ? VliwOperation::kVxor : VliwOperation::kA2Add, {a, a, b}), false});
  }
}

void RandomCode::add_branch() {
  for (;;) {
    const auto at = static_cast<size_t>(random_.between(0, static_cast<int64_t>(machine_.mnemonics.size()) - 1));
    const Mnemonic& mnemonic = machine_.mnemonics[at];
    if (!has(mnemonic.does, VliwTrait::kBranch) || has(mnemonic.does, VliwTrait::kFrame)) continue;
    const std::span<const OperandInfo> operands = info(mnemonic.does).operands;
    const bool to_register = std::none_of(operands.begin(), operands.end(),
                                          [](const OperandInfo& operand) { return operand.name == "target"; });
    const auto skipped = static_cast<size_t>(random_.between(0, 2));
    Packet packet{{{random_instruction(random_, mnemonic, kFree), false}}};
    if (to_register) packet.instructions[0].instruction.operands[operand_index(mnemonic.does, "rs")] = kJump;
    add_producer(packet);
    const Result<Packet> arranged = checker_.arranged(packet);
    if (!arranged) continue;
    if (to_register) code_.push_back({{{constant(kJump, 0)}}, code_.size() + 2 + skipped, true});
    add(*arranged, to_register ? std::nullopt : std::optional(code_.size() + 1 + skipped));
    ++drawn_;
    for (size_t i = 0; i < skipped; ++i) add(random_packet(false));
    return;
  }
}

void RandomCode::add_frame() {
  const auto sized = static_cast<int32_t>(random_.between(0, 60) * 8);
  add_constants(kStackRegister, near_middle(8), kFrameRegister, near_middle(8));
  add({{{make(VliwOperation::kS2Allocframe, {kStackRegister, sized, kFrameRegister}), false}}});
  // A store could replace the return address.
  Packet between = random_packet(false);
  while (has_store(between)) between = random_packet(false);
  add(std::move(between));
  for (;;) {
    const auto at = static_cast<size_t>(random_.between(0, static_cast<int64_t>(machine_.mnemonics.size()) - 1));
    const Mnemonic& mnemonic = machine_.mnemonics[at];
    if (!has(mnemonic.does, VliwTrait::kFrame) || has(mnemonic.does, VliwTrait::kStore)) continue;
    Packet packet{{{random_instruction(random_, mnemonic, kFree), false}}};
    add_producer(packet);
    const bool returns = has(mnemonic.does, VliwTrait::kBranch);
    // The return address is set before the frame is opened.
    if (returns) {
      const auto opened = code_.end() - 2;
      code_.insert(opened, {{{constant(kLinkRegister, 0)}}, code_.size() + 2, true});
    }
    add(std::move(packet));
    ++drawn_;
    return;
  }
}

void RandomCode::add_loops() {
  const bool is_nested = random_.between(0, 1) == 1;
  add_loop(VliwOperation::kJ2Loop1i, VliwOperation::kJ2Loop1r, 2);
  add_loop(VliwOperation::kJ2Loop0i, VliwOperation::kJ2Loop0r, 1);
  for (int64_t i = random_.between(0, 2); i > 0; --i) add(random_packet(false));
  Packet end = random_packet(true);
  end.ends_outer_loop = is_nested && end.instructions.size() > 2;
  add(std::move(end));
  if (!is_nested || code_.back().packet.ends_outer_loop) return;
  Packet outer{{{make(VliwOperation::kA2Nop, {}), false},
                {make(VliwOperation::kA2Nop, {}), false},
                {make(VliwOperation::kA2Nop, {}), false}}};
  outer.ends_outer_loop = true;
  add(std::move(outer));
}

void RandomCode::add_loop(VliwOperation by_number, VliwOperation by_register, size_t after) {
  const auto count = static_cast<int32_t>(random_.between(0, 3));
  const bool is_number = random_.between(0, 1) == 1;
  if (!is_number) add({{constant(kJump, count)}});
  // Between the two loops of a nest stands one packet, or the constant of the inner one, too.
  add({{{is_number ? make(by_number, {0, count}) : make(by_register, {0, kJump}), false}}}, code_.size() + after);
}

void RandomCode::add_end() {
  const auto service = [&](int32_t number, int64_t r0, int64_t r1, int64_t r2) {
    add_constants(0, r0, 1, r1);
    add_constants(2, r2, 6, number);
    add({{{make(VliwOperation::kJ2Trap0, {1}), false}}});
  };
  service(64, 1, kDataAddress, kDataBytes);
  service(94, 0, 0, 0);
}

ElfFile RandomCode::assembled() {
  std::vector<uint32_t> addresses{kCodeAddress};
  for (const Placed& placed : code_) {
    addresses.push_back(addresses.back() + 4 * static_cast<uint32_t>(words_of(placed.packet).size()));
  }
  ElfSegment code{kCodeAddress, 0, {}, true, false};
  for (size_t i = 0; i < code_.size(); ++i) {
    Packet& packet = code_[i].packet;
    if (code_[i].target)
      set_target(packet, addresses.at(code_[i].target.value()), code_[i].in_register ? 0 : addresses[i]);
    for (const InstructionWord& word : words_of(packet)) {
      for (uint32_t byte = 0; byte < 4; ++byte) code.content.push_back(word.byte(byte));
    }
  }
  code.bytes = code.content.size();
  return {kCodeAddress, {code, data()}, {}};
}

std::vector<InstructionWord> RandomCode::words_of(const Packet& packet) {
  const Result<std::vector<InstructionWord>> words = codec_.encode(packet);
  EXPECT_TRUE(words) << render(words.error());
  return words ? *words : std::vector<InstructionWord>{};
}

void RandomCode::set_target(Packet& packet, uint32_t target, uint32_t from) {
  for (PacketInstruction& entry : packet.instructions) {
    const std::span<const OperandInfo> operands = info(entry.instruction.operation).operands;
    for (size_t i = 0; i < operands.size(); ++i) {
      if (operands[i].name == "target" || (from == 0 && operands[i].kind == OperandKind::kSigned)) {
        entry.instruction.operands[i] = static_cast<int32_t>(target - from);
      }
    }
  }
}

ElfSegment RandomCode::data() {
  ElfSegment segment{kDataAddress, kDataBytes, std::vector<uint8_t>(kDataBytes), false, true};
  constexpr std::array<uint8_t, 6> kLimits{0, 1, 0x7f, 0x80, 0xff, 0xfe};
  for (size_t i = 0; i < segment.content.size(); ++i) {
    const bool is_limit = i / 128 % 4 == 0;
    segment.content[i] =
        is_limit ? kLimits[static_cast<size_t>(random_.between(0, 5))] : static_cast<uint8_t>(random_.between(0, 255));
  }
  return segment;
}

}  // namespace covenant::acg::testing
