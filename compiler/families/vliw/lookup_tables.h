/// Tables of LOOKUP: their place in memory, and the instructions that look them up.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/codelet/codelet.h"
#include "compiler/families/vliw/selected_compute.h"

namespace covenant::compiler::vliw {

/// A codelet whose byte tables are tensors.
struct TablesInMemory {
  struct Table {
    std::string surrogate;
    std::vector<uint8_t> bytes;  ///< in their order in memory
  };
  codelet::Codelet codelet;
  std::vector<Table> tables;  ///< in order of first use, without duplicates
};

/// Pre: tiled. Post: a LOOKUP reads its table from registers of its node. The table is loaded before all enclosing
/// loops that do not sum: sums need the registers themselves. For lowering only: the text form has no names for the
/// tables.
TablesInMemory with_tables_in_memory(const codelet::Codelet& tiled, const acg::Machine& machine);

/// The entries of a table in the order that the core needs: in each vector those of its first half at the even bytes.
std::vector<uint8_t> lanes_of_table(std::span<const uint8_t> table);

/// Appends the instructions of a LOOKUP from bytes to bytes whose table is in registers. False if it is another one.
bool select_lookup(const SelectedCompute& wanted, Writer& writer, std::vector<CodeStep>& to);

}  // namespace covenant::compiler::vliw
