#include "tests/property/hvx/random_code.h"

namespace covenant::acg::testing {

ElfFile RandomCode::program(size_t packets) {
  refresh_all();
  while (drawn_ < packets) {
    if (code_.size() % 8 == 0) refresh();
    switch (random_.between(0, 9)) {
      case 0:
        add_branch();
        break;
      case 1:
        add_loops();
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

int32_t RandomCode::base_of(const Mnemonic& mnemonic) {
  switch (*vliw_operation(mnemonic.does)) {
    case VliwOperation::kVl32ubAi:
    case VliwOperation::kVs32ubAi:
      return kBytes;
    case VliwOperation::kL2LoadriPi:
      return kWords;
    case VliwOperation::kL2LoadrbPi:
    case VliwOperation::kL2LoadrubPi:
      return kAnyByte;
    case VliwOperation::kL2LoadriIo:
    case VliwOperation::kL2LoadrdIo:
    case VliwOperation::kL2LoadrdPi:
    case VliwOperation::kS2StoreriIo:
    case VliwOperation::kS2StorerdIo:
      return kDoubles;
    default:
      return kVectors;
  }
}

std::optional<PacketInstruction> RandomCode::draw() {
  const auto at = static_cast<size_t>(random_.between(0, static_cast<int64_t>(machine_.mnemonics.size()) - 1));
  const Mnemonic& mnemonic = machine_.mnemonics[at];
  const Operation does = mnemonic.does;
  if (has(does, VliwTrait::kBranch) || has(does, VliwTrait::kInnerLoop) || has(does, VliwTrait::kOuterLoop)) return {};
  if (does == operation_of(VliwOperation::kJ2Trap0) || does == operation_of(VliwOperation::kA4Ext)) return {};
  PacketInstruction entry{random_instruction(random_, mnemonic, kFree), false};
  const bool is_access = has(does, VliwTrait::kLoad) || has(does, VliwTrait::kStore);
  if (is_access) set_base(entry.instruction, base_of(mnemonic));
  // Loops and the addresses of vectors live in control registers, too.
  if (does == operation_of(VliwOperation::kA2Tfrrcr)) entry.instruction.operands[0] = kAllPredicates;
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
    return;
  }
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
      if (!producing(bigger)) continue;
      const Result<Packet> arranged = checker_.arranged(bigger);
      if (arranged) packet = *arranged;
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
  packet.instructions.push_back({make(VliwOperation::kA2Nop, {}), false});
  return packet;
}

bool RandomCode::producing(Packet& packet) {
  Instruction& last = packet.instructions.back().instruction;
  if (last.operation != operation_of(VliwOperation::kVs32bNewPi)) return true;
  // One of those that there are, of which few are producers.
  constexpr int64_t kLeast = 2, kPlaces = 6;
  const int64_t first = random_.between(0, kPlaces - 1);
  for (int64_t i = 0; i < kPlaces; ++i) {
    last.operands[2] = static_cast<int32_t>(kLeast + (first + i) % kPlaces);
    if (codec_.producer(packet, packet.instructions.size() - 1)) return true;
  }
  return false;
}

void RandomCode::add_branch() {
  const size_t at = code_.size();
  const size_t skipped = static_cast<size_t>(random_.between(0, 2));
  const auto predicate = static_cast<int32_t>(random_.between(0, 3));
  const auto a = static_cast<int32_t>(random_.between(0, kFree - 1)),
             b = static_cast<int32_t>(random_.between(0, kFree - 1));
  switch (random_.between(0, 4)) {
    case 0:
      add({{{make(VliwOperation::kJ2Jump, {0}), false}}}, at + 1 + skipped);
      break;
    case 1:
      add({{{make(VliwOperation::kJ2Jumpt, {predicate, 0}), false}}}, at + 1 + skipped);
      break;
    case 2:
      add({{{make(VliwOperation::kC2Cmpgt, {predicate, a, b}), false},
            {make(VliwOperation::kC2Cmpeq, {predicate, a, b}), false},
            {make(VliwOperation::kJ2Jumptnewpt, {predicate, 0}), false}}},
          at + 1 + skipped);
      break;
    case 3:
      add({{{make(VliwOperation::kJ2Call, {0}), false}}}, at + 1 + skipped);
      break;
    default:
      code_.push_back({{{constant(kJump, 0)}}, at + 2 + skipped, true});
      add({{{make(VliwOperation::kJ2Jumpr, {kJump}), false}}});
  }
  ++drawn_;
  for (size_t i = 0; i < skipped; ++i) add(random_packet(false));
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
    if (code_[i].target) set_target(packet, addresses.at(*code_[i].target), code_[i].in_register ? 0 : addresses[i]);
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
