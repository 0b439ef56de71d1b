#include "sim/vliw/packet_timing.h"

#include <algorithm>

#include "acg/operations/vliw_registers.h"
#include "acg/operations/vliw_traits.h"

namespace covenant::sim::vliw {
namespace {

using acg::Instruction;
using acg::Register;
using acg::RegisterFile;
using acg::RegisterUse;
using enum acg::VliwTrait;

/// Index of the first register of each file, in the order of RegisterFile.
constexpr std::array<size_t, 5> kFirst{0, 32, 64, 68, 72};

uint8_t index_of(const Register& named) {
  return static_cast<uint8_t>(kFirst.at(static_cast<size_t>(named.file)) + static_cast<size_t>(named.number));
}

bool is_on_vector_side(const Register& named) {
  return named.file == RegisterFile::kVector || named.file == RegisterFile::kVectorPredicate;
}

/// Stages have 8 bits (acg::kStages).
StageUse use_of(uint8_t index, uint32_t stage) { return {index, static_cast<uint8_t>(stage)}; }

/// True if the instruction takes the register's value from its own packet.
bool is_of_packet(const acg::Packet& packet, const Instruction& reader, const Register& named) {
  if (named.file == RegisterFile::kPredicate) return has(reader, kNewPredicate);
  if (named.file != RegisterFile::kVector) return false;
  return std::any_of(packet.instructions.begin(), packet.instructions.end(), [&](const acg::PacketInstruction& entry) {
    const bool gives = has(entry.instruction, kCurrent) || has(entry.instruction, kTemporary);
    return gives && entry.instruction.operands[0] == named.number;
  });
}

/// Words 0 and 1 of the counter.
bool reads_cycles(const Instruction& instruction) {
  return instruction.operation == acg::operation_of(acg::VliwOperation::kA2Tfrcrr) &&
         (instruction.operands[1] == acg::kCycles || instruction.operands[1] == acg::kCycles + 1);
}

/// A store under a predicate of vectors.
bool is_masked(const Instruction& instruction) {
  const std::span<const acg::OperandInfo> operands = acg::info(instruction.operation).operands;
  return has(instruction, kStore) && std::any_of(operands.begin(), operands.end(), [](const acg::OperandInfo& operand) {
           return operand.kind == acg::OperandKind::kVectorPredicate;
         });
}

}  // namespace

PacketTiming PacketTimer::timing_of(const acg::Packet& packet) const {
  PacketTiming timing;
  for (size_t i = 0; i < packet.instructions.size(); ++i) add(packet, i, timing);
  std::stable_partition(timing.accesses.begin(), timing.accesses.end(),
                        [](const TimedAccess& access) { return access.is_vector && !access.is_store; });
  return timing;
}

void PacketTimer::add(const acg::Packet& packet, size_t at, PacketTiming& timing) const {
  const Instruction& instruction = packet.instructions[at].instruction;
  const acg::OperationStages& stages = stages_.of(instruction.operation);
  const bool is_load = has(instruction, kLoad);
  timing.has_vector_part = timing.has_vector_part || stages.is_vector;
  if (is_load || has(instruction, kStore)) {
    timing.accesses.push_back(
        {.is_store = !is_load, .is_vector = stages.is_vector, .is_masked = is_masked(instruction)});
  }
  timing.is_prefetch = timing.is_prefetch || has(instruction, kPrefetch);
  timing.reads_cycles = timing.reads_cycles || reads_cycles(instruction);
  for (const RegisterUse& use : register_uses(instruction)) {
    const uint8_t index = index_of(use.used);
    const bool is_vector = is_on_vector_side(use.used);
    if (reads(use.access) && !is_of_packet(packet, instruction, use.used)) {
      (is_vector ? timing.vector_reads : timing.scalar_reads)
          .push_back(use_of(index, stages.reads[use.operand.value()]));
    }
    if (!writes(use.access) || (is_vector && has(instruction, kTemporary))) continue;
    const StageUse write = use_of(index, use.operand ? stages.writes[*use.operand] : 0);
    // The updated address register of a load is available at once; it is both read and written.
    const bool is_loaded = is_load && use.operand && use.access == acg::Access::kWrite;
    if (is_vector) {
      timing.vector_writes.push_back(write);
    } else if (is_loaded) {
      timing.accesses.back().loaded.push_back(write);
    } else if (stages.is_vector && use.access == acg::Access::kWrite) {
      timing.extracted.push_back(use_of(index, stages.latency));
    } else {
      timing.scalar_writes.push_back(write);
    }
  }
}

}  // namespace covenant::sim::vliw
