/// Reads and writes programs as `.cprog` files, versioned and checksummed. Layout: docs/reference/program-file.md.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "acg/base/result.h"
#include "acg/program/program.h"

namespace covenant::acg {

inline constexpr uint32_t kProgramFileVersion = 6;

/// The bytes of a program file; equal programs give equal bytes. Checksums are computed from the content, so they are
/// correct even if the words of a program were edited.
std::vector<uint8_t> write_program(const Program& program);

/// Reads the program in `bytes`; `file_name` is for messages. On success its machine has passed `validate`, and its
/// segments, bindings and blocks are consistent. Errors: PRG0001 (not a program file), PRG0002 (another version),
/// PRG0003 (truncated or too long), PRG0004 (checksum), PRG0005 (malformed header), PRG0006 (parts that contradict each
/// other), PRG0007 (a program of several parts: acg/program/parts_file.h), and the codes of acg::from_json for the
/// machine.
Result<Program> read_program(std::span<const uint8_t> bytes, std::string_view file_name);

}  // namespace covenant::acg
