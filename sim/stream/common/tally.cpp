#include "sim/stream/common/tally.h"

namespace covenant::sim {

void Tally::count(uint32_t memory, size_t operand, uint64_t reads, uint64_t writes) {
  for (OperandAccesses& entry : accesses) {
    if (entry.memory != memory || entry.operand != operand) continue;
    entry.reads += reads;
    entry.writes += writes;
    return;
  }
  accesses.push_back({memory, operand, reads, writes});
}

void Tally::add(const Tally& other) {
  for (const OperandAccesses& entry : other.accesses) count(entry.memory, entry.operand, entry.reads, entry.writes);
  offchip_bytes_read += other.offchip_bytes_read;
  offchip_bytes_written += other.offchip_bytes_written;
  offchip_beats += other.offchip_beats;
  asked_beats += other.asked_beats;
  bytes_filled += other.bytes_filled;
  for (size_t k = 0; k < words.size(); ++k) {
    words[k] += other.words[k];
    operations[k] += other.operations[k];
    in_f32[k] += other.in_f32[k];
  }
}

}  // namespace covenant::sim
