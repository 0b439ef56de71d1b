#include "compiler/target/vliw/register_tiles.h"

#include "acg/base/rounding.h"

namespace covenant::compiler::vliw {

RegisterTile::RegisterTile(DType dtype, std::vector<int64_t> shape, acg::RegisterFile file, uint32_t register_bytes)
    : dtype_(dtype), shape_(std::move(shape)), file_(file), register_bytes_(register_bytes) {
  int64_t elements = 1;
  for (const int64_t extent : shape_) elements *= extent;
  const auto all = static_cast<uint64_t>(elements) * bytes(dtype_);
  registers_.resize(ceil_divide<uint64_t>(all, register_bytes_));
}

std::optional<size_t> RegisterTile::piece_at(const std::vector<int64_t>& indices) const {
  int64_t element = 0;
  for (size_t d = 0; d < shape_.size(); ++d) element = element * shape_[d] + (indices.empty() ? 0 : indices[d]);
  const int64_t byte = element * static_cast<int64_t>(bytes(dtype_));
  if (byte < 0 || byte % register_bytes_ != 0) return std::nullopt;
  const auto piece = static_cast<size_t>(byte / register_bytes_);
  return piece < registers_.size() ? std::optional(piece) : std::nullopt;
}

std::vector<int64_t> RegisterTile::first_of(size_t piece) const {
  auto element = static_cast<int64_t>(piece * register_bytes_ / bytes(dtype_));
  std::vector<int64_t> indices(shape_.size());
  for (size_t d = shape_.size(); d-- > 0;) {
    indices[d] = element % shape_[d];
    element /= shape_[d];
  }
  return indices;
}

}  // namespace covenant::compiler::vliw
