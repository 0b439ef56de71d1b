#include "compiler/families/vliw/tile_places.h"

#include <algorithm>
#include <fmt/format.h>

#include "acg/base/check.h"
#include "acg/base/failure.h"
#include "compiler/codelet/print.h"
#include "compiler/codelet/rewrite.h"
#include "compiler/families/vliw/turned_loops.h"

namespace covenant::compiler::vliw {
namespace {

using codelet::Expression;
using codelet::Reference;
using codelet::Surrogate;

Expression known(const std::map<std::string, Expression>& values, Expression expression) {
  for (const auto& [variable, value] : values) expression = expression.substitute(variable, value);
  return expression;
}

}  // namespace

void TilePlaces::open(const codelet::Loop& loop) {
  const std::string counter = fmt::format("{}#", loop.variable);
  values_[loop.variable] = loop.lower + loop.stride * Expression::variable(counter);
  open_.push_back({counter, trips_of(loop)});
}

void TilePlaces::close(const codelet::Loop& loop) {
  values_.erase(loop.variable);
  open_.pop_back();
}

void TilePlaces::each_trip(const codelet::Loop& loop, const std::function<void()>& trip) {
  const int64_t lower = loop.lower.constant().value(), stride = loop.stride.constant().value();
  for (int64_t i = 0; i < trips_of(loop); ++i) {
    values_[loop.variable] = lower + i * stride;
    trip();
  }
  values_.erase(loop.variable);
}

std::vector<int64_t> TilePlaces::fixed_indices(const Reference& reference) const {
  std::vector<int64_t> indices;
  for (const Expression& index : reference.indices) {
    const std::optional<int64_t> value = known(values_, index).constant();
    check(value.has_value(), "a tile in registers is indexed by loops that are written out");
    indices.push_back(value.value());
  }
  return indices;
}

Address TilePlaces::address_of(const RegisterTile& tile, size_t piece, const Reference& reference,
                               const SourceLocation& where) const {
  const Surrogate& tensor = *find_surrogate(tiled_, reference.surrogate);
  const std::vector<int64_t> strides = element_strides(tensor), first = tile.first_of(piece);
  check_whole(tile, strides, reference, where);
  Expression element = tensor.offset;
  for (size_t d = 0; d < strides.size(); ++d) element = element + (index_of(reference, d) + first[d]) * strides[d];
  const auto bytes_each = static_cast<int64_t>(bytes(tile.dtype()));
  Address address{addresses_.at(tensor.name) + bytes_each * element.offset(), {}};
  for (const OpenLoop& loop : open_) address.steps.push_back(bytes_each * element.coefficient(loop.counter));
  return address;
}

Expression TilePlaces::index_of(const Reference& reference, size_t dimension) const {
  return reference.indices.empty() ? Expression(0) : known(values_, reference.indices[dimension]);
}

/// Checks that the elements of a register are adjacent in memory.
void TilePlaces::check_whole(const RegisterTile& tile, const std::vector<int64_t>& strides, const Reference& reference,
                             const SourceLocation& where) const {
  const auto wanted = static_cast<int64_t>(tile.register_bytes() / bytes(tile.dtype()));
  int64_t together = 1;
  for (size_t d = strides.size(); d-- > 0 && together < wanted;) {
    const int64_t extent = tile.in_registers()[d];
    if (extent == 1) continue;
    if (strides[d] != together) not_whole(reference, where);
    together *= extent;
  }
  if (together % wanted != 0) not_whole(reference, where);
}

void TilePlaces::not_whole(const Reference& reference, const SourceLocation& where) const {
  refuse({"GEN0053",
          {},
          "",
          "a tile of this tensor is not made of whole registers that lie in one piece",
          codelet::print(reference),
          {},
          "let the tensor lie so that a register holds neighbours, or pin other tiles (--schedule)"},
         where);
}

void TilePlaces::check_inside(const RegisterTile& tile, const Reference& reference, const SourceLocation& where) const {
  const Surrogate& tensor = *find_surrogate(tiled_, reference.surrogate);
  const std::vector<int64_t> shape = constants(tensor.shape);
  for (size_t d = 0; d < shape.size(); ++d) {
    const Expression index = index_of(reference, d);
    int64_t least = index.offset(), most = least + tile.shape()[d] - 1;
    for (const OpenLoop& loop : open_) {
      const int64_t way = index.coefficient(loop.counter) * (loop.trips - 1);
      (way < 0 ? least : most) += way;
    }
    const Reach reach = reach_of(tensor, d);
    const bool is_written = tensor.kind == codelet::SurrogateKind::kOut;
    // Past the last element of a row, the last register holds other data, which is not used.
    const bool may_end_past = !is_written && d + 1 == shape.size();
    const auto at_once = static_cast<int64_t>(tile.register_bytes() / bytes(tile.dtype()));
    if (least >= reach.first && most < reach.end + (may_end_past ? at_once - 1 : 0)) continue;
    refuse({"GEN0052",
            {},
            "",
            is_written ? "a tile in registers is written past its tensor, where others lie"
                       : "a tile in registers reaches past its tensor, where it would have to be filled",
            fmt::format("{}, dimension {}: {}..{}", codelet::print(reference), d, least, most),
            {fmt::format("0..{}", shape[d] - 1)},
            is_written ? fmt::format("let it be written in rows of multiples of {} elements", at_once)
                       : "pad the tensor in the model, so that windows stay inside of it"},
           where);
  }
}

/// Indices including the padding around a tensor in memory: zero points before and after an image, unused data after
/// its channels. A layer may view groups of rows or channels: a dimension corresponds to that of the storage with the
/// same stride.
TilePlaces::Reach TilePlaces::reach_of(const Surrogate& tensor, size_t dimension) const {
  const int64_t size = constants(tensor.shape)[dimension], stride = element_strides(tensor)[dimension];
  Reach reach{0, size};
  const auto view = views_.find(tensor.name);
  if (view == views_.end()) return reach;
  const std::vector<StorageDimension>& dimensions = view->second.dimensions;
  const bool are_alike = dimensions.size() == tensor.shape.size();
  for (size_t d = 0; d < dimensions.size(); ++d) {
    const StorageDimension& one = dimensions[d];
    const auto own = static_cast<int64_t>(one.size), after = static_cast<int64_t>(one.after);
    const bool has_its_steps = one.strides.size() == 1 && static_cast<int64_t>(one.strides[0].stride) == stride;
    const bool is_it = are_alike ? d == dimension : has_its_steps && (own == size || own + after == size);
    if (is_it) reach = {std::min(reach.first, -static_cast<int64_t>(one.before)), std::max(reach.end, own + after)};
  }
  return reach;
}

void TilePlaces::refuse(Diagnostic diagnostic, const SourceLocation& where) const {
  diagnostic.where = where;
  diagnostic.subject = tiled_.name;
  throw Failure{std::move(diagnostic)};
}

}  // namespace covenant::compiler::vliw
