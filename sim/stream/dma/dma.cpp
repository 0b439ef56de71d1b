#include "sim/stream/dma/dma.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <memory>
#include <string_view>

#include "acg/isa/word_limits.h"
#include "sim/common/fault.h"
#include "sim/stream/common/value_queue.h"
#include "sim/stream/dma/operands.h"

namespace covenant::sim {
namespace {

using acg::Operation;

constexpr size_t kOnchip = 0;
constexpr std::array<std::string_view, 1> kCounted{"onchip"};

bool moves(Operation operation) { return operation == Operation::kLoad || operation == Operation::kStore; }

/// An edge moves tiles in one direction.
bool takes(const acg::Machine& machine, const acg::Engine& engine, Operation operation) {
  const acg::UnitKind unit = acg::info(operation).unit;
  if (!moves(operation)) return unit == acg::UnitKind::kDma || unit == acg::UnitKind::kAddressGenerator;
  const bool loads = acg::transfer_ends(machine, machine.edges[engine.edge.value()]).value().loads;
  return loads == (operation == Operation::kLoad);
}

std::unique_ptr<Unit> make(const acg::Machine& machine, const acg::Engine& engine) {
  return std::make_unique<Dma>(machine, engine.edge.value());
}

}  // namespace

constinit const UnitRow kDmaRow{
    .kind = acg::UnitKind::kDma, .make = &make, .takes = &takes, .uses_port = &moves, .operands = kCounted};

Dma::Dma(const acg::Machine& machine, uint32_t edge) : ends_(acg::transfer_ends(machine, machine.edges[edge]).value()) {
  const acg::Edge& e = machine.edges[edge];
  beat_bytes_ = e.bandwidth / 8;
  beat_shift_ = std::has_single_bit(beat_bytes_) ? static_cast<uint32_t>(std::countr_zero(beat_bytes_)) : 0;
  depth_ = acg::get(machine, ends_.far).latency + e.latency + 2;
  generator_.set_channels(acg::AddressOperand::kOnchip, acg::get(machine, ends_.near).channels);
  if (!ends_.has_offchip) {
    generator_.set_channels(acg::AddressOperand::kOffchip, acg::get(machine, ends_.far).channels);
  }
  const acg::WordParts parts = acg::word_parts(machine);
  generator_.set_part_bits(parts.base.bits, parts.stride.bits);
  fill_bytes_ = acg::fill_bytes(machine);
}

void Dma::clear() {
  generator_.clear();
  limits_.fill(0);
  fill_ = 0;
}

CommandTiming Dma::execute(const acg::Instruction& word, const Sequencer& sequencer, CommandContext& context) {
  if (moves(word.operation)) return transfer(word, sequencer, context);
  if (word.operation == Operation::kLimit) {
    set_limit(word);
  } else if (word.operation == Operation::kFill) {
    set_fill(word);
  } else {
    generator_.configure(word);
  }
  return {};
}

void Dma::set_limit(const acg::Instruction& word) {
  limits_[operand::unsigned_value(word, operand::kLimitAxis)] = operand::count_value(word, operand::kLimitValue);
}

void Dma::set_fill(const acg::Instruction& word) { fill_ = operand::unsigned_value(word, operand::kFillValue); }

Inside Dma::inside(uint32_t origin, acg::Axis axis, uint32_t count) const {
  const uint32_t limit = limits_[static_cast<size_t>(axis)];
  if (limit == 0) return {0, count};
  // origin + index wraps at 32 bits: a negative origin enters the limits at index -origin.
  const uint32_t first = origin < limit ? 0 : std::min(count, 0U - origin);
  const uint32_t left = origin < limit ? limit - origin : limit;
  return {first, std::min(count, first + std::min(left, count))};
}

uint64_t Dma::beats(uint64_t address, uint64_t bytes) const {
  const uint64_t last = address + bytes - 1;
  if (beat_shift_ > 0) return (last >> beat_shift_) - (address >> beat_shift_) + 1;
  return last / beat_bytes_ - address / beat_bytes_ + 1;
}

CommandTiming Dma::transfer(const acg::Instruction& word, const Sequencer& sequencer, CommandContext& context) {
  TileTransfer t;
  t.loads = ends_.loads;
  t.fill = std::bit_cast<std::array<uint8_t, 4>>(fill_);
  t.fill_bytes = fill_bytes_;
  t.run_bytes = operand::count_value(word, operand::kRunLast) + 1ULL;
  const uint64_t fewest_beats = (t.run_bytes - 1) / beat_bytes_ + 1;
  // Every run takes at least this many beats: refuse a transfer that is too long before walking it.
  require_cycles(saturating_product(generator_.inner_iterations(), fewest_beats), context);
  std::array<NestLevel, acg::kTransferLoops> nest;
  for (size_t k = 0; k < acg::kTransferLoops; ++k) {
    t.counts[k] = generator_.inner_count(k);
    t.far_strides[k] = generator_.inner_stride(acg::AddressOperand::kOffchip, k);
    nest[k] = {t.counts[k], generator_.inner_stride(acg::AddressOperand::kOnchip, k)};
  }
  const auto& tile = sequencer.indices();
  const Region near = place_in_buffer(context, ends_.near.value, generator_.slot(acg::AddressOperand::kOnchip),
                                      generator_.tile_address(acg::AddressOperand::kOnchip, tile), nest, t.run_bytes,
                                      "the on-chip tile");
  const auto unit = static_cast<int64_t>(acg::get(context.machine, ends_.near).unit_bytes());
  for (size_t k = 0; k < acg::kTransferLoops; ++k) t.near_strides[k] = nest[k].stride * unit;
  t.near = near.start;
  place_far(t, sequencer, context);
  t.rows = inside(generator_.tile_address(acg::AddressOperand::kRow, tile), acg::Axis::kRow, t.counts[1]);
  t.columns = inside(generator_.tile_address(acg::AddressOperand::kColumn, tile), acg::Axis::kColumn, t.counts[2]);

  const Region far = far_region(t, context);
  const uint64_t runs_inside = t.inside_runs();
  const uint64_t runs_outside = generator_.inner_iterations() - runs_inside;
  const uint64_t asked = inside_beats(t);
  const uint64_t cycles = asked + runs_outside * fewest_beats;
  require_cycles(cycles, context);
  t.far_memory = context.image.writable(ends_.far.value).data();
  t.near_memory = context.image.writable(ends_.near.value).data();
  if (context.values != nullptr) context.values->run(t);
  context.accesses.push_back({near, ends_.loads});
  context.accesses.push_back({far, !ends_.loads});
  const Region& written = ends_.loads ? near : far;
  if (context.keeps) kept_ = {t, written};
  tally(t, runs_inside, cycles, context);
  if (ends_.has_offchip) context.tally.asked_beats += asked;
  CommandTiming timing{cycles, cycles - 1 + depth_, cycles, 0};
  if (context.digests) timing.digest = digest_of(written, context.image.bytes(written.memory));
  return timing;
}

/// Locates the far end.
void Dma::place_far(TileTransfer& t, const Sequencer& sequencer, const CommandContext& context) const {
  t.far = generator_.tile_address(acg::AddressOperand::kOffchip, sequencer.indices());
  if (ends_.has_offchip) return;
  t.far_buffer = context.buffer_start(ends_.far.value, generator_.slot(acg::AddressOperand::kOffchip));
}

/// Counts what a transfer of `cycles` beats has done.
void Dma::tally(const TileTransfer& t, uint64_t runs_inside, uint64_t cycles, CommandContext& context) const {
  const uint64_t runs = generator_.inner_iterations();
  const auto units_of = [&](acg::MemoryId memory) {
    const uint64_t unit = acg::get(context.machine, memory).unit_bytes();
    return runs * ((t.run_bytes + unit - 1) / unit);
  };
  Tally& tally = context.tally;
  const uint64_t near_units = units_of(ends_.near);
  tally.count(ends_.near.value, kOnchip, ends_.loads ? 0 : near_units, ends_.loads ? near_units : 0);
  if (ends_.has_offchip) {
    (ends_.loads ? tally.offchip_bytes_read : tally.offchip_bytes_written) += runs_inside * t.run_bytes;
  } else {
    tally.count(ends_.far.value, kOnchip, units_of(ends_.far), 0);
  }
  tally.bytes_filled += (runs - runs_inside) * t.run_bytes;
  tally.offchip_beats += cycles;
}

/// The far bytes of the runs inside of the limits. Faults: SIM0030, SIM0031 (a run is not within the memory, or within
/// the buffer of a scratchpad).
///
/// Addresses are 32 bits and wrap, and memories have less than 2^31 bytes: between two runs within the memory no step
/// has wrapped. All runs are therefore inside if and only if the first and the last byte of the region are.
Region Dma::far_region(const TileTransfer& t, const CommandContext& context) const {
  if (t.rows.first >= t.rows.end || t.columns.first >= t.columns.end) return {};
  const uint32_t start = t.address(0, t.rows.first, t.columns.first);
  int64_t lowest = start;
  int64_t highest = int64_t{start} + static_cast<int64_t>(t.run_bytes);
  const std::array<uint32_t, acg::kTransferLoops> counts{t.counts[0], t.rows.count(), t.columns.count()};
  for (size_t k = 0; k < acg::kTransferLoops; ++k) {
    const int64_t extent = int64_t{counts[k] - 1} * t.far_strides[k];
    (extent > 0 ? highest : lowest) += extent;
  }
  const uint64_t bytes = ends_.has_offchip ? context.image.bytes(ends_.far.value).size()
                                           : acg::get(context.machine, ends_.far).buffer_bytes();
  if (lowest < 0 || highest > static_cast<int64_t>(bytes)) raise_far(t, bytes);
  Region region(ends_.far.value, t.far_buffer + start, t.run_bytes);
  for (size_t k = 0; k < acg::kTransferLoops; ++k) region.add_level(counts[k], t.far_strides[k]);
  return region;
}

/// Names the first run, in their order, that is inside of the limits and not within the far end's `bytes`.
void Dma::raise_far(const TileTransfer& t, uint64_t bytes) const {
  for (uint32_t plane = 0; plane < t.counts[0]; ++plane) {
    for (uint32_t row = t.rows.first; row < t.rows.end; ++row) {
      for (uint32_t column = t.columns.first; column < t.columns.end; ++column) {
        const uint32_t address = t.address(plane, row, column);
        if (address + t.run_bytes <= bytes) continue;
        const std::string offending = fmt::format("bytes {}..{}", address, address + t.run_bytes - 1);
        const std::string allowed = fmt::format("bytes 0..{}", static_cast<int64_t>(bytes) - 1);
        const char* const fix = "check the off-chip base address, the strides and the limits";
        if (!ends_.has_offchip) {
          raise("SIM0030", "a transfer reads past the end of a scratchpad's buffer", offending, {allowed}, fix);
        }
        raise_of_memory(address / beat_bytes_ * beat_bytes_, "SIM0031",
                        "a transfer runs past the end of the off-chip memory", offending, {allowed}, fix);
      }
    }
  }
  fail("a transfer leaves the far memory, and none of its runs does");
}

/// Beats of the runs that are inside.
uint64_t Dma::inside_beats(const TileTransfer& t) const {
  const auto beat = static_cast<int64_t>(beat_bytes_);
  bool alike = true;  // every run has the same alignment to beats as the first one
  for (size_t k = 0; k < acg::kTransferLoops; ++k) alike = alike && (t.counts[k] == 1 || t.far_strides[k] % beat == 0);
  if (alike) return t.inside_runs() * beats(t.address(0, t.rows.first, t.columns.first), t.run_bytes);
  uint64_t cycles = 0;
  for (uint32_t plane = 0; plane < t.counts[0]; ++plane) {
    for (uint32_t row = t.rows.first; row < t.rows.end; ++row) {
      uint32_t address = t.address(plane, row, t.columns.first);
      for (uint32_t column = t.columns.first; column < t.columns.end; ++column) {
        cycles += beats(address, t.run_bytes);
        address += static_cast<uint32_t>(t.far_strides[2]);
      }
    }
  }
  return cycles;
}

}  // namespace covenant::sim
