#include "compiler/families/vliw/register_tiles.h"

#include "acg/base/rounding.h"

namespace covenant::compiler::vliw {

RegisterTile::RegisterTile(DType dtype, std::vector<int64_t> shape, acg::RegisterFile file, uint32_t register_bytes,
                           int64_t rows, int64_t before)
    : dtype_(dtype),
      shape_(std::move(shape)),
      in_registers_(shape_),
      before_(before),
      file_(file),
      register_bytes_(register_bytes) {
  if (rows > 1) in_registers_.at(in_registers_.size() - 2) = round_up(shape_.at(shape_.size() - 2) + before, rows);
  int64_t elements = 1;
  for (const int64_t extent : in_registers_) elements *= extent;
  const auto all = static_cast<uint64_t>(elements) * bytes(dtype_);
  registers_.resize(ceil_divide<uint64_t>(all, register_bytes_));
}

int64_t RegisterTile::byte_at(const std::vector<int64_t>& indices) const {
  int64_t element = 0;
  for (size_t d = 0; d < in_registers_.size(); ++d) {
    element = element * in_registers_[d] + (indices.empty() ? 0 : indices[d]);
    if (d + 2 == in_registers_.size()) element += before_;
  }
  return element * static_cast<int64_t>(bytes(dtype_));
}

std::optional<size_t> RegisterTile::piece_at(const std::vector<int64_t>& indices) const {
  const int64_t byte = byte_at(indices);
  if (byte < 0 || byte % register_bytes_ != 0) return std::nullopt;
  const auto piece = static_cast<size_t>(byte / register_bytes_);
  return piece < registers_.size() ? std::optional(piece) : std::nullopt;
}

std::vector<int64_t> RegisterTile::first_of(size_t piece) const {
  auto element = static_cast<int64_t>(piece * register_bytes_ / bytes(dtype_));
  std::vector<int64_t> indices(in_registers_.size());
  for (size_t d = in_registers_.size(); d-- > 0;) {
    indices[d] = element % in_registers_[d];
    element /= in_registers_[d];
    if (d + 2 == indices.size()) indices[d] -= before_;
  }
  return indices;
}

}  // namespace covenant::compiler::vliw
