/// The interface of the units of stream machines: each kind is a folder beside this one and a row of
/// `sim/stream/units.cpp`.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "acg/graph/graph.h"
#include "acg/operations/operation.h"
#include "sim/stats/statistics.h"
#include "sim/stream/common/command.h"
#include "sim/stream/common/region.h"
#include "sim/stream/common/sequencer.h"
#include "sim/stream/common/tile_transfer.h"

namespace covenant::sim {

/// A tile transfer that its caller carries out, and the region that it writes.
struct KeptTransfer {
  TileTransfer transfer;
  Region written;
};

/// The unit of one engine: the state that its words set, their values and their cycles.
class Unit {
 public:
  Unit() = default;
  Unit(const Unit&) = delete;
  Unit& operator=(const Unit&) = delete;
  virtual ~Unit() = default;

  /// Start of a block: as at the start of the run.
  virtual void clear() = 0;
  /// Cycles from the last cycle of work to the first one in which its effect is visible.
  virtual uint64_t depth() const = 0;
  /// Executes one word that the row takes. It appends the accesses of the word to `context`, adds its counts, and hands
  /// its values over. Faults: those on the page of the kind.
  virtual CommandTiming execute(const acg::Instruction& word, const Sequencer& sequencer, CommandContext& context) = 0;
  /// The last transfer that was to be kept (CommandContext::keeps). InternalError for units that transfer nothing.
  virtual const KeptTransfer& kept() const;
};

/// A unit kind: how its units are made, and the questions that are asked without one.
struct UnitRow {
  acg::UnitKind kind;
  /// Precondition: the engine is of this kind, and its node has all attributes of it.
  std::unique_ptr<Unit> (*make)(const acg::Machine& machine, const acg::Engine& engine);
  /// True if the engine has such words in its group, those of its sequencer aside.
  bool (*takes)(const acg::Machine& machine, const acg::Engine& engine, acg::Operation operation);
  /// True for words of this kind that use the port of the unit; others only configure it.
  bool (*uses_port)(acg::Operation operation);
  /// A word that uses the port retires before the next word is accepted.
  bool drains = false;
  /// The work of a layer that an engine of this kind is measured by, and how much of it one does in a cycle; null:
  /// none.
  uint64_t BlockStatistics::* work = nullptr;
  uint64_t (*work_per_cycle)(const acg::Machine& machine, const acg::Engine& engine) = nullptr;
  /// Names of the operands whose accesses are counted, by OperandAccesses::operand.
  std::span<const std::string_view> operands;
};

}  // namespace covenant::sim
