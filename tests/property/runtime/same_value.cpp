#include "same_value.h"

#include <bit>
#include <cctype>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "acg/base/check.h"
#include "acg/graph/queries.h"
#include "acg/operations/simd_operation.h"
#include "compiler/codelet/interpret.h"
#include "compiler/codelet/parse.h"

namespace covenant::test {
namespace {

using acg::Instruction;
using acg::Operation;
using compiler::codelet::Codelet;
using compiler::codelet::Compute;
using compiler::codelet::Constant;

/// The computes of the SIMD array in the order of the text, which is that of their words.
void collect(std::vector<compiler::codelet::Operation>& body, const acg::Machine& machine,
             std::vector<Compute*>& computes) {
  for (auto& operation : body) {
    if (auto* loop = std::get_if<compiler::codelet::Loop>(&operation.op)) collect(loop->body, machine, computes);
    auto* compute = std::get_if<Compute>(&operation.op);
    if (compute == nullptr) continue;
    const auto node = acg::find_compute(machine, compute->location);
    if (node && acg::get(machine, *node).unit == acg::UnitKind::kSimdArray) computes.push_back(compute);
  }
}

/// Words after `setter` that see what it has set: up to the next one that sets the same. Straight-line code only,
/// which is what compute words between two settings are.
std::vector<size_t> computes_after(const std::vector<Instruction>& code, size_t setter,
                                   const std::function<bool(const Instruction&)>& sets_again) {
  std::vector<size_t> positions;
  size_t ordinal = 0;
  for (size_t i = 0; i < code.size(); ++i) {
    if (acg::is_simd_compute(code[i].operation)) {
      if (i > setter) positions.push_back(ordinal);
      ++ordinal;
    } else if (i > setter && sets_again(code[i])) {
      break;
    }
  }
  return positions;
}

uint32_t bits_of(const Constant& constant) {
  return constant.dtype == DType::kF32 ? std::bit_cast<uint32_t>(constant.real)
                                       : static_cast<uint32_t>(constant.integer);
}

Constant with_bits(const Constant& constant, uint32_t bits) {
  Constant changed = constant;
  if (constant.dtype == DType::kF32) {
    changed.real = std::bit_cast<float>(bits);
  } else {
    changed.integer = static_cast<int32_t>(bits);
  }
  return changed;
}

/// The immediate that `slot` holds when word `before` is reached.
uint32_t immediate_at(const std::vector<Instruction>& code, size_t before, int32_t slot) {
  uint32_t value = 0;
  for (size_t i = 0; i <= before; ++i) {
    const bool is_low = code[i].operation == Operation::kImmediateLow;
    if ((!is_low && code[i].operation != Operation::kImmediateHigh) || code[i].operands[0] != slot) continue;
    const auto half = static_cast<uint32_t>(code[i].operands[1]) & 0xFFFFU;
    value = is_low ? half : (value & 0xFFFFU) | (half << 16);
  }
  return value;
}

bool turn_quantization(const std::vector<Instruction>& code, const SimdWord& word, const Instruction& turned,
                       const std::vector<Compute*>& computes) {
  const auto again = [](const Instruction& other) { return other.operation == Operation::kQuantization; };
  for (const size_t ordinal : computes_after(code, word.instruction, again)) {
    for (auto& [name, attribute] : computes.at(ordinal)->attributes) {
      const size_t operand = acg::operand_index(Operation::kQuantization, name);
      const int64_t change = turned.operands[operand] ^ code[word.instruction].operands[operand];
      attribute = compiler::codelet::Expression(attribute.constant().value() ^ change);
    }
  }
  return true;
}

bool turn_immediate(const std::vector<Instruction>& code, const SimdWord& word, const Instruction& turned,
                    const std::vector<Compute*>& computes) {
  const Instruction& before = code[word.instruction];
  if (turned.operands[0] != before.operands[0]) return false;
  size_t last = word.instruction;  // the halves of one immediate follow one another
  while (last + 1 < code.size() && code[last + 1].operation == Operation::kImmediateHigh) ++last;
  const uint32_t bits = immediate_at(code, last, before.operands[0]);
  const auto change = static_cast<uint32_t>(turned.operands[1] ^ before.operands[1]);
  const uint32_t changed = bits ^ (before.operation == Operation::kImmediateLow ? change : change << 16);
  for (Compute* compute : computes) {
    for (auto& operand : compute->operands) {
      auto* constant = std::get_if<Constant>(&operand);
      if (constant != nullptr && bits_of(*constant) == bits) *constant = with_bits(*constant, changed);
    }
  }
  return true;
}

std::string capability_named(Operation operation) {
  std::string name(acg::info(operation).name);
  for (char& letter : name) letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return name;
}

size_t ordinal_of(const std::vector<Instruction>& code, size_t instruction) {
  size_t ordinal = 0;
  for (size_t i = 0; i < instruction; ++i) ordinal += acg::is_simd_compute(code[i].operation) ? 1 : 0;
  return ordinal;
}

bool turn_function(const std::vector<Instruction>& code, const SimdWord& word, const Instruction& turned,
                   const std::vector<Compute*>& computes) {
  if (turned.operands != code[word.instruction].operands || !acg::is_simd_compute(turned.operation)) return false;
  Compute& compute = *computes.at(ordinal_of(code, word.instruction));
  auto* constant = compute.operands.size() == 2 ? std::get_if<Constant>(&compute.operands[1]) : nullptr;
  if (compute.capability == "ADD" && turned.operation == Operation::kSub && constant != nullptr) {
    constant->integer = -constant->integer;  // a - c = a + (-c)
  } else {
    compute.capability = capability_named(turned.operation);
  }
  return true;
}

/// The local that begins at unit `offset` of a memory.
std::optional<std::string> local_at(const std::vector<compiler::codelet::Operation>& body, const std::string& memory,
                                    uint64_t offset) {
  for (const auto& operation : body) {
    if (const auto* loop = std::get_if<compiler::codelet::Loop>(&operation.op)) {
      if (const auto found = local_at(loop->body, memory, offset)) return found;
    }
    const auto* transfer = std::get_if<compiler::codelet::Transfer>(&operation.op);
    if (transfer != nullptr && transfer->location == memory && transfer->offset == offset) return transfer->local;
  }
  return std::nullopt;
}

/// Another iterator of the same memory as first source: another local.
bool turn_source(const acg::Program& program, const std::vector<Instruction>& code, const SimdWord& word,
                 const Instruction& turned, const Codelet& codelet, const std::vector<Compute*>& computes) {
  const size_t source = acg::operand_index(turned.operation, "src1");
  Instruction undone = turned;
  undone.operands[source] = code[word.instruction].operands[source];
  if (undone != code[word.instruction]) return false;
  const int32_t memory = turned.operands[source - 1];
  uint64_t base = 0;
  for (size_t i = 0; i < word.instruction; ++i) {
    const bool sets = code[i].operation == Operation::kSimdBase && code[i].operands[0] == memory &&
                      code[i].operands[1] == turned.operands[source];
    if (sets) base = static_cast<uint64_t>(code[i].operands[2]);
  }
  const auto local = local_at(codelet.body, program.machine.memories.at(static_cast<size_t>(memory)).name, base);
  Compute& compute = *computes.at(ordinal_of(code, word.instruction));
  if (!local || !std::holds_alternative<compiler::codelet::Reference>(compute.operands.at(0))) return false;
  std::get<compiler::codelet::Reference>(compute.operands[0]).surrogate = *local;
  return true;
}

/// Nothing if the codelet cannot be run.
std::optional<compiler::codelet::Bindings> outputs_of(const acg::Program& program, size_t block, const Codelet& codelet,
                                                      const std::vector<uint8_t>& memory) {
  compiler::codelet::Bindings tensors;
  std::set<std::string> inputs;
  for (const auto& surrogate : codelet.surrogates) {
    if (surrogate.kind != compiler::codelet::SurrogateKind::kInp) continue;
    inputs.insert(surrogate.name);
    for (const acg::Segment& segment : program.segments) {
      if (segment.name != program.blocks[block].bindings.at(surrogate.name)) continue;
      const auto first = memory.begin() + static_cast<int64_t>(segment.address);
      tensors[surrogate.name].assign(first, first + static_cast<int64_t>(segment.size));
    }
  }
  if (!compiler::codelet::interpret(codelet, &program.machine, tensors)) return std::nullopt;
  for (const std::string& name : inputs) tensors.erase(name);
  return tensors;
}

}  // namespace

bool is_same_value(const acg::Program& program, const std::vector<Instruction>& code, const SimdWord& word,
                   const Instruction& turned, const std::vector<uint8_t>& memory) {
  const Result<Codelet> codelet = compiler::codelet::parse(program.blocks[word.block].codelet, "block");
  check(static_cast<bool>(codelet), "a program's codelets parse");
  Codelet changed = *codelet;
  std::vector<Compute*> computes;
  collect(changed.body, program.machine, computes);
  const Operation operation = code[word.instruction].operation;
  bool is_value = false;
  if (acg::is_simd_compute(operation)) {
    is_value = turn_function(code, word, turned, computes) ||
               (operation == turned.operation && turn_source(program, code, word, turned, changed, computes));
  } else if (operation == turned.operation && operation == Operation::kQuantization) {
    is_value = turn_quantization(code, word, turned, computes);
  } else if (operation == turned.operation &&
             (operation == Operation::kImmediateLow || operation == Operation::kImmediateHigh)) {
    is_value = turn_immediate(code, word, turned, computes);
  }
  if (!is_value) return false;
  const auto made = outputs_of(program, word.block, changed, memory);
  return made && made == outputs_of(program, word.block, *codelet, memory);
}

}  // namespace covenant::test
