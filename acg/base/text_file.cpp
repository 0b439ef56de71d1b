#include "acg/base/text_file.h"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace covenant {

std::optional<std::string> read_text_file(const std::string& path, uint64_t most_bytes) {
  // Reads by way of a buffer: an iterator throws on a folder, while a stream is only marked as bad.
  std::error_code error;
  const bool is_small =
      std::filesystem::is_regular_file(path, error) && std::filesystem::file_size(path, error) <= most_bytes && !error;
  std::ifstream file;
  if (is_small) file.open(path, std::ios::binary);
  std::ostringstream text;
  if (file && file.peek() != std::ifstream::traits_type::eof()) text << file.rdbuf();
  return file.is_open() && !file.bad() && text.good() ? std::optional(text.str()) : std::nullopt;
}

}  // namespace covenant
