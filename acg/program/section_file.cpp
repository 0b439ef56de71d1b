#include "acg/program/section_file.h"

#include <algorithm>
#include <fmt/format.h>
#include <zlib.h>

#include "acg/base/rounding.h"

namespace covenant::acg {
namespace {

// Offset 0: magic, 8: version, 12: checksum of everything up to the end of the header except itself, 16: bytes of the
// file, 24: bytes of the JSON header, 32: header; then the sections, each at a multiple of 8, zeros in between.
constexpr size_t kPreambleBytes = 32;
constexpr size_t kChecksumAt = 12;
constexpr size_t kAlignment = 8;

template <typename T>
void put(std::vector<uint8_t>& bytes, size_t at, T value) {
  for (size_t i = 0; i < sizeof(T); ++i) bytes[at + i] = static_cast<uint8_t>(value >> (8 * i));
}

template <typename T>
T get_at(Bytes bytes, size_t at) {
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) value |= static_cast<T>(T{bytes[at + i]} << (8 * i));
  return value;
}

uint32_t extend_checksum(uint32_t start, Bytes bytes) {
  // An empty span may hold a null pointer, which zlib takes for a request of the start value.
  if (bytes.empty()) return start;
  return static_cast<uint32_t>(crc32_z(start, bytes.data(), bytes.size()));
}

uint32_t header_checksum(Bytes bytes, size_t header_end) {
  const uint32_t first = extend_checksum(0, bytes.first(kChecksumAt));
  return extend_checksum(first, bytes.subspan(kChecksumAt + 4, header_end - kChecksumAt - 4));
}

}  // namespace

Section section_of(Bytes data) { return {data.size(), extend_checksum(0, data)}; }

Json section_json(const Section& section) { return {{"bytes", section.bytes}, {"crc32", section.checksum}}; }

Section section_of(const JsonReader& reader) {
  return {reader.at("bytes").integer<uint64_t>(), reader.at("crc32").integer<uint32_t>()};
}

std::vector<uint8_t> write_sections(const FileForm& form, const Json& header, const std::vector<Bytes>& sections) {
  // Names come from models and file systems and may not be valid UTF-8: bad bytes become U+FFFD rather than a crash.
  const std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::vector<uint8_t> bytes(kPreambleBytes + text.size());
  std::copy(form.magic.begin(), form.magic.end(), bytes.begin());
  std::copy(text.begin(), text.end(), bytes.begin() + kPreambleBytes);
  const size_t header_end = bytes.size();
  for (const Bytes section : sections) {
    bytes.resize(round_up(bytes.size(), kAlignment));
    bytes.insert(bytes.end(), section.begin(), section.end());
  }
  bytes.resize(round_up(bytes.size(), kAlignment));
  put<uint32_t>(bytes, 8, form.version);
  put<uint64_t>(bytes, 16, bytes.size());
  put<uint64_t>(bytes, 24, text.size());
  put<uint32_t>(bytes, kChecksumAt, header_checksum(bytes, header_end));
  return bytes;
}

SectionReader::SectionReader(const FileForm& form, Bytes bytes, std::string_view file_name)
    : bytes_(bytes), where_{std::string(file_name), 0, 0} {
  at_ = check_preamble(form);
  const auto* text = reinterpret_cast<const char*>(bytes_.data());
  header_ = Json::parse(text + kPreambleBytes, text + at_, nullptr, false);
  if (header_.is_discarded()) refuse("PRG0005", "its header is not JSON", "", "compile the model again");
}

void SectionReader::refuse(std::string_view code, std::string message, std::string offending, std::string fix) const {
  throw Failure{{std::string(code), where_, "", std::move(message), std::move(offending), {}, std::move(fix)}};
}

void SectionReader::truncated() const {
  refuse("PRG0003", "the program file is cut off", fmt::format("{} bytes", bytes_.size()), "copy or compile it again");
}

void SectionReader::corrupted(const std::string& part) const {
  refuse("PRG0004", "the checksum is wrong: the file is corrupted", part, "copy or compile it again");
}

/// Checks the preamble. Returns the offset after the header.
size_t SectionReader::check_preamble(const FileForm& form) const {
  if (!begins_with(bytes_, form.magic)) {
    refuse("PRG0001", "not a program file", "", "give a file that `covenant compile` has written");
  }
  if (bytes_.size() < kPreambleBytes) truncated();
  const auto version = get_at<uint32_t>(bytes_, 8);
  if (version != form.version) {
    throw Failure{{"PRG0002",
                   where_,
                   "",
                   "a program file of another version",
                   fmt::format("{}", version),
                   {fmt::format("{}", form.version)},
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

Bytes SectionReader::next(const Section& section, const std::string& part) {
  skip_padding();
  if (section.bytes > bytes_.size() - at_) corrupted(part);
  const Bytes data = bytes_.subspan(at_, static_cast<size_t>(section.bytes));
  if (extend_checksum(0, data) != section.checksum) corrupted(part);
  at_ += data.size();
  return data;
}

void SectionReader::expect_end() {
  skip_padding();
  if (at_ != bytes_.size()) corrupted("the end of the file");
}

void SectionReader::skip_padding() {
  const size_t end = round_up(at_, kAlignment);
  if (end > bytes_.size()) corrupted("padding");
  for (; at_ < end; ++at_) {
    if (bytes_[at_] != 0) corrupted("padding");
  }
}

}  // namespace covenant::acg
