#include "compiler/binding/chain_codelet.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "acg/base/check.h"
#include "compiler/codelet/parse.h"
#include "compiler/srdfg/chain.h"

namespace covenant::compiler {
namespace {

using srdfg::ChainOperand;
using srdfg::ChainOperation;
using srdfg::ChainStep;

/// True for an input of the layer that is read as it is.
bool is_real(const NetworkLayer& layer, size_t place) {
  const auto dtype = layer.layer.dtypes.find(fmt::format("x{}", place));
  return dtype != layer.layer.dtypes.end() && dtype->second == DType::kF32;
}

/// In the order of ChainOperation; a load is no capability.
constexpr std::array<std::string_view, 8> kCapabilities{"", "ADD", "SUB", "MUL", "DIV", "MAX", "MIN", "SQRT"};

/// Writes the text of a chain's codelet. Precondition: the first input is stored.
class Writer {
 public:
  Writer(const std::vector<ChainStep>& steps, const NetworkLayer& layer)
      : steps_(steps), layer_(layer), made_(steps.size()) {}

  std::string run() {
    for (size_t i = 0; i < steps_.size(); ++i) {
      if (steps_[i].operation == ChainOperation::kLoad) made_[i] = load(std::get<size_t>(steps_[i].operands[0]));
    }
    for (size_t i = 0; i < steps_.size(); ++i) {
      if (steps_[i].operation != ChainOperation::kLoad) made_[i] = compute(steps_[i]);
    }
    return fmt::format(
        "cdlt float_chain {{\n  P=param(); C=param(); SY=param(); ZY=param(); LOWEST=param(); HIGHEST=param();{}\n{}"
        "  y=out([P,C],null,null);\n{}  loop p(P) {{\n    loop c(C) {{\n{}"
        "      y[p,c]=compute(null,\"QUANTIZE\",{},SY,f32(0),zero_point=ZY,lowest=LOWEST,highest=HIGHEST);\n"
        "    }}\n  }}\n}}\n",
        params_, inputs_, locals_, computes_, made_.back());
  }

 private:
  /// Stored elements are dequantised.
  std::string load(size_t place) {
    inputs_ += fmt::format("  x{}=inp([P,C],null,null);\n", place);
    if (is_real(layer_, place)) return fmt::format("x{}[p,c]", place);
    params_ += fmt::format(" SX{0}=param(); ZX{0}=param();", place);
    const std::string made = made_by("DEQUANTIZE", fmt::format("x{0}[p,c],SX{0},ZX{0}", place));
    if (nothing_.empty() && needs_vectors()) nothing_ = made_by("SUB", made + "," + made);
    return made;
  }

  /// Whether a step needs a number as a vector.
  bool needs_vectors() const {
    return std::ranges::any_of(steps_, [](const ChainStep& step) {
      const bool compares = step.operation == ChainOperation::kMax || step.operation == ChainOperation::kMin;
      const auto is_number = [](const ChainOperand& operand) { return std::holds_alternative<float>(operand); };
      return compares ? std::ranges::any_of(step.operands, is_number)
                      : step.operation == ChainOperation::kDiv && is_number(step.operands[0]);
    });
  }

  /// Machines add, multiply and divide by a number, and take vectors for all else.
  std::string compute(const ChainStep& step) {
    const ChainOperand& a = step.operands.front();
    const ChainOperand& b = step.operands.back();
    const auto* first = std::get_if<float>(&a);
    const auto* second = std::get_if<float>(&b);
    const bool adds = step.operation == ChainOperation::kAdd, subtracts = step.operation == ChainOperation::kSub;
    const bool divides = step.operation == ChainOperation::kDiv;
    const std::string capability(kCapabilities.at(static_cast<size_t>(step.operation)));
    if (step.operation == ChainOperation::kSqrt) return made_by(capability, text(a));
    const bool commutes = adds || step.operation == ChainOperation::kMul;
    if (commutes && first != nullptr) return made_by(capability, text(b) + "," + text(a));
    if (commutes || (divides && second != nullptr)) return made_by(capability, text(a) + "," + text(b));
    if (subtracts && second != nullptr) return made_by("ADD", text(a) + "," + text(ChainOperand{-*second}));
    if (subtracts && first != nullptr) {
      return made_by("ADD", made_by("MUL", text(b) + ",f32(-0x1p+0)") + "," + text(a));
    }
    const std::string left = vector(a);
    return made_by(capability, left + "," + vector(b));
  }

  std::string text(const ChainOperand& operand) const {
    const auto* number = std::get_if<float>(&operand);
    return number != nullptr ? fmt::format("f32({:a})", *number) : made_[std::get<size_t>(operand)];
  }

  /// An operand; a number in all elements of a vector.
  std::string vector(const ChainOperand& operand) {
    const bool is_number = std::holds_alternative<float>(operand);
    return is_number ? made_by("ADD", nothing_ + "," + text(operand)) : text(operand);
  }

  /// The local that an operation makes.
  std::string made_by(const std::string& capability, const std::string& operands) {
    locals_ += fmt::format("  t{}=local([P,C],f32,null);\n", count_);
    const std::string made = fmt::format("t{}[p,c]", count_++);
    computes_ += fmt::format("      {}=compute(null,\"{}\",{});\n", made, capability, operands);
    return made;
  }

  const std::vector<ChainStep>& steps_;
  const NetworkLayer& layer_;
  std::vector<std::string> made_;  ///< how the result of each step is referred to
  std::string nothing_;            ///< 0 in all elements, where a step needs a number as a vector
  size_t count_ = 0;               ///< locals so far
  std::string params_, inputs_, locals_, computes_;
};

/// Inputs of the layer's codelet.
size_t inputs_of(const NetworkLayer& layer) {
  size_t count = 0;
  for (const auto& [name, dtype] : layer.layer.dtypes) count += name.starts_with('x') ? 1 : 0;
  return count;
}

}  // namespace

Result<codelet::Codelet> chain_codelet(const NetworkLayer& layer) {
  const auto steps = srdfg::chain_steps(layer.steps, inputs_of(layer));
  if (!steps || is_real(layer, 0)) {
    return Diagnostic{"NET0006",
                      {},
                      layer.layer.name,
                      "the steps are no chain of operations on the layer's tensors, the first of them stored",
                      layer.steps,
                      {"load 0; mul %0 0x1p-1; ..."},
                      "write what compiler/srdfg/chain.h says of them"};
  }
  Result<codelet::Codelet> made = codelet::parse(Writer(*steps, layer).run(), "compiler/library/float_chain.cdlt");
  check(static_cast<bool>(made), "the codelet of a chain has the form of codelets");
  return made;
}

}  // namespace covenant::compiler
