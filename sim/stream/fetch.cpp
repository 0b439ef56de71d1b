#include "sim/stream/fetch.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <string_view>
#include <variant>

#include "acg/base/check.h"
#include "acg/base/rounding.h"
#include "acg/encoding/word_text.h"
#include "acg/graph/queries.h"
#include "sim/common/fault.h"
#include "sim/stream/common/operands.h"
#include "sim/stream/units.h"

namespace covenant::sim {

/// Position in the stream while one block is read.
struct FetchUnit::Cursor {
  std::span<const uint8_t> offchip;
  uint64_t address = 0;
  uint64_t word_bytes = 4;
  uint64_t index = 0;         ///< words read
  acg::InstructionWord last;  ///< the word read last

  const acg::InstructionWord& next() {
    const uint64_t at = address + index * word_bytes;
    if (at + word_bytes > offchip.size()) {
      raise_of_memory(at, "SIM0006", "the program runs past the end of the off-chip memory", fmt::format("byte {}", at),
                      {fmt::format("bytes 0..{}", static_cast<int64_t>(offchip.size()) - 1)},
                      "end every block with block_end, the last one with last = 1");
    }
    last = acg::word_of_bytes(offchip.subspan(at, word_bytes));
    ++index;
    return last;
  }
};

FetchUnit::FetchUnit(const acg::Machine& machine)
    : machine_(machine), codec_(machine), engines_(acg::engines(machine)) {
  const std::optional<uint32_t> index = acg::instruction_edge(machine);
  check(index.has_value(), "a machine without instruction memory");
  const acg::Edge& edge = machine.edges[index.value()];
  const acg::Memory& from = acg::get(machine, std::get<acg::MemoryId>(edge.from));
  const acg::Memory& to = acg::get(machine, std::get<acg::MemoryId>(edge.to));
  latency_ = from.latency + edge.latency;
  word_bytes_ = machine.word_bytes();
  beat_bytes_ = edge.bandwidth / 8;
  depth_ = to.depth;
  edge_name_ = from.name + "->" + to.name;
}

const acg::Instruction& FetchUnit::decode(const acg::InstructionWord& bits) {
  if (const auto known = decoded_.find(bits); known != decoded_.end()) return known->second;
  const auto decoded = codec_.decode(bits);
  if (!decoded) {
    const Diagnostic& why = decoded.error();
    raise("SIM0001", fmt::format("the word does not decode: {} ({})", why.message, why.code),
          fmt::format("0x{}{}{}", hex(bits, machine_.word_bits), why.offending.empty() ? "" : ", ", why.offending),
          why.allowed, "compile the model again for this machine");
  }
  return decoded_.emplace(bits, decoded->instruction).first->second;
}

void FetchUnit::check_owner(const acg::Engine& engine, const Word& word) const {
  const acg::OperationInfo& operation = acg::info(word.instruction.operation);
  const bool fits =
      operation.unit == acg::UnitKind::kSequencer || unit_row(engine.unit).takes(machine_, engine, operation.operation);
  if (fits) return;
  raise("SIM0005", fmt::format("{} cannot do {}", engine.name, acg::qualified_name(operation.operation)),
        codec_.disassemble(word.bits), {fmt::format("operations of {} and sequencer", name_of(engine.unit))},
        "put the word into the group of an engine of that unit");
}

FetchedGroup FetchUnit::fetch_group(Cursor& cursor, const Word& header) {
  FetchedGroup group;
  group.engine = operand::unsigned_value(header.instruction, operand::kGroupEngine);
  group.header = cursor.index - 1;
  group.header_bits = header.bits;
  const uint32_t count = operand::unsigned_value(header.instruction, operand::kGroupCount);
  if (count == 0 || count > depth_) {
    raise("SIM0003", "a group is empty or does not fit the instruction memory", fmt::format("{} words", count),
          {fmt::format("1..{} words", depth_)}, "cut the layer into more blocks, or enlarge the instruction memory");
  }
  group.words.reserve(count);
  for (uint32_t k = 0; k < count; ++k) {
    const acg::InstructionWord bits = cursor.next();
    try {
      group.words.push_back({bits, decode(bits)});
      check_owner(engines_.at(group.engine), group.words.back());
    } catch (Failure& failure) {
      throw PlacedFailure{{std::move(failure.diagnostic)}, group.engine, {}};
    }
  }
  return group;
}

FetchedBlock FetchUnit::fetch(std::span<const uint8_t> offchip, uint64_t address, const std::string& subject) {
  FetchedBlock block;
  block.address = address;
  Cursor cursor{offchip, address, word_bytes_, 0, {}};
  try {
    while (true) {
      const acg::InstructionWord bits = cursor.next();
      const Word header{bits, decode(bits)};
      if (header.instruction.operation == acg::Operation::kBlockEnd) {
        block.end_bits = bits;
        block.is_last = header.instruction.operands[operand::kBlockEndLast] != 0;
        block.words = cursor.index;
        words_read_ = cursor.index;
        return block;
      }
      if (header.instruction.operation != acg::Operation::kGroup) {
        raise("SIM0002", "the word stands where a group or the end of the block should be", codec_.disassemble(bits),
              {"group", "block_end"}, "check the word counts of the groups before it");
      }
      const uint32_t engine = operand::unsigned_value(header.instruction, operand::kGroupEngine);
      if (std::any_of(block.groups.begin(), block.groups.end(),
                      [engine](const FetchedGroup& g) { return g.engine == engine; })) {
        raise("SIM0004", "a second group for the same engine in one block", engines_.at(engine).name, {},
              "put all words of an engine into one group");
      }
      block.groups.push_back(fetch_group(cursor, header));
    }
  } catch (Failure& failure) {
    words_read_ = cursor.index;
    failure.diagnostic.subject =
        fmt::format("{}, fetch unit, word {}", subject, cursor.index == 0 ? 0 : cursor.index - 1);
    if (failure.diagnostic.code != "SIM0006") {
      failure.diagnostic.subject += fmt::format(" ({})", codec_.disassemble(cursor.last));
    }
    throw;
  }
}

bool FetchUnit::has_come(Scan& scan, std::span<const uint8_t> offchip, uint64_t end) {
  while (scan.header + word_bytes_ <= end) {
    if (end > offchip.size()) return true;
    if (!goes_on(scan, acg::word_of_bytes(offchip.subspan(scan.header, word_bytes_)))) return true;
  }
  return false;
}

/// True if the block does not end with `header`, the word at `scan.header`; the scan is past its group then.
bool FetchUnit::goes_on(Scan& scan, const acg::InstructionWord& header) {
  const auto decoded = codec_.decode(header);
  if (!decoded || decoded->instruction.operation != acg::Operation::kGroup) return false;
  const uint32_t engine = operand::unsigned_value(decoded->instruction, operand::kGroupEngine);
  const uint32_t count = operand::unsigned_value(decoded->instruction, operand::kGroupCount);
  scan.is_seen.resize(engines_.size());
  if (engine >= engines_.size() || scan.is_seen[engine] || count == 0 || count > depth_) return false;
  scan.is_seen[engine] = true;
  scan.header += (1 + count) * word_bytes_;
  return true;
}

uint64_t FetchUnit::address_after(const FetchedBlock& block) const {
  return block.address + round_up(block.words * word_bytes_, std::lcm(word_bytes_, beat_bytes_));
}

uint64_t FetchUnit::largest_block_bytes() const { return (engines_.size() * (depth_ + 1) + 1) * word_bytes_; }

}  // namespace covenant::sim
