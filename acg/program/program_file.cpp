#include "acg/program/program_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <zlib.h>

#include "acg/base/check.h"
#include "acg/base/failure.h"
#include "acg/base/rounding.h"
#include "acg/program/program_header.h"

namespace covenant::acg {
namespace {

// Offset 0: magic, 8: version, 12: checksum of everything up to the end of the header except itself, 16: bytes of the
// file, 24: bytes of the JSON header, 32: header; then the sections, each at a multiple of 8, zeros in between.
constexpr std::array<uint8_t, 8> kMagic{'C', 'O', 'V', 'P', 'R', 'O', 'G', '\n'};
constexpr size_t kPreambleBytes = 32;
constexpr size_t kChecksumAt = 12;
constexpr size_t kAlignment = 8;

template <typename T>
void put(std::vector<uint8_t>& bytes, size_t at, T value) {
  for (size_t i = 0; i < sizeof(T); ++i) bytes[at + i] = static_cast<uint8_t>(value >> (8 * i));
}

template <typename T>
T get_at(std::span<const uint8_t> bytes, size_t at) {
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) value |= static_cast<T>(T{bytes[at + i]} << (8 * i));
  return value;
}

uint32_t extend_checksum(uint32_t start, std::span<const uint8_t> bytes) {
  // An empty span may hold a null pointer, which zlib takes for a request of the start value.
  if (bytes.empty()) return start;
  return static_cast<uint32_t>(crc32_z(start, bytes.data(), bytes.size()));
}

uint32_t header_checksum(std::span<const uint8_t> bytes, size_t header_end) {
  const uint32_t first = extend_checksum(0, bytes.first(kChecksumAt));
  return extend_checksum(first, bytes.subspan(kChecksumAt + 4, header_end - kChecksumAt - 4));
}

class Reader {
 public:
  Reader(std::span<const uint8_t> bytes, std::string_view file_name)
      : bytes_(bytes), where_{std::string(file_name), 0, 0} {}

  Program run() {
    const size_t header_end = check_preamble();
    const auto* text = reinterpret_cast<const char*>(bytes_.data());
    const Json json = Json::parse(text + kPreambleBytes, text + header_end, nullptr, false);
    if (json.is_discarded()) refuse("PRG0005", "its header is not JSON", "", "compile the model again");
    Header header = header_of(JsonReader(json, "PRG0005", where_.file, "compile the model again"));
    read_sections(header, header_end);
    check_consistent(header.program, where_);
    return std::move(header.program);
  }

 private:
  [[noreturn]] void refuse(std::string_view code, std::string message, std::string offending, std::string fix) const {
    throw Failure{{std::string(code), where_, "", std::move(message), std::move(offending), {}, std::move(fix)}};
  }

  /// Checks the preamble. Returns the offset after the header.
  size_t check_preamble() const {
    if (bytes_.size() < kMagic.size() || !std::equal(kMagic.begin(), kMagic.end(), bytes_.begin())) {
      refuse("PRG0001", "not a program file", "", "give a file that `covenant compile` has written");
    }
    if (bytes_.size() < kPreambleBytes) truncated();
    const auto version = get_at<uint32_t>(bytes_, 8);
    if (version != kProgramFileVersion) {
      throw Failure{{"PRG0002",
                     where_,
                     "",
                     "a program file of another version",
                     fmt::format("{}", version),
                     {fmt::format("{}", kProgramFileVersion)},
                     "compile the model again with this version"}};
    }
    const auto file_bytes = get_at<uint64_t>(bytes_, 16);
    if (file_bytes > bytes_.size()) truncated();
    if (file_bytes < bytes_.size()) {
      refuse("PRG0003", "bytes after the end of the program", fmt::format("{} bytes", bytes_.size()),
             fmt::format("cut the file after {} bytes, or copy it again", file_bytes));
    }
    const auto header_bytes = get_at<uint64_t>(bytes_, 24);
    if (header_bytes > bytes_.size() - kPreambleBytes) corrupted("header");
    const size_t header_end = kPreambleBytes + static_cast<size_t>(header_bytes);
    if (header_checksum(bytes_, header_end) != get_at<uint32_t>(bytes_, kChecksumAt)) corrupted("header");
    return header_end;
  }

