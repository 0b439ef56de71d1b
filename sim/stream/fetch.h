/// Reading a program out of off-chip memory, block by block (docs/reference/units/control.md).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "acg/graph/graph.h"
#include "acg/isa/encode.h"
#include "acg/operations/operation.h"

namespace covenant::sim {

/// A word as stored in memory, with its decoded instruction.
struct Word {
  acg::InstructionWord bits;
  acg::Instruction instruction;
};

struct FetchedGroup {
  uint32_t engine = 0;
  uint64_t header = 0;  ///< word index of its header within the block
  acg::InstructionWord header_bits;
  std::vector<Word> words;
};

struct FetchedBlock {
  uint64_t address = 0;           ///< off-chip byte of its first word
  uint64_t words = 0;             ///< headers and block_end included
  acg::InstructionWord end_bits;  ///< the block_end word
  bool is_last = false;
  std::vector<FetchedGroup> groups;
};

/// Cycles of one block's fetch.
struct FetchTimes {
  uint64_t start = 0;
  uint64_t latency = 0;  ///< of the off-chip memory
  uint64_t word_bytes = 4;
  uint64_t beat_bytes = 4;
  std::vector<uint64_t> beats{};  ///< arrival of each beat, if the memory must be asked
  /// First cycle in which word w of the block is visible in the instruction memory: after the one of its last byte.
  uint64_t arrive(uint64_t w) const {
    const uint64_t beat = ((w + 1) * word_bytes - 1) / beat_bytes;
    return (beats.empty() ? start + latency + beat : beats[beat]) + 1;
  }
  /// fetch_end, for a block of `words` words.
  uint64_t end(uint64_t words) const { return arrive(words - 1) + 1; }
};

class FetchUnit {
 public:
  /// Precondition: the machine has an instruction memory, fed by an edge.
  explicit FetchUnit(const acg::Machine& machine);

  /// Decodes the block at `address`. `subject` names the block in faults.
  /// Faults SIM0001 (does not decode), SIM0002 (no header), SIM0003 (length of a group), SIM0004 (second group of an
  /// engine), SIM0005 (word of another unit), SIM0006 (runs past the end of the memory).
  FetchedBlock fetch(std::span<const uint8_t> offchip, uint64_t address, const std::string& subject);

  /// How far the words of a block that arrives have been looked at.
  struct Scan {
    uint64_t header;              ///< address of the first word that is neither a group's nor a header that was seen
    std::vector<bool> is_seen{};  ///< by engine: it has a group
  };
  /// True if the bytes before `end` hold the end of the block, or a header for which `fetch` raises a fault.
  bool has_come(Scan& scan, std::span<const uint8_t> offchip, uint64_t end);

  /// Words that the last call of `fetch` has read, also if it ended with a fault.
  uint64_t words_read() const { return words_read_; }

  /// Address of the block after `block`.
  uint64_t address_after(const FetchedBlock& block) const;
  FetchTimes times(uint64_t fetch_start) const { return {fetch_start, latency_, word_bytes_, beat_bytes_, {}}; }
  uint64_t latency() const { return latency_; }
  /// Upper bound of the bytes of a block.
  uint64_t largest_block_bytes() const;
  uint64_t beat_bytes() const { return beat_bytes_; }
  uint64_t word_bytes() const { return word_bytes_; }
  /// Name of the edge that words come by, "DRAM->IMEM".
  const std::string& edge_name() const { return edge_name_; }
  const acg::Codec& codec() const { return codec_; }

 private:
  struct Cursor;
  const acg::Instruction& decode(const acg::InstructionWord& bits);
  bool goes_on(Scan& scan, const acg::InstructionWord& header);
  FetchedGroup fetch_group(Cursor& cursor, const Word& header);
  void check_owner(const acg::Engine& engine, const Word& word) const;

  const acg::Machine& machine_;
  acg::Codec codec_;
  std::vector<acg::Engine> engines_;
  std::unordered_map<acg::InstructionWord, acg::Instruction, acg::InstructionWordHash> decoded_;  ///< look-up only
  std::string edge_name_;
  uint64_t latency_ = 0;
  uint64_t word_bytes_ = 4;
  uint64_t beat_bytes_ = 4;
  uint64_t words_read_ = 0;
  uint64_t depth_ = 0;  ///< words that one buffer of an engine's instruction memory holds
};

}  // namespace covenant::sim
