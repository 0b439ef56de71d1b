#include "acg/isa/vliw/operation_stages.h"

namespace covenant::acg {
namespace {

OperationStages stages_of(const Mnemonic& mnemonic) {
  const size_t operands = info(mnemonic.does).operands.size();
  OperationStages stages{std::vector<uint32_t>(operands), std::vector<uint32_t>(operands),
                         std::vector<uint32_t>(operands), mnemonic.latency, !mnemonic.pipes.empty()};
  for (const Field& field : mnemonic.fields) {
    if (field.operand.empty()) continue;
    const size_t at = operand_index(mnemonic.does, field.operand);
    stages.reads[at] = field.reads.value_or(0);
    stages.writes[at] = field.writes.value_or(0);
    stages.limits[at] = static_cast<uint32_t>(highest_value(field)) + field.scale;
  }
  return stages;
}

}  // namespace

StageTable::StageTable(const Machine& machine) : stages_(kOperationCount) {
  std::vector<bool> is_known(kOperationCount);
  for (const Mnemonic& mnemonic : machine.mnemonics) {
    const auto at = static_cast<size_t>(mnemonic.does);
    if (is_known[at]) continue;
    is_known[at] = true;
    stages_[at] = stages_of(mnemonic);
  }
}

}  // namespace covenant::acg
