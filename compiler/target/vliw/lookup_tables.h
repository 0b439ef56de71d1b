/// Tables of LOOKUP: where they lie, and the instructions that look them up.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/codelet/codelet.h"
#include "compiler/target/vliw/selected_compute.h"

namespace covenant::compiler::vliw {

/// A codelet whose tables of bytes are tensors.
struct TablesInMemory {
  struct Table {
    std::string surrogate;
    std::vector<uint8_t> bytes;  ///< as they lie there
  };
  codelet::Codelet codelet;
  std::vector<Table> tables;  ///< in the order in which they are met, none twice
};

/// Pre: tiled. Post: a LOOKUP reads its table from registers of its node, which are loaded in front of all loops around
/// it that sum nothing up: sums want the registers themselves. For lowering only: no text has the names of the tables.
TablesInMemory with_tables_in_memory(const codelet::Codelet& tiled, const acg::Machine& machine);

/// The entries of a table as the core looks them up: in each vector those of its first half at the even bytes.
std::vector<uint8_t> lanes_of_table(std::span<const uint8_t> table);

/// Appends the instructions of a LOOKUP whose table, of a byte for each byte, lies in registers. False if it is none.
bool select_lookup(const SelectedCompute& wanted, Writer& writer, std::vector<Step>& to);

}  // namespace covenant::compiler::vliw
