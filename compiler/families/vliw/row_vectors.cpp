#include "compiler/families/vliw/row_vectors.h"

#include <algorithm>

#include "compiler/codelet/local_layout.h"
#include "compiler/codelet/rewrite.h"

namespace covenant::compiler::vliw {
namespace {

using enum acg::VliwOperation;

constexpr int64_t kVectorBytes = 128;

}  // namespace

int64_t rows_before(const codelet::Reference& tile, int64_t rows) {
  if (rows == 1 || tile.indices.empty()) return 0;
  const codelet::Expression& index = tile.indices.end()[-2];
  const std::vector<codelet::Term>& terms = index.terms();
  const bool is_fixed = std::all_of(terms.begin(), terms.end(), [&](const codelet::Term& term) {
    return term.names.empty() || term.coefficient % rows == 0;
  });
  return is_fixed ? (index.offset() % rows + rows) % rows : 0;
}

RowVectors::RowVectors(Writer& writer, const codelet::Codelet& tiled, const std::map<std::string, DType>& dtypes,
                       const acg::Machine& machine)
    : writer_(writer) {
  for_each_operation(tiled.body, [&](const codelet::Operation& operation, const auto& /*loops*/) {
    const auto* compute = std::get_if<codelet::Compute>(&operation.op);
    if (compute == nullptr) return;
    const acg::Capability& capability = capability_of(dtypes, machine, *compute);
    for (size_t i = 0; i < compute->operands.size(); ++i) {
      const auto* reference = std::get_if<codelet::Reference>(&compute->operands[i]);
      const codelet::Block block = codelet::block_of(*compute, i, capability);
      if (reference == nullptr || block.rows == 1 || block.step == 0) continue;
      int64_t& rows = rows_[reference->surrogate];
      rows = std::max(rows, block.rows);
    }
  });
}

int64_t RowVectors::rows_of(const std::string& local) const {
  const auto known = rows_.find(local);
  return known == rows_.end() ? 1 : known->second;
}

std::vector<Name> RowVectors::make(const std::string& tile, int64_t first, size_t count, int64_t row_bytes,
                                   int64_t step, const Pieces& pieces, std::vector<CodeStep>& to) {
  std::vector<Name> names;
  for (size_t i = 0; i < count; ++i) {
    const int64_t at = first + static_cast<int64_t>(i) * step * kVectorBytes;
    if (step == 1) {
      names.push_back(vector_at(tile, at, pieces, to));
      continue;
    }
    // Even and odd rows are made together, for the pair that begins with an even row.
    const bool is_odd = at / row_bytes % 2 != 0;
    const Name pair = pair_at(tile, is_odd ? at - row_bytes : at, row_bytes, pieces, to);
    names.push_back(is_odd ? Name{pair.number, true} : pair);
  }
  return names;
}

void RowVectors::forget(const std::string& tile) {
  const auto is_its = [&](const auto& entry) { return entry.first.first == tile; };
  std::erase_if(vectors_, is_its);
  std::erase_if(pairs_, is_its);
}

void RowVectors::forget() {
  vectors_.clear();
  pairs_.clear();
}

Name RowVectors::vector_at(const std::string& tile, int64_t first, const Pieces& pieces, std::vector<CodeStep>& to) {
  const auto piece = static_cast<size_t>(first / kVectorBytes);
  const int64_t within = first % kVectorBytes;
  if (within == 0) return pieces(piece);
  const auto [known, is_new] = vectors_.emplace(std::pair{tile, first}, Name{});
  if (is_new) {
    const Name low = pieces(piece), high = pieces(piece + 1);
    known->second = writer_.vector();
    writer_.add(to, kValignb, {known->second, high, low, writer_.constant(static_cast<int32_t>(within))});
  }
  return known->second;
}

Name RowVectors::pair_at(const std::string& tile, int64_t first, int64_t row_bytes, const Pieces& pieces,
                         std::vector<CodeStep>& to) {
  const auto [known, is_new] = pairs_.emplace(std::pair{tile, first}, Name{});
  if (is_new) {
    const Name low = vector_at(tile, first, pieces, to), high = vector_at(tile, first + kVectorBytes, pieces, to);
    known->second = writer_.make(acg::RegisterFile::kVector, true);
    // vdealvdd separates alternating rows of `row_bytes` bytes.
    writer_.add(to, kVdealvdd, {known->second, high, low, writer_.constant(static_cast<int32_t>(-row_bytes))});
  }
  return known->second;
}

}  // namespace covenant::compiler::vliw
