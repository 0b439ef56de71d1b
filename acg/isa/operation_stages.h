/// In which stages the instructions of a machine read and write registers: the marks of its mnemonics, by operation.
#pragma once

#include <cstdint>
#include <vector>

#include "acg/graph/graph.h"

namespace covenant::acg {

struct OperationStages {
  // By operand; 0 where the mnemonic says none.
  std::vector<uint32_t> reads, writes;
  std::vector<uint32_t> limits;  ///< the field holds only numbers below this
  uint32_t latency = 0;          ///< that of the mnemonic; 0: stages tell it
  bool is_vector = false;        ///< it occupies pipes
};

class StageTable {
 public:
  /// Keeps no reference to the machine. Of several mnemonics that do one operation the first counts.
  explicit StageTable(const Machine& machine);
  /// Nothing in it for an operation that no mnemonic does.
  const OperationStages& of(Operation operation) const { return stages_[static_cast<size_t>(operation)]; }

 private:
  std::vector<OperationStages> stages_;
};

}  // namespace covenant::acg
