#include "compiler/families/vliw/prefetches.h"

#include <algorithm>
#include <optional>

#include "acg/base/rounding.h"
#include "acg/graph/queries.h"
#include "compiler/families/vliw/caches.h"

namespace covenant::compiler::vliw {
namespace {

using acg::RegisterFile;
using acg::VliwOperation;

// Least bytes worth a prefetch instruction, bytes that are always worth one, and bytes of the longest row to prefetch.
constexpr int64_t kLeast = 128, kEnough = 1024, kLongestRow = 16384;
// Instructions that run until prefetched data has arrived.
constexpr uint64_t kOnItsWay = 512;

bool does_prefetch(const acg::Machine& machine) {
  return std::any_of(machine.mnemonics.begin(), machine.mnemonics.end(), [](const acg::Mnemonic& mnemonic) {
    return mnemonic.does == operation_of(VliwOperation::kY5L2fetch);
  });
}

/// The cache next to off-chip memory.
const acg::Memory* last_cache(const acg::Machine& machine) {
  const std::optional<acg::MemoryId> words = scalar_registers(machine);
  const std::vector<acg::MemoryId> caches = words ? caches_of(machine, *words) : std::vector<acg::MemoryId>{};
  return caches.empty() ? nullptr : &acg::get(machine, caches.back());
}

int64_t prefetched_cache_bytes(const acg::Machine& machine) {
  const acg::Memory* const cache = does_prefetch(machine) ? last_cache(machine) : nullptr;
  return cache == nullptr ? 0 : static_cast<int64_t>(cache->buffer_bytes());
}

/// Trips until data that one of them prefetches has arrived.
int64_t trips_ahead(const std::vector<CodeStep>& body) {
  return static_cast<int64_t>(ceil_divide(kOnItsWay, std::max<uint64_t>(1, instructions_that_run(body))));
}

/// Rows whose numbers fit half words. Others are prefetched from the first to the last byte.
ReadRows as_asked_for(const ReadRows& rows) {
  if (rows.height > 1 && rows.width <= kLongestRow && rows.stride <= UINT16_MAX) return rows;
  const int64_t bytes = rows.stride * (rows.height - 1) + rows.width, width = std::min(bytes, kLongestRow);
  return {rows.begin, width, ceil_divide(bytes, width), width};
}

}  // namespace

int64_t last_line_bytes(const acg::Machine& machine) {
  const acg::Memory* const cache = last_cache(machine);
  return cache == nullptr ? 1 : std::max<int64_t>(1, static_cast<int64_t>(cache->element_bits() / 8));
}

Prefetches::Prefetches(const acg::Machine& machine, Writer& writer, Addresses& addresses)
    : writer_(writer), addresses_(addresses), cache_bytes_(prefetched_cache_bytes(machine)) {}

void Prefetches::write(int64_t trips, std::vector<CodeStep>& body, std::vector<CodeStep>& before) {
  std::vector<CodeStep> each;
  const Addresses::Asking asking{kLeast, kEnough, cache_bytes_ / 2, std::min(trips, trips_ahead(body))};
  for (const Addresses::Block& read : addresses_.blocks(asking)) {
    // Data that passes through the cache meanwhile would evict what is prefetched a trip ahead.
    const bool is_kept = read.rows.bytes() + read.beside <= asking.kept;
    if (read.step == 0 || is_kept) ask_for(read.pointer, read.first, before);
    if (read.step != 0) ask_for(read.pointer, read.rows.moved(is_kept ? asking.ahead * read.step : 0), each);
  }
  body.insert(body.begin(), each.begin(), each.end());
}

void Prefetches::ask_for(Name pointer, const ReadRows& read, std::vector<CodeStep>& to) {
  const ReadRows rows = as_asked_for(read);
  if (cache_bytes_ == 0 || read.bytes() < kLeast || rows.height > INT16_MAX) return;
  const Name address = writer_.make(RegisterFile::kScalar), shape = writer_.make(RegisterFile::kScalar, true);
  writer_.add(to, VliwOperation::kA2Addi, {address, pointer, static_cast<int32_t>(rows.begin)});
  writer_.add(to, VliwOperation::kA2Tfrsi, {shape, static_cast<int32_t>(rows.width << 16 | rows.height)});
  writer_.add(to, VliwOperation::kA2Tfrsi, {Name{shape.number, true}, static_cast<int32_t>(rows.stride)});
  writer_.add(to, VliwOperation::kY5L2fetch, {address, shape});
}

}  // namespace covenant::compiler::vliw
