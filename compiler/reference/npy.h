/// Arrays in NumPy's file format, version 1.0 (numpy.lib.format): what the tests hand over in.
#pragma once

#include <filesystem>
#include <optional>

#include "compiler/reference/tensor.h"

namespace covenant::compiler::reference {

/// The array of the file if it is little-endian, row-major and of a dtype that we have.
std::optional<Tensor> read_npy(const std::filesystem::path& path);

/// False if the file cannot be written.
bool write_npy(const std::filesystem::path& path, const Tensor& tensor);

}  // namespace covenant::compiler::reference
