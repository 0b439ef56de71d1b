#include "compiler/codelet/runnable.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

#include "acg/base/accumulator.h"
#include "acg/base/failure.h"
#include "acg/graph/numerics.h"
#include "acg/graph/queries.h"
#include "compiler/codelet/block.h"
#include "compiler/codelet/capability.h"
#include "compiler/codelet/element.h"
#include "compiler/codelet/print.h"

namespace covenant::compiler::codelet {
namespace {

struct LoopScope {
  std::string variable;
  uint32_t slot = 0;
  int64_t lower = 0;
};

class Maker {
 public:
  Maker(const Codelet& codelet, const acg::Machine* machine) : codelet_(codelet), machine_(machine) {}

  Runnable make() {
    for (const Surrogate& surrogate : codelet_.surrogates) declare(surrogate);
    runnable_.steps = body(codelet_.body);
    return std::move(runnable_);
  }

 private:
  struct TensorScope {
    uint32_t tensor = 0;
    size_t loops = 0;  ///< number of loops around the declaration
  };

  [[noreturn]] void not_bound(const SourceLocation& where, const std::string& what) const {
    throw Failure{
        {"CDL0020", where, codelet_.name, "not bound to a value yet", what, {}, "bind the codelet to a layer"}};
  }
  [[noreturn]] void cannot_compute(const std::string& message, const std::string& what,
                                   std::vector<std::string> allowed) const {
    throw Failure{{"CDL0022", where_, codelet_.name, message, what, std::move(allowed),
                   "use a capability that the interpreter knows, on dtypes that it takes"}};
  }

  void declare(const Surrogate& surrogate) {
    where_ = surrogate.where;
    if (surrogate.kind == SurrogateKind::kParam) {
      if (!surrogate.value) not_bound(where_, surrogate.name);
      params_[surrogate.name] = *surrogate.value;
      return;
    }
    if (!surrogate.dtype) not_bound(where_, "dtype of " + surrogate.name);
    TensorInfo info{surrogate.name, *surrogate.dtype, numbers(surrogate.shape), 0};
    info.fill = lane(info.dtype, number(surrogate.fill));
    info.strides = numbers(surrogate.strides);
    info.offset = number(surrogate.offset);
    scopes_[surrogate.name] = {add(std::move(info)), 0};
    runnable_.kinds.push_back(surrogate.kind);
  }

  uint32_t add(TensorInfo info) {
    runnable_.tensors.push_back(std::move(info));
    return static_cast<uint32_t>(runnable_.tensors.size() - 1);
  }

  Affine affine(const Expression& expression) const {
    Affine result;
    for (const Term& term : expression.terms()) {
      int64_t factor = term.coefficient;
      std::optional<uint32_t> variable;
      for (const std::string& name : term.names) {
        const auto loop =
            std::find_if(loops_.begin(), loops_.end(), [&](const LoopScope& scope) { return scope.variable == name; });
        if (const auto param = params_.find(name); param != params_.end()) {
          factor *= param->second.integer;
        } else if (loop != loops_.end() && !variable) {
          variable = loop->slot;
        } else {
          not_bound(where_, expression.print());
        }
      }
      if (variable) {
        result.terms.emplace_back(*variable, factor);
      } else {
        result.offset += factor;
      }
    }
    return result;
  }
  int64_t number(const Expression& expression) const {
    const Affine value = affine(expression);
    if (!value.terms.empty()) not_bound(where_, expression.print());
    return value.offset;
  }
  std::vector<int64_t> numbers(const std::vector<Expression>& expressions) const {
    std::vector<int64_t> result;
    for (const Expression& expression : expressions) result.push_back(number(expression));
    return result;
  }

  View view(const Reference& reference, const Block& block) const {
    View result = view(reference, block.extents);
    result.rows = block.rows;
    result.step = block.step;
    result.elements *= block.rows;
    check(block.rows == 1 || block.step == 0 || result.origin.size() > 1, "rows have a dimension: verify first");
    return result;
  }

  View view(const Reference& reference, const std::vector<int64_t>& extents) const {
    View result;
    result.tensor = scopes_.at(reference.surrogate).tensor;
    const size_t rank = runnable_.tensors[result.tensor].shape.size();
    for (const Expression& index : reference.indices) result.origin.push_back(affine(index));
    result.origin.resize(rank);
    check(extents.size() <= rank, "a block has more dimensions than its tensor: verify first");
    result.extents.assign(rank - extents.size(), 1);
    result.extents.insert(result.extents.end(), extents.begin(), extents.end());
    for (const int64_t extent : extents) result.elements *= extent;
    return result;
  }

  std::vector<Action> body(const std::vector<Operation>& operations) {
    const std::map<std::string, TensorScope> outer = scopes_;
    std::vector<Action> steps;
    for (const Operation& operation : operations) {
      where_ = operation.where;
      if (const auto* one_loop = std::get_if<Loop>(&operation.op)) {
        steps.push_back({loop(*one_loop)});
      } else if (const auto* one_transfer = std::get_if<Transfer>(&operation.op)) {
        transfer(*one_transfer, steps);
      } else {
        steps.push_back({compute(std::get<Compute>(operation.op))});
      }
    }
    scopes_ = outer;
    return steps;
  }

