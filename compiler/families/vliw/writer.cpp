#include "compiler/families/vliw/writer.h"

#include <iterator>

#include "acg/base/check.h"

namespace covenant::compiler::vliw {

using acg::RegisterFile;
using acg::VliwOperation;

void Writer::add(std::vector<CodeStep>& to, VliwOperation operation, std::initializer_list<CodeOperand> operands,
                 uint32_t object) const {
  CodeInstruction made{{operation_of(operation), {}}, false, object};
  const std::span<const acg::OperandInfo> infos = acg::info(made.instruction.operation).operands;
  check(operands.size() == infos.size(), "an instruction has all of its operands");
  size_t at = 0;
  for (const CodeOperand& operand : operands) {
    made.instruction.operands[at] = operand.value;
    const bool is_number = infos[at].kind == acg::OperandKind::kSigned || infos[at].kind == acg::OperandKind::kUnsigned;
    if (is_number && !immediates_.hold(made.instruction.operation, at, operand.value)) made.is_extended = true;
    ++at;
  }
  to.emplace_back(made);
}

Name Writer::scalar(int32_t value) {
  const Name made = make(RegisterFile::kScalar);
  add(front_, VliwOperation::kA2Tfrsi, {made, value});
  return made;
}

Name Writer::constant(int32_t value) {
  const auto found = constants_.find(value);
  return found != constants_.end() ? found->second : constants_.emplace(value, scalar(value)).first->second;
}

Name Writer::splat(int32_t value, uint32_t bytes) {
  const std::pair key(value, bytes);
  if (const auto found = splats_.find(key); found != splats_.end()) return found->second;
  const Name from = constant(value);
  const Name made = vector();
  add(front_,
      bytes == 1   ? VliwOperation::kLvsplatb
      : bytes == 2 ? VliwOperation::kLvsplath
                   : VliwOperation::kLvsplatw,
      {made, from});
  return splats_.emplace(key, made).first->second;
}

void Writer::begin(std::vector<CodeStep>& steps, size_t at) {
  steps.insert(steps.begin() + static_cast<std::ptrdiff_t>(at), std::make_move_iterator(front_.begin()),
               std::make_move_iterator(front_.end()));
  front_.clear();
}

Code Writer::take(std::vector<CodeStep> steps) {
  code_.steps = std::move(front_);
  code_.steps.insert(code_.steps.end(), std::make_move_iterator(steps.begin()), std::make_move_iterator(steps.end()));
  return std::move(code_);
}

}  // namespace covenant::compiler::vliw
