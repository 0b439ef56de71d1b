/// Pipeline stages in which instructions read and write registers, by operation: the stage marks of a machine's
/// mnemonics.
#pragma once

#include <cstdint>
#include <vector>

#include "acg/graph/graph.h"

namespace covenant::acg {

struct OperationStages {
  // Per operand; 0 where the mnemonic gives no stage.
  std::vector<uint32_t> reads, writes;
  std::vector<uint32_t> limits;  ///< per operand: the field holds only numbers below this
  uint32_t latency = 0;          ///< latency of the mnemonic; 0: given by stages
  bool is_vector = false;        ///< the instruction occupies pipes
};

class StageTable {
 public:
  /// Keeps no reference to the machine. If several mnemonics implement one operation, the first counts.
  explicit StageTable(const Machine& machine);
  /// Empty for an operation that no mnemonic implements.
  const OperationStages& of(Operation operation) const { return stages_[static_cast<size_t>(operation)]; }

 private:
  std::vector<OperationStages> stages_;
};

}  // namespace covenant::acg
