#include "compiler/reference/npy.h"

#include <array>
#include <charconv>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "compiler/srdfg/queries.h"

namespace covenant::compiler::reference {
namespace {

constexpr std::string_view kMagic("\x93NUMPY\x01\x00", 8);
constexpr std::array<std::pair<std::string_view, DType>, 5> kTypes{
    {{"|i1", DType::kI8}, {"|u1", DType::kU8}, {"<i2", DType::kI16}, {"<i4", DType::kI32}, {"<f4", DType::kF32}}};

std::optional<std::vector<uint64_t>> shape_in(std::string_view header) {
  const size_t open = header.find("'shape': (");
  if (open == std::string_view::npos) return std::nullopt;
  std::string_view rest = header.substr(open + 10);
  std::vector<uint64_t> shape;
  while (!rest.empty() && rest.front() != ')') {
    if (rest.front() == ',' || rest.front() == ' ') {
      rest.remove_prefix(1);
      continue;
    }
    uint64_t extent = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), extent);
    if (error != std::errc{}) return std::nullopt;
    shape.push_back(extent);
    rest.remove_prefix(static_cast<size_t>(end - rest.data()));
  }
  return shape;
}

}  // namespace

std::optional<Tensor> read_npy(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::string file{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!file.starts_with(kMagic) || file.size() < 10) return std::nullopt;
  const size_t length = static_cast<uint8_t>(file[8]) + 256U * static_cast<uint8_t>(file[9]);
  if (file.size() < 10 + length) return std::nullopt;
  const std::string_view header = std::string_view(file).substr(10, length);
  const auto shape = shape_in(header);
  if (!shape || header.find("'fortran_order': False") == std::string_view::npos) return std::nullopt;
  for (const auto& [text, dtype] : kTypes) {
    if (header.find(fmt::format("'descr': '{}'", text)) == std::string_view::npos) continue;
    if (file.size() - 10 - length != srdfg::element_count(*shape) * bytes(dtype)) return std::nullopt;
    return Tensor{dtype, *shape, {file.begin() + static_cast<std::ptrdiff_t>(10 + length), file.end()}};
  }
  return std::nullopt;
}

bool write_npy(const std::filesystem::path& path, const Tensor& tensor) {
  std::string_view type;
  for (const auto& [text, dtype] : kTypes) {
    if (dtype == tensor.dtype) type = text;
  }
  if (type.empty()) return false;
  std::string shape;
  for (uint64_t extent : tensor.shape) shape += fmt::format("{}, ", extent);
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, shape);
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::ofstream stream(path, std::ios::binary);
  stream << kMagic << static_cast<char>(header.size() % 256) << static_cast<char>(header.size() / 256) << header;
  stream.write(reinterpret_cast<const char*>(tensor.bytes.data()), static_cast<std::streamsize>(tensor.bytes.size()));
  return static_cast<bool>(stream);
}

}  // namespace covenant::compiler::reference
