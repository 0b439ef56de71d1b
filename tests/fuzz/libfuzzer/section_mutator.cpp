#include "tests/fuzz/libfuzzer/section_mutator.h"

#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>
#include <zlib.h>

#include "tests/fuzz/libfuzzer/mutator.h"

namespace covenant::fuzzing {
namespace {

using Json = nlohmann::json;

// Offsets of the preamble: acg/program/section_file.cpp, docs/reference/program-file.md.
constexpr size_t kChecksumAt = 12;
constexpr size_t kFileBytesAt = 16;
constexpr size_t kHeaderBytesAt = 24;
constexpr size_t kPreambleBytes = 32;
constexpr size_t kAlignment = 8;

struct SectionFile {
  std::string start;  ///< magic and version
  Json header;
  std::vector<std::string> sections;
};

uint64_t number_at(const std::string& bytes, size_t at) {
  uint64_t value = 0;
  for (size_t i = 0; i < 8; ++i) value |= uint64_t{static_cast<uint8_t>(bytes[at + i])} << (8 * i);
  return value;
}

std::string number(uint64_t value, size_t bytes) {
  std::string text;
  for (size_t i = 0; i < bytes; ++i) text.push_back(static_cast<char>(value >> (8 * i)));
  return text;
}

uint32_t checksum(const std::string& bytes) {
  return static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

void pad(std::string& bytes) { bytes.resize((bytes.size() + kAlignment - 1) / kAlignment * kAlignment); }

/// Entries of the header for each section, in their order.
std::vector<Json*> entries_of(Json& header) {
  std::vector<Json*> entries;
  if (!header.is_object()) return entries;
  for (const char* key : {"segments", "parts"}) {
    if (!header.contains(key) || !header[key].is_array()) continue;
    for (Json& entry : header[key]) entries.push_back(&entry);
  }
  for (const char* key : {"host_start", "host_end"}) {
    if (header.contains(key)) entries.push_back(&header[key]);
  }
  std::erase_if(entries, [](const Json* entry) {
    return !entry->is_object() || !entry->contains("bytes") || !(*entry)["bytes"].is_number_unsigned();
  });
  return entries;
}

std::optional<SectionFile> taken_apart(const std::string& bytes) {
  if (bytes.size() < kPreambleBytes) return std::nullopt;
  const uint64_t header_bytes = number_at(bytes, kHeaderBytesAt);
  if (header_bytes > bytes.size() - kPreambleBytes) return std::nullopt;
  SectionFile file{
      bytes.substr(0, kChecksumAt), Json::parse(bytes.substr(kPreambleBytes, header_bytes), nullptr, false), {}};
  if (file.header.is_discarded()) return std::nullopt;
  size_t at = kPreambleBytes + header_bytes;
  for (const Json* entry : entries_of(file.header)) {
    at = (at + kAlignment - 1) / kAlignment * kAlignment;
    const auto size = (*entry)["bytes"].get<uint64_t>();
    if (at > bytes.size() || size > bytes.size() - at) return std::nullopt;
    file.sections.push_back(bytes.substr(at, size));
    at += size;
  }
  return file;
}

std::string put_together(const SectionFile& file, const std::string& header) {
  std::string bytes = file.start + std::string(kPreambleBytes - kChecksumAt, '\0') + header;
  for (const std::string& section : file.sections) {
    pad(bytes);
    bytes += section;
  }
  pad(bytes);
  bytes.replace(kFileBytesAt, 8, number(bytes.size(), 8));
  bytes.replace(kHeaderBytesAt, 8, number(header.size(), 8));
  const std::string summed = file.start + bytes.substr(kFileBytesAt, kPreambleBytes - kFileBytesAt + header.size());
  bytes.replace(kChecksumAt, 4, number(checksum(summed), 4));
  return bytes;
}

std::string text_of(const Json& header) { return header.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// Objects and arrays that are not empty, and `value` first.
void collect(Json& value, std::vector<Json*>& containers) {
  if (!value.is_structured() || value.empty()) return;
  containers.push_back(&value);
  for (Json& element : value) collect(element, containers);
}

Json mutated(const Json& value, const Json& other, Random& random) {
  if (below(random, 8) == 0) return other;
  if (value.is_number_float())
    return value.get<double>() * static_cast<double>(static_cast<int64_t>(below(random, 5)) - 2);
  if (value.is_number_unsigned()) return mutated_number(value.get<uint64_t>(), random);
  if (value.is_number())
    return static_cast<int64_t>(mutated_number(static_cast<uint64_t>(value.get<int64_t>()), random));
  if (value.is_string()) return mutated_bytes(value.get<std::string>());
  if (value.is_boolean()) return !value.get<bool>();
  return nullptr;
}

/// Changes a value anywhere in the document, removes it, or says it twice.
void mutate(Json& document, Random& random) {
  std::vector<Json*> containers;
  collect(document, containers);
  if (containers.empty()) return;
  Json& container = *containers[below(random, containers.size())];
  const Json& donor = *containers[below(random, containers.size())];
  const Json other = *std::next(donor.begin(), static_cast<std::ptrdiff_t>(below(random, donor.size())));
  const auto chosen = std::next(container.begin(), static_cast<std::ptrdiff_t>(below(random, container.size())));
  switch (below(random, 8)) {
    case 0:
      container.erase(chosen);
      return;
    case 1:
      if (container.is_array()) {
        container.push_back(Json(*chosen));
      } else {
        container[mutated_bytes(chosen.key())] = Json(*chosen);
      }
      return;
    default:
      *chosen = mutated(*chosen, other, random);
  }
}

std::string mutated_file(const std::string& bytes, Random& random) {
  std::optional<SectionFile> file = taken_apart(bytes);
  if (!file || below(random, 16) == 0) return mutated_bytes(bytes);
  switch (below(random, 8)) {
    case 0:
      return put_together(*file, mutated_bytes(text_of(file->header)));
    case 1:
    case 2: {
      if (file->sections.empty()) break;
      const size_t chosen = below(random, file->sections.size());
      std::string& section = file->sections[chosen];
      section = mutated_file(section, random);  // a section may be a file in turn
      Json& entry = *entries_of(file->header)[chosen];
      entry["bytes"] = section.size();
      entry["crc32"] = checksum(section);
      break;
    }
    default:
      for (size_t times = 1 + below(random, 3); times > 0; --times) mutate(file->header, random);
  }
  return put_together(*file, text_of(file->header));
}

}  // namespace

size_t mutate_sections(uint8_t* data, size_t size, size_t most, unsigned seed) {
  Random random(seed);
  return give(mutated_file({reinterpret_cast<const char*>(data), size}, random), data, size, most);
}

}  // namespace covenant::fuzzing