  [[noreturn]] void truncated() const {
    refuse("PRG0003", "the program file is cut off", fmt::format("{} bytes", bytes_.size()),
           "copy or compile it again");
  }
  [[noreturn]] void corrupted(const std::string& part) const {
    refuse("PRG0004", "the checksum is wrong: the file is corrupted", part, "copy or compile it again");
  }

  void read_sections(Header& header, size_t at) const {
    std::vector<Segment>& segments = header.program.segments;
    for (size_t i = 0; i < segments.size(); ++i) {
      at = read_section(header.sections[i], "segment " + segments[i].name, at, segments[i].data);
    }
    const Section* host = &header.sections[segments.size()];
    at = read_section(host[0], "what the host computes first", at, header.program.host_start);
    at = read_section(host[1], "what the host computes last", at, header.program.host_end);
    if (skip_padding(at) != bytes_.size()) corrupted("the end of the file");
  }

  /// Reads one section. Returns the offset after it.
  size_t read_section(const Section& section, const std::string& part, size_t at, std::vector<uint8_t>& to) const {
    at = skip_padding(at);
    if (section.bytes > bytes_.size() - at) corrupted(part);
    const std::span<const uint8_t> data = bytes_.subspan(at, static_cast<size_t>(section.bytes));
    if (extend_checksum(0, data) != section.checksum) corrupted(part);
    to.assign(data.begin(), data.end());
    return at + data.size();
  }

  size_t skip_padding(size_t at) const {
    const size_t end = round_up(at, kAlignment);
    if (end > bytes_.size()) corrupted("padding");
    for (; at < end; ++at) {
      if (bytes_[at] != 0) corrupted("padding");
    }
    return end;
  }

  std::span<const uint8_t> bytes_;
  SourceLocation where_;
};

}  // namespace

std::vector<uint8_t> write_program(const Program& program) {
  for (const std::vector<TensorBinding>* bindings : {&program.inputs, &program.outputs}) {
    for (const TensorBinding& binding : *bindings) {
      check(std::isfinite(binding.quantization.scale), "a scale that is not finite has no JSON form");
    }
  }
  std::vector<const std::vector<uint8_t>*> parts;
  for (const Segment& segment : program.segments) parts.push_back(&segment.data);
  parts.insert(parts.end(), {&program.host_start, &program.host_end});
  std::vector<Section> sections;
  for (const std::vector<uint8_t>* part : parts) sections.push_back({part->size(), extend_checksum(0, *part)});
  // Names come from models and file systems and may not be valid UTF-8: bad bytes become U+FFFD rather than a crash.
  const std::string header = header_json(program, sections).dump(-1, ' ', false, Json::error_handler_t::replace);
  std::vector<uint8_t> bytes(kPreambleBytes + header.size());
  std::copy(kMagic.begin(), kMagic.end(), bytes.begin());
  std::copy(header.begin(), header.end(), bytes.begin() + kPreambleBytes);
  const size_t header_end = bytes.size();
  for (const std::vector<uint8_t>* part : parts) {
    bytes.resize(round_up(bytes.size(), kAlignment));
    bytes.insert(bytes.end(), part->begin(), part->end());
  }
  bytes.resize(round_up(bytes.size(), kAlignment));
  put<uint32_t>(bytes, 8, kProgramFileVersion);
  put<uint64_t>(bytes, 16, bytes.size());
  put<uint64_t>(bytes, 24, header.size());
  put<uint32_t>(bytes, kChecksumAt, header_checksum(bytes, header_end));
  return bytes;
}

Result<Program> read_program(std::span<const uint8_t> bytes, std::string_view file_name) {
  return guarded<Program>([&] { return Reader(bytes, file_name).run(); });
}

}  // namespace covenant::acg
