/// Files of a JSON header and sections of data, versioned and checksummed: docs/reference/program-file.md. Include in
/// sources only.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "acg/base/json_reader.h"

namespace covenant::acg {

using Bytes = std::span<const uint8_t>;

/// Data after the header, as the header describes them.
struct Section {
  uint64_t bytes = 0;
  uint32_t checksum = 0;
};
Section section_of(Bytes data);
Json section_json(const Section& section);
/// The keys `bytes` and `crc32` of an object. Throws Failure.
Section section_of(const JsonReader& reader);

/// The first bytes of files: of one program, and of one of several parts.
using Magic = std::array<uint8_t, 8>;
inline constexpr Magic kProgramMagic{'C', 'O', 'V', 'P', 'R', 'O', 'G', '\n'};
inline constexpr Magic kPartsMagic{'C', 'O', 'V', 'P', 'A', 'R', 'T', 'S'};

struct FileForm {
  Magic magic;
  uint32_t version = 0;
};

inline bool begins_with(Bytes bytes, const Magic& magic) {
  return bytes.size() >= magic.size() && std::equal(magic.begin(), magic.end(), bytes.begin());
}

/// The bytes of a file. `header` describes `sections`, in their order.
std::vector<uint8_t> write_sections(const FileForm& form, const Json& header, const std::vector<Bytes>& sections);

/// Reads a file from its beginning. Errors are Failures: PRG0001 (another magic), PRG0002 (another version), PRG0003
/// (truncated or too long), PRG0004 (checksum), PRG0005 (the header is not JSON).
class SectionReader {
 public:
  /// Checks all up to the end of the header. Borrows `bytes`.
  SectionReader(const FileForm& form, Bytes bytes, std::string_view file_name);

  JsonReader header() const { return {header_, "PRG0005", where_.file, "compile the model again"}; }
  const SourceLocation& where() const { return where_; }
  /// The data of the next section, which is `part` in messages.
  Bytes next(const Section& section, const std::string& part);
  void expect_end();

 private:
  [[noreturn]] void refuse(std::string_view code, std::string message, std::string offending, std::string fix) const;
  [[noreturn]] void truncated() const;
  [[noreturn]] void corrupted(const std::string& part) const;
  size_t check_preamble(const FileForm& form) const;
  void skip_padding();

  Bytes bytes_;
  SourceLocation where_;
  Json header_;
  size_t at_ = 0;  ///< end of what was read
};

}  // namespace covenant::acg
