/// Reads small text files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace covenant {

/// The content of the file. Nothing if it is no regular file of at most `most_bytes`, or cannot be read.
std::optional<std::string> read_text_file(const std::string& path, uint64_t most_bytes);

}  // namespace covenant
