#include "sim/units/dma.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>

#include "acg/isa/word_limits.h"
#include "sim/units/fault.h"
#include "sim/units/operands.h"

namespace covenant::sim {

/// One load or store with its addresses resolved.
struct Dma::Transfer {
  std::array<uint32_t, acg::kTransferLoops> counts{};
  std::array<int32_t, acg::kTransferLoops> far_strides{};   ///< bytes
  uint32_t far = 0;                                         ///< byte of the memory; of a scratchpad: of a buffer
  uint64_t far_buffer = 0;                                  ///< byte at which that begins
  uint64_t near = 0;                                        ///< byte of the whole memory
  std::array<int64_t, acg::kTransferLoops> near_strides{};  ///< bytes
  uint64_t run_bytes = 0;
  Inside rows;
  Inside columns;
};

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
}

void Dma::clear() {
  generator_.clear();
  limits_.fill(0);
  fill_ = 0;
}

void Dma::set_limit(const acg::Instruction& word) {
  limits_[operand::unsigned_value(word, operand::kLimitAxis)] = operand::count_value(word, operand::kLimitValue);
}

void Dma::set_fill(const acg::Instruction& word) { fill_ = static_cast<uint8_t>(word.operands[operand::kFillValue]); }

Dma::Inside Dma::inside(uint32_t origin, acg::Axis axis, uint32_t count) const {
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
  Transfer t;
  t.run_bytes = operand::count_value(word, operand::kRunLast) + 1ULL;
  // Every run costs a beat or more, whatever its address: refuse what is too long before walking it.
  require_cycles(saturating_product(generator_.inner_iterations(), (t.run_bytes - 1) / beat_bytes_ + 1), context);
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

  const uint64_t cycles = run_all(t, context);
  require_cycles(cycles, context);
  const Region far = far_region(t);
  context.accesses.push_back({near, ends_.loads});
  context.accesses.push_back({far, !ends_.loads});
  const Region& written = ends_.loads ? near : far;
  tally(t, cycles, context);
  CommandTiming timing{cycles, cycles - 1 + depth_, cycles, 0};
  if (context.digests) timing.digest = digest_of(written, context.image.bytes(written.memory));
  return timing;
}

/// Where the far end begins.
void Dma::place_far(Transfer& t, const Sequencer& sequencer, const CommandContext& context) const {
  t.far = generator_.tile_address(acg::AddressOperand::kOffchip, sequencer.indices());
  if (ends_.has_offchip) return;
  t.far_buffer = context.buffer_start(ends_.far.value, generator_.slot(acg::AddressOperand::kOffchip));
}

/// Counts what a transfer of `cycles` beats has done.
void Dma::tally(const Transfer& t, uint64_t cycles, CommandContext& context) const {
  const uint64_t runs = generator_.inner_iterations();
  const auto units_of = [&](acg::MemoryId memory) {
    const uint64_t unit = acg::get(context.machine, memory).unit_bytes();
    return runs * ((t.run_bytes + unit - 1) / unit);
  };
  const uint64_t near_units = units_of(ends_.near);
  context.tally.count(ends_.near.value, CountedOperand::kOnchip, ends_.loads ? 0 : near_units,
                      ends_.loads ? near_units : 0);
  if (!ends_.has_offchip) {
    context.tally.count(ends_.far.value, CountedOperand::kOnchip, units_of(ends_.far), 0);
  }
  context.tally.offchip_beats += cycles;
}

/// A run of a transfer that is inside of the limits lies in the memory, or in the buffer of a scratchpad.
void Dma::check_far(const Transfer& t, uint32_t address, std::span<const uint8_t> far) const {
  if (address + t.run_bytes <= far.size()) return;
  raise(ends_.has_offchip ? "SIM0031" : "SIM0030",
        ends_.has_offchip ? "a transfer runs past the end of the off-chip memory"
                          : "a transfer reads past the end of a scratchpad's buffer",
        fmt::format("bytes {}..{}", address, address + t.run_bytes - 1),
        {fmt::format("bytes 0..{}", static_cast<int64_t>(far.size()) - 1)},
        "check the off-chip base address, the strides and the limits");
}

/// Walks the runs in order: checks the far addresses, moves the bytes, returns the beats.
uint64_t Dma::run_all(const Transfer& t, CommandContext& context) const {
  std::span<uint8_t> far = context.image.bytes(ends_.far.value);
  if (!ends_.has_offchip) far = far.subspan(t.far_buffer, acg::get(context.machine, ends_.far).buffer_bytes());
  const std::span<uint8_t> near = context.image.bytes(ends_.near.value);
  const uint64_t outside_beats = (t.run_bytes + beat_bytes_ - 1) / beat_bytes_;
  uint64_t cycles = 0;
  uint64_t moved = 0;
  uint64_t filled = 0;
  for (uint32_t plane = 0; plane < t.counts[0]; ++plane) {
    for (uint32_t row = 0; row < t.counts[1]; ++row) {
      uint32_t address =
          t.far + plane * static_cast<uint32_t>(t.far_strides[0]) + row * static_cast<uint32_t>(t.far_strides[1]);
      int64_t local = static_cast<int64_t>(t.near) + plane * t.near_strides[0] + row * t.near_strides[1];
      for (uint32_t column = 0; column < t.counts[2]; ++column) {
        if (t.rows.holds(row) && t.columns.holds(column)) {
          check_far(t, address, far);
          cycles += beats(address, t.run_bytes);
          moved += t.run_bytes;
          if (context.values) {
            uint8_t* to = ends_.loads ? near.data() + local : far.data() + address;
            const uint8_t* from = ends_.loads ? far.data() + address : near.data() + local;
            std::memcpy(to, from, t.run_bytes);
          }
        } else {
          cycles += outside_beats;
          filled += t.run_bytes;
          if (context.values && ends_.loads) std::memset(near.data() + local, fill_, t.run_bytes);
        }
        address += static_cast<uint32_t>(t.far_strides[2]);
        local += t.near_strides[2];
      }
    }
  }
  if (ends_.has_offchip) {
    (ends_.loads ? context.tally.offchip_bytes_read : context.tally.offchip_bytes_written) += moved;
  }
  context.tally.bytes_filled += filled;
  return cycles;
}

/// The far bytes of the runs that are inside. Each address has been found to be within the memory, which has less
/// than 2^31 bytes, so no step between two of them can have wrapped.
Region Dma::far_region(const Transfer& t) const {
  if (t.rows.first >= t.rows.end || t.columns.first >= t.columns.end) return {};
  const uint32_t start = t.far + t.rows.first * static_cast<uint32_t>(t.far_strides[1]) +
                         t.columns.first * static_cast<uint32_t>(t.far_strides[2]);
  Region region(ends_.far.value, t.far_buffer + start, t.run_bytes);
  region.add_level(t.counts[0], t.far_strides[0]);
  region.add_level(t.rows.end - t.rows.first, t.far_strides[1]);
  region.add_level(t.columns.end - t.columns.first, t.far_strides[2]);
  return region;
}

}  // namespace covenant::sim
