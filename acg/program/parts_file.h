/// Reads and writes programs of several parts as `.cprog` files, versioned and checksummed. Layout:
/// docs/reference/program-file.md.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "acg/base/result.h"
#include "acg/program/program_parts.h"

namespace covenant::acg {

inline constexpr uint32_t kPartsFileVersion = 1;

/// True if the bytes begin as a file of several parts does; one of a single program begins otherwise.
bool is_parts_file(std::span<const uint8_t> bytes);

/// The bytes of a file; equal programs give equal bytes. Precondition: check_parts.
std::vector<uint8_t> write_parts(const ProgramParts& parts);

/// Reads the parts in `bytes`; `file_name` is for messages. On success each of them is as `read_program` says, and they
/// fit each other. Errors: those of `read_program` for the whole and each part, PRG0007 (one program), and those of
/// `check_parts`.
Result<ProgramParts> read_parts(std::span<const uint8_t> bytes, std::string_view file_name);

}  // namespace covenant::acg
