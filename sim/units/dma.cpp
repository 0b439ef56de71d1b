#include "sim/units/dma.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>

#include "sim/units/fault.h"
#include "sim/units/operands.h"

namespace covenant::sim {

/// One load or store with its addresses resolved.
struct Dma::Transfer {
  std::array<uint32_t, acg::kTransferLoops> counts{};
  std::array<int32_t, acg::kTransferLoops> offchip_strides{};  ///< bytes
  uint32_t offchip = 0;
  uint64_t onchip = 0;                                        ///< byte of the whole memory
  std::array<int64_t, acg::kTransferLoops> onchip_strides{};  ///< bytes
  uint64_t run_bytes = 0;
  Inside rows;
  Inside columns;
};

Dma::Dma(const acg::Machine& machine, uint32_t edge) {
  const acg::Edge& e = machine.edges[edge];
  const uint32_t from = std::get<acg::MemoryId>(e.from).value;
  const uint32_t to = std::get<acg::MemoryId>(e.to).value;
  loads_ = machine.memories[from].kind == acg::MemoryKind::kOffchip;
  offchip_ = loads_ ? from : to;
  onchip_ = loads_ ? to : from;
  beat_bytes_ = e.bandwidth / 8;
  beat_shift_ = std::has_single_bit(beat_bytes_) ? static_cast<uint32_t>(std::countr_zero(beat_bytes_)) : 0;
  depth_ = machine.memories[offchip_].latency + 2;
  generator_.set_channels(acg::AddressOperand::kOnchip, machine.memories[onchip_].channels);
}

void Dma::clear() {
  generator_.clear();
  limits_.fill(0);
  fill_ = 0;
}

void Dma::set_limit(const acg::Instruction& word) {
  limits_[operand::unsigned_value(word, operand::kLimitAxis)] = operand::unsigned_value(word, operand::kLimitValue);
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
  t.run_bytes = operand::unsigned_value(word, operand::kRunLast) + 1ULL;
  // Every run costs a beat or more, whatever its address: refuse what is too long before walking it.
  require_cycles(saturating_product(generator_.inner_iterations(), (t.run_bytes - 1) / beat_bytes_ + 1), context);
  std::array<NestLevel, acg::kTransferLoops> nest;
  for (size_t k = 0; k < acg::kTransferLoops; ++k) {
    t.counts[k] = generator_.inner_count(k);
    t.offchip_strides[k] = generator_.inner_stride(acg::AddressOperand::kOffchip, k);
    nest[k] = {t.counts[k], generator_.inner_stride(acg::AddressOperand::kOnchip, k)};
  }
  const auto& tile = sequencer.indices();
  const Region onchip = place_in_buffer(context, onchip_, generator_.slot(acg::AddressOperand::kOnchip),
                                        generator_.tile_address(acg::AddressOperand::kOnchip, tile), nest, t.run_bytes,
                                        "the on-chip tile");
  const auto unit = static_cast<int64_t>(context.machine.memories[onchip_].unit_bytes());
  for (size_t k = 0; k < acg::kTransferLoops; ++k) t.onchip_strides[k] = nest[k].stride * unit;
  t.onchip = onchip.start;
  t.offchip = generator_.tile_address(acg::AddressOperand::kOffchip, tile);
  t.rows = inside(generator_.tile_address(acg::AddressOperand::kRow, tile), acg::Axis::kRow, t.counts[1]);
  t.columns = inside(generator_.tile_address(acg::AddressOperand::kColumn, tile), acg::Axis::kColumn, t.counts[2]);

  const uint64_t cycles = run_all(t, context);
  require_cycles(cycles, context);
  const Region offchip = offchip_region(t);
  context.accesses.push_back({onchip, loads_});
  context.accesses.push_back({offchip, !loads_});
  const Region& written = loads_ ? onchip : offchip;
  const uint64_t runs = generator_.inner_iterations();
  const uint64_t onchip_units = runs * ((t.run_bytes + static_cast<uint64_t>(unit) - 1) / static_cast<uint64_t>(unit));
  context.tally.count(onchip_, CountedOperand::kOnchip, loads_ ? 0 : onchip_units, loads_ ? onchip_units : 0);
  context.tally.offchip_beats += cycles;
  CommandTiming timing{cycles, cycles - 1 + depth_, cycles, 0};
  if (context.digests) timing.digest = digest_of(written, context.image.bytes(written.memory));
  return timing;
}

/// Walks the runs in order: checks the off-chip addresses, moves the bytes, returns the beats.
uint64_t Dma::run_all(const Transfer& t, CommandContext& context) const {
  const std::span<uint8_t> offchip = context.image.bytes(offchip_);
  const std::span<uint8_t> onchip = context.image.bytes(onchip_);
  const uint64_t outside_beats = (t.run_bytes + beat_bytes_ - 1) / beat_bytes_;
  uint64_t cycles = 0;
  uint64_t moved = 0;
  uint64_t filled = 0;
  for (uint32_t plane = 0; plane < t.counts[0]; ++plane) {
    for (uint32_t row = 0; row < t.counts[1]; ++row) {
      uint32_t address = t.offchip + plane * static_cast<uint32_t>(t.offchip_strides[0]) +
                         row * static_cast<uint32_t>(t.offchip_strides[1]);
      int64_t local = static_cast<int64_t>(t.onchip) + plane * t.onchip_strides[0] + row * t.onchip_strides[1];
      for (uint32_t column = 0; column < t.counts[2]; ++column) {
        if (t.rows.holds(row) && t.columns.holds(column)) {
          if (address + t.run_bytes > offchip.size()) {
            raise("SIM0031", "a transfer runs past the end of the off-chip memory",
                  fmt::format("bytes {}..{}", address, address + t.run_bytes - 1),
                  {fmt::format("bytes 0..{}", static_cast<int64_t>(offchip.size()) - 1)},
                  "check the off-chip base address, the strides and the limits");
          }
          cycles += beats(address, t.run_bytes);
          moved += t.run_bytes;
          if (context.values) {
            uint8_t* to = loads_ ? onchip.data() + local : offchip.data() + address;
            const uint8_t* from = loads_ ? offchip.data() + address : onchip.data() + local;
            std::memcpy(to, from, t.run_bytes);
          }
        } else {
          cycles += outside_beats;
          filled += t.run_bytes;
          if (context.values && loads_) std::memset(onchip.data() + local, fill_, t.run_bytes);
        }
        address += static_cast<uint32_t>(t.offchip_strides[2]);
        local += t.onchip_strides[2];
      }
    }
  }
  (loads_ ? context.tally.offchip_bytes_read : context.tally.offchip_bytes_written) += moved;
  context.tally.bytes_filled += filled;
  return cycles;
}

/// The off-chip bytes of the runs that are inside. Each address has been found to be within the memory, which has less
/// than 2^31 bytes, so no step between two of them can have wrapped.
Region Dma::offchip_region(const Transfer& t) const {
  if (t.rows.first >= t.rows.end || t.columns.first >= t.columns.end) return {};
  const uint32_t start = t.offchip + t.rows.first * static_cast<uint32_t>(t.offchip_strides[1]) +
                         t.columns.first * static_cast<uint32_t>(t.offchip_strides[2]);
  Region region(offchip_, start, t.run_bytes);
  region.add_level(t.counts[0], t.offchip_strides[0]);
  region.add_level(t.rows.end - t.rows.first, t.offchip_strides[1]);
  region.add_level(t.columns.end - t.columns.first, t.offchip_strides[2]);
  return region;
}

}  // namespace covenant::sim
