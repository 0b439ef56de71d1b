/// Reads and writes arrays in NumPy's file format, version 1.0 (numpy.lib.format), in which tests pass their data.
#pragma once

#include <filesystem>
#include <optional>

#include "compiler/reference/tensor.h"

namespace covenant::compiler::reference {

/// The array in the file. Nothing unless it is little-endian, row-major and of a dtype in acg/base/dtype.h.
std::optional<Tensor> read_npy(const std::filesystem::path& path);

/// False if the file cannot be written.
bool write_npy(const std::filesystem::path& path, const Tensor& tensor);

}  // namespace covenant::compiler::reference
