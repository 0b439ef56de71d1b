/// Locals of a tiled codelet in register files: which virtual register holds which part.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "acg/base/dtype.h"
#include "compiler/codelet/codelet.h"
#include "compiler/families/vliw/writer.h"

namespace covenant::compiler::vliw {

/// A local, row-major and dense, cut into pieces of one register each. Only scales are f32, which are fractions there
/// (fixed_scales.h).
class RegisterTile {
 public:
  /// `rows`: rows that are read at once. A register begins with every `rows`-th row, counted from `before` rows before
  /// the first one.
  RegisterTile(DType dtype, std::vector<int64_t> shape, acg::RegisterFile file, uint32_t register_bytes,
               int64_t rows = 1, int64_t before = 0);

  DType dtype() const { return dtype_; }
  acg::RegisterFile file() const { return file_; }
  uint32_t register_bytes() const { return register_bytes_; }
  const std::vector<int64_t>& shape() const { return shape_; }
  const std::vector<int64_t>& in_registers() const { return in_registers_; }  ///< the shape that it takes up there
  size_t pieces() const { return registers_.size(); }

  /// Offset in bytes of the element at these indices.
  int64_t byte_at(const std::vector<int64_t>& indices) const;
  /// The piece that begins with the element at these indices; nothing if none does.
  std::optional<size_t> piece_at(const std::vector<int64_t>& indices) const;
  /// Indices of the first element of a piece; negative for rows before the first one.
  std::vector<int64_t> first_of(size_t piece) const;

  /// The register of a piece; nothing until it is set.
  std::optional<Name> at(size_t piece) const { return registers_.at(piece); }
  void set(size_t piece, Name name) { registers_.at(piece) = name; }

  /// False until the sum that it holds is initialised.
  bool is_started = true;

 private:
  DType dtype_;
  std::vector<int64_t> shape_, in_registers_;
  int64_t before_;
  acg::RegisterFile file_;
  uint32_t register_bytes_;
  std::vector<std::optional<Name>> registers_;
};

}  // namespace covenant::compiler::vliw
