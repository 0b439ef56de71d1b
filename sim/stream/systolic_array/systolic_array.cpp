#include "sim/stream/systolic_array/systolic_array.h"

#include <fmt/format.h>
#include <memory>
#include <span>
#include <string_view>

#include "acg/graph/numerics.h"
#include "acg/graph/queries.h"
#include "acg/isa/word_limits.h"
#include "sim/common/fault.h"
#include "sim/stream/common/value_queue.h"
#include "sim/stream/systolic_array/operands.h"

namespace covenant::sim {

namespace {

using acg::Operation;

constexpr std::array<std::string_view, 4> kRoles{"input", "weight", "bias", "output"};  // by AddressOperand

bool multiplies(Operation operation) { return operation == Operation::kGemm; }

bool takes(const acg::Machine& /*machine*/, const acg::Engine& /*engine*/, Operation operation) {
  const acg::UnitKind unit = acg::info(operation).unit;
  return unit == acg::UnitKind::kSystolicArray || unit == acg::UnitKind::kAddressGenerator;
}

std::unique_ptr<Unit> make(const acg::Machine& machine, const acg::Engine& engine) {
  return std::make_unique<SystolicArray>(machine, acg::get(machine, engine.compute.value()));
}

uint64_t products_per_cycle(const acg::Machine& machine, const acg::Engine& engine) {
  const acg::Compute& array = acg::get(machine, engine.compute.value());
  return static_cast<uint64_t>(acg::integer_attribute(array, "rows") * acg::integer_attribute(array, "columns"));
}

/// Vectors of sums are identical or do not overlap: a column accumulator sees only its own sums.
void require_aligned(uint32_t start, std::span<const NestLevel> nest, uint64_t vector_units, std::string_view operand) {
  const auto units = static_cast<int64_t>(vector_units);
  bool aligned = start % units == 0;
  for (const NestLevel& level : nest) aligned = aligned && (level.count == 1 || level.stride % units == 0);
  if (aligned) return;
  raise("SIM0042", fmt::format("a vector of {} does not start on a multiple of its own size", operand),
        fmt::format("unit {}", start), {fmt::format("bases and strides that are multiples of {} units", units)},
        "align the tile");
}

}  // namespace

constinit const UnitRow kSystolicArrayRow{.kind = acg::UnitKind::kSystolicArray,
                                          .make = &make,
                                          .takes = &takes,
                                          .uses_port = &multiplies,
                                          .work = &BlockStatistics::macs,
                                          .work_per_cycle = &products_per_cycle,
                                          .operands = kRoles};

SystolicArray::SystolicArray(const acg::Machine& machine, const acg::Compute& compute)
    : rows_(static_cast<uint32_t>(acg::integer_attribute(compute, "rows"))),
      columns_(static_cast<uint32_t>(acg::integer_attribute(compute, "columns"))),
      input_bits_(acg::gemm_bits(machine, compute, 0)),
      weight_bits_(acg::gemm_bits(machine, compute, 1)),
      accumulator_bits_(acg::accumulator_bits(compute)),
      saturates_(acg::saturates(compute)),
      memories_{} {
  for (size_t k = 0; k < kRoles.size(); ++k) {
    memories_[k] = acg::role(machine, compute, kRoles[k]).value;
    generator_.set_channels(static_cast<acg::AddressOperand>(k), machine.memories[memories_[k]].channels);
  }
  const acg::WordParts parts = acg::word_parts(machine);
  generator_.set_part_bits(parts.base.bits, parts.stride.bits);
}

Region SystolicArray::place(acg::AddressOperand operand, const Sequencer& sequencer, const CommandContext& context,
                            bool first_steps_only) const {
  const auto role = static_cast<size_t>(operand);
  std::array<NestLevel, acg::kPassLoops> nest;
  for (size_t k = 0; k < acg::kPassLoops; ++k) {
    const bool stays = first_steps_only && generator_.inner_reduction(k);
    nest[k] = {stays ? 1 : generator_.inner_count(k), generator_.inner_stride(operand, k)};
  }
  const uint64_t bytes = operand == acg::AddressOperand::kInput    ? uint64_t{rows_} * input_bits_ / 8
                         : operand == acg::AddressOperand::kWeight ? uint64_t{rows_} * columns_ * weight_bits_ / 8
                                                                   : uint64_t{4} * columns_;
  if (operand == acg::AddressOperand::kBias || operand == acg::AddressOperand::kOutput) {
    const acg::Memory& memory = context.machine.memories[memories_[role]];
    require_aligned(generator_.tile_address(operand, sequencer.indices()), nest, bytes / memory.unit_bytes(),
                    kRoles[role]);
  }
  return place_in_buffer(context, memories_[role], generator_.slot(operand),
                         generator_.tile_address(operand, sequencer.indices()), nest, bytes, kRoles[role]);
}

uint64_t SystolicArray::first_steps() const {
  uint64_t steps = 1;
  for (size_t k = 0; k < acg::kPassLoops; ++k) {
    if (!generator_.inner_reduction(k)) steps *= generator_.inner_count(k);
  }
  return steps;
}

CommandTiming SystolicArray::execute(const acg::Instruction& word, const Sequencer& sequencer,
                                     CommandContext& context) {
  if (multiplies(word.operation)) return gemm(word, sequencer, context);
  generator_.configure(word);
  return {};
}

CommandTiming SystolicArray::gemm(const acg::Instruction& word, const Sequencer& sequencer, CommandContext& context) {
  const uint64_t steps = generator_.inner_iterations();
  require_cycles(steps, context);
  const bool tile_is_first = sequencer.at_first_reduction();
  std::array<Region, 4> regions;
  regions[0] = place(acg::AddressOperand::kInput, sequencer, context, false);
  regions[1] = place(acg::AddressOperand::kWeight, sequencer, context, false);
  if (tile_is_first) regions[2] = place(acg::AddressOperand::kBias, sequencer, context, true);
  regions[3] = place(acg::AddressOperand::kOutput, sequencer, context, false);

  const uint64_t firsts = tile_is_first ? first_steps() : 0;
  context.accesses.push_back({regions[0], false});
  context.accesses.push_back({regions[1], false});
  if (tile_is_first) context.accesses.push_back({regions[2], false});
  context.accesses.push_back({regions[3], true});
  context.tally.count(memories_[0], 0, steps, 0);
  context.tally.count(memories_[1], 1, steps, 0);
  context.tally.count(memories_[2], 2, firsts, 0);
  context.tally.count(memories_[3], 3, steps - firsts, steps);
  context.tally.operations[static_cast<size_t>(word.operation)] += steps * rows_ * columns_;

  CommandTiming timing{steps, steps - 1 + depth(), steps, 0};
  if (context.values != nullptr) run(word, tile_is_first, regions, context);
  if (context.digests) timing.digest = digest_of(regions[3], context.image.bytes(memories_[3]));
  return timing;
}

void SystolicArray::run(const acg::Instruction& word, bool tile_is_first, const std::array<Region, 4>& regions,
                        CommandContext& context) {
  SystolicPass pass;
  pass.rows = rows_;
  pass.columns = columns_;
  pass.elements = {input_bits_, weight_bits_};
  pass.accumulator_bits = accumulator_bits_;
  pass.saturates = saturates_;
  pass.is_unsigned = operand::unsigned_value(word, operand::kInputType) % 2 != 0;  // in pairs: I8, U8, I16, ...
  pass.tile_is_first = tile_is_first;
  for (size_t k = 0; k < acg::kPassLoops; ++k) {
    pass.counts[k] = generator_.inner_count(k);
    pass.is_reduction[k] = generator_.inner_reduction(k);
  }
  const std::array<PassOperand*, 4> operands{&pass.input, &pass.weight, &pass.bias, &pass.output};
  for (size_t role = 0; role < operands.size(); ++role) {
    operands[role]->start = context.image.writable(memories_[role]).data() + regions[role].start;
    const auto unit = static_cast<int64_t>(context.machine.memories[memories_[role]].unit_bytes());
    for (size_t k = 0; k < acg::kPassLoops; ++k) {
      operands[role]->strides[k] = generator_.inner_stride(static_cast<acg::AddressOperand>(role), k) * unit;
    }
    if (role < 3 && memories_[role] == memories_[3]) pass.output_is_apart = false;
  }
  context.values->run(PassValues{&runner_, pass});
}

}  // namespace covenant::sim