  LoopAction loop(const Loop& source) {
    LoopAction step;
    step.variable = static_cast<uint32_t>(runnable_.variables++);
    step.lower = number(source.lower);
    step.upper = number(source.upper);
    step.stride = number(source.stride);
    loops_.push_back({source.variable, step.variable, step.lower});
    step.body = body(source.body);
    loops_.pop_back();
    return step;
  }

  void transfer(const Transfer& source, std::vector<Action>& steps) {
    const std::vector<int64_t> shape = numbers(source.shape);
    if (source.destination) {
      const auto& from = std::get<Reference>(source.source);
      steps.push_back({CopyAction{view(from, shape), view(*source.destination, shape)}});
      return;
    }
    TensorInfo local{source.local, DType::kI32, shape, 0};
    if (const auto* constant = std::get_if<Constant>(&source.source)) {
      local.dtype = constant->dtype;
      const uint32_t tensor = add(std::move(local));
      scopes_[source.local] = {tensor, loops_.size()};
      steps.push_back({AllocateAction{tensor, lane(*constant)}});
      return;
    }
    const View from = view(std::get<Reference>(source.source), shape);
    local.dtype = runnable_.tensors[from.tensor].dtype;
    const uint32_t tensor = add(std::move(local));
    scopes_[source.local] = {tensor, loops_.size()};
    steps.push_back({CopyAction{from, view(Reference{source.local, {}}, shape)}});
  }

  ComputeAction compute(const Compute& source) {
    const std::optional<FunctionInfo> function = function_named(source.capability);
    if (!function) cannot_compute("the interpreter does not know this capability", source.capability, function_names());
    std::vector<std::variant<Reference, Constant>> operands;
    std::vector<OperandType> types;
    for (const auto& operand : source.operands) {
      operands.push_back(resolved(operand));
      const auto* constant = std::get_if<Constant>(&operands.back());
      types.push_back(constant != nullptr ? type_of(*constant)
                                          : OperandType{dtype_of(std::get<Reference>(operands.back()))});
    }
    const DType output = dtype_of(source.destination);
    check_types(*function, output, types);
    ComputeAction step;
    step.function = function->function;
    if (info(output).is_float) {
      const bool converts = function->function == Function::kMove && !info(types[0].dtype).is_float;
      step.function = converts ? Function::kConvert : real_form(function->function).value_or(function->function);
    }
    const std::vector<Block> blocks = blocks_of(source, output, types);
    check_extents(*function, blocks);
    step.destination = view(source.destination, blocks[0]);
    for (size_t i = 0; i < operands.size(); ++i) {
      if (const auto* constant = std::get_if<Constant>(&operands[i])) {
        step.operands.emplace_back(lanes(*constant));
      } else {
        step.operands.emplace_back(view(std::get<Reference>(operands[i]), blocks[i + 1]));
      }
    }
    step.quantization = quantization(source);
    if (const acg::Compute* node = node_of(source)) {
      step.accumulator_bits = acg::accumulator_bits(*node);
      step.saturates = acg::saturates(*node) && function->accumulates;
    }
    if (function->accumulates) step.reduction = reduction_loops(source.destination);
    return step;
  }

  std::variant<Reference, Constant> resolved(const std::variant<Reference, Constant>& operand) const {
    if (const auto* reference = std::get_if<Reference>(&operand)) {
      if (const auto param = params_.find(reference->surrogate); param != params_.end()) return param->second;
    }
    return operand;
  }
  DType dtype_of(const Reference& reference) const {
    return runnable_.tensors[scopes_.at(reference.surrogate).tensor].dtype;
  }

  void check_types(const FunctionInfo& function, DType output, const std::vector<OperandType>& types) const {
    if (types.size() != function.operands) {
      cannot_compute("wrong number of operands of " + std::string(function.name), std::to_string(types.size()),
                     {std::to_string(function.operands)});
    }
    const auto require = [&](DType dtype, bool is_float) {
      if (info(dtype).is_float != is_float) {
        cannot_compute("wrong dtype for " + std::string(function.name), std::string(name(dtype)),
                       {is_float ? "f32" : "an integer"});
      }
    };
    const auto is_u32 = [](const OperandType& type) { return type.dtype == DType::kU32; };
    if (function.orders && std::any_of(types.begin(), types.end(), is_u32)) {
      cannot_compute("wrong dtype for " + std::string(function.name), "u32", {"i32", "an integer of 8 or 16 bits"});
    }
    if (real_form(function.function)) {
      for (const OperandType& type : types) require(type.dtype, info(output).is_float);
      return;
    }
    if (function.function == Function::kMove) {
      if (!info(output).is_float) require(types[0].dtype, false);
      return;
    }
    if (function.function != Function::kLookup) require(output, has_real_result(function.function));
    for (size_t i = 0; i < types.size(); ++i) require(types[i].dtype, is_real(function.function, i, output));
    for (size_t i = function.operands - function.constants; i < types.size(); ++i) {
      if (types[i].is_constant) continue;
      cannot_compute(fmt::format("{} takes operand {} as a constant", function.name, i), "a tensor", {});
    }
  }

