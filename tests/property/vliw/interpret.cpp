#include "tests/property/vliw/interpret.h"

#include "sim/vliw/micro_operation.h"

namespace covenant::compiler::vliw::testing {
namespace {

using acg::RegisterFile;
using sim::vliw::CoreState;
using sim::vliw::Vector;

/// Every half of a virtual register.
struct Values {
  std::map<Name, uint32_t> scalars;
  std::map<Name, uint8_t> predicates;
  std::map<Name, Vector> vectors, vector_predicates;
};

class Interpreter {
 public:
  Interpreter(const Code& code, std::span<uint8_t> data, uint32_t address) : code_(code) {
    state_.memory.add("data", address, data);
  }

  void give(uint32_t number, uint32_t value) { values_.scalars[{number, false}] = value; }

  void run(const std::vector<CodeStep>& steps) {
    for (const CodeStep& step : steps) {
      if (const auto* instruction = std::get_if<CodeInstruction>(&step)) {
        run(*instruction);
        continue;
      }
      const CodeLoop& loop = std::get<CodeLoop>(step);
      for (uint32_t trip = 0; trip < loop.trips; ++trip) run(loop.body);
    }
  }

 private:
  /// Operand i works on the machine's registers 2i and 2i + 1.
  void run(const CodeInstruction& instruction) {
    const std::span<const acg::OperandInfo> operands = acg::info(instruction.instruction.operation).operands;
    sim::vliw::MicroOperation step{
        sim::vliw::execute_of(acg::vliw_operation(instruction.instruction.operation).value()), {}};
    for (size_t i = 0; i < operands.size(); ++i) {
      const bool is_register = operands[i].access != acg::Access::kNone;
      step.operands[i] = is_register ? place_of(i, operands[i].kind) : instruction.instruction.operands[i];
      if (is_register) copy(instruction.instruction.operands[i], operands[i].kind, step.operands[i], true);
    }
    state_.touches = 0;
    step.execute(state_, step);
    for (size_t i = 0; i < operands.size(); ++i) {
      if (!writes(operands[i].access)) continue;
      copy(instruction.instruction.operands[i], operands[i].kind, step.operands[i], false);
    }
  }

  static int32_t place_of(size_t operand, acg::OperandKind kind) {
    const bool are_few = kind == acg::OperandKind::kPredicate || kind == acg::OperandKind::kVectorPredicate;
    return static_cast<int32_t>(are_few ? operand : 2 * operand);
  }

  void copy(int32_t operand, acg::OperandKind kind, int32_t place, bool in) {
    const Name name = Name::of(operand);
    const auto at = static_cast<size_t>(place);
    const bool is_pair = kind == acg::OperandKind::kScalarPair || kind == acg::OperandKind::kVectorPair;
    for (const bool is_upper : {name.is_upper, true}) {
      const Name half{name.number, is_upper};
      const size_t where = at + (is_pair && is_upper ? 1 : 0);
      switch (code_.registers[name.number].file) {
        case RegisterFile::kScalar:
          move(values_.scalars[half], state_.registers.scalars[where], in);
          break;
        case RegisterFile::kVector:
          move(values_.vectors[half], state_.registers.vectors[where], in);
          break;
        case RegisterFile::kPredicate:
          move(values_.predicates[half], state_.registers.predicates[where], in);
          break;
        default:
          move(values_.vector_predicates[half], state_.registers.vector_predicates[where], in);
      }
      if (!is_pair) return;
    }
  }

  template <typename Value>
  static void move(Value& of_code, Value& of_machine, bool in) {
    in ? of_machine = of_code : of_code = of_machine;
  }

  const Code& code_;
  CoreState state_;
  Values values_;
};

}  // namespace

void interpret(const Code& code, std::span<uint8_t> data, uint32_t address, const std::map<uint32_t, uint32_t>& given) {
  Interpreter interpreter(code, data, address);
  for (const auto& [number, value] : given) interpreter.give(number, value);
  interpreter.run(code.steps);
}

}  // namespace covenant::compiler::vliw::testing
