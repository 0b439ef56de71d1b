/// Kinds of code: how the instruction words of a program make up what its machine executes.
///
/// The description of a machine decides which kind it has. Each kind is a row (group_program.cpp, packet_program.cpp),
/// which other code asks instead of the kind itself.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "acg/program/program.h"

namespace covenant::acg {

/// The instruction words of a program, and the address of the first one in its image.
struct WordStream {
  uint64_t address = 0;
  std::vector<InstructionWord> words;
};

/// Writes the words of one program as text.
class CodeListing {
 public:
  CodeListing() = default;
  CodeListing(const CodeListing&) = delete;
  CodeListing& operator=(const CodeListing&) = delete;
  virtual ~CodeListing() = default;
  /// Lines for the words first..end-1, which are a block. Words beyond the stream are left out.
  virtual std::string block_text(uint64_t first, uint64_t end) const = 0;
  /// Lines for the words from `first` on, which belong to no block; empty if there is nothing to say of them.
  virtual std::string rest_text(uint64_t first) const = 0;
};

/// The row of a kind.
struct CodeKind {
  bool (*is_of)(const Machine& machine);
  /// A device holds the part of the image that `memory_ranges` gives from this address of each memory upwards.
  uint64_t image_address;
  /// The start address that a device is given: that of the program's first block.
  uint64_t (*start_address)(const Program& program);
  /// `program` and `stream` outlive the listing.
  std::unique_ptr<CodeListing> (*listing)(const Program& program, const WordStream& stream);
};

/// The kind of code that programs of the machine have.
const CodeKind& code_of(const Machine& machine);

inline uint64_t image_address(const Program& program) { return code_of(program.machine).image_address; }
inline uint64_t start_address(const Program& program) { return code_of(program.machine).start_address(program); }

}  // namespace covenant::acg