  static bool has_real_result(Function function) {
    switch (function) {
      case Function::kSigmoid:
      case Function::kTanh:
      case Function::kSqrt:
      case Function::kDequantize:
      case Function::kDequantizeSum:
        return true;
      default:
        return false;
    }
  }

  /// True if operand `i` is f32.
  static bool is_real(Function function, size_t i, DType output) {
    switch (function) {
      case Function::kSigmoid:
      case Function::kTanh:
      case Function::kSqrt:
      case Function::kQuantize:
        return true;
      case Function::kLookup:
        return i == 1 && info(output).is_float;
      case Function::kDequantize:
      case Function::kDequantizeSum:
      case Function::kRequant:
      case Function::kRequantFixed:
        return i == 1;
      case Function::kRequantAdd:
      case Function::kRequantAddFixed:
        return i >= 2;
      case Function::kRequantMul:
        return i == 2 || i == 3;
      case Function::kRequantMulFixed:
        return i == 2;
      default:
        return false;
    }
  }

  /// `blocks`: that of the destination, then those of the operands.
  void check_extents(const FunctionInfo& function, const std::vector<Block>& blocks) const {
    std::vector<size_t> sizes;
    for (const Block& block : blocks) sizes.push_back(static_cast<size_t>(block.rows * block.row_elements()));
    if (fit_together(function.function, std::span(sizes).subspan(1), sizes[0])) return;
    cannot_compute("operands and result of " + std::string(function.name) + " do not fit each other",
                   fmt::format("{} = {}({})", sizes[0], function.name, fmt::join(sizes.begin() + 1, sizes.end(), ",")),
                   {});
  }

  /// Blocks of the destination and of every operand: scalars without a location, else the extents of the capability.
  std::vector<Block> blocks_of(const Compute& source, DType output, const std::vector<OperandType>& types) const {
    std::vector<Block> blocks(1);
    if (source.location.empty()) {
      for (const OperandType& type : types) {
        blocks.push_back(type.elements == 1 ? Block{} : Block{{static_cast<int64_t>(type.elements)}});
      }
      return blocks;
    }
    check(machine_ != nullptr, "a located compute needs a machine: verify first");
    const auto node = acg::find_compute(*machine_, source.location);
    check(node.has_value(), "unknown compute node: verify first");
    const acg::Capability* capability =
        find_capability(acg::get(*machine_, node.value()), source.capability, output, types);
    check(capability != nullptr, "no such capability: verify first");
    blocks[0] = block_of(source, std::nullopt, *capability);
    for (size_t i = 0; i < capability->inputs.size(); ++i) {
      blocks.push_back(block_of(source, i, *capability));
    }
    return blocks;
  }

  /// The node of a compute. Null without a location: sums then have 32 bits.
  const acg::Compute* node_of(const Compute& source) const {
    if (source.location.empty()) return nullptr;
    return &acg::get(*machine_, acg::find_compute(*machine_, source.location).value());
  }

  Quantization quantization(const Compute& source) const {
    const auto attribute = [&](const char* name) {
      const auto found = source.attributes.find(name);
      return found == source.attributes.end() ? 0 : static_cast<int32_t>(number(found->second));
    };
    return {attribute("zero_point"), attribute("lowest"), attribute("highest"), attribute("shift"),
            attribute("half_away") != 0};
  }

  std::vector<std::pair<uint32_t, int64_t>> reduction_loops(const Reference& destination) const {
    std::vector<std::pair<uint32_t, int64_t>> result;
    for (size_t i = scopes_.at(destination.surrogate).loops; i < loops_.size(); ++i) {
      if (!destination.mentions(loops_[i].variable)) result.emplace_back(loops_[i].slot, loops_[i].lower);
    }
    return result;
  }

  const Codelet& codelet_;
  const acg::Machine* machine_;
  Runnable runnable_;
  SourceLocation where_;
  std::map<std::string, Constant> params_;
  std::map<std::string, TensorScope> scopes_;
  std::vector<LoopScope> loops_;
};

}  // namespace

int64_t TensorInfo::elements() const {
  if (!strides.empty()) {
    int64_t last = offset;
    for (size_t d = 0; d < shape.size(); ++d) last += (shape[d] - 1) * strides[d];
    return last + 1;
  }
  int64_t product = 1;
  for (const int64_t extent : shape) product *= extent;
  return product;
}

Result<Runnable> make_runnable(const Codelet& codelet, const acg::Machine* machine) {
  return guarded<Runnable>([&] { return Maker(codelet, machine).make(); });
}

}  // namespace covenant::compiler::codelet
