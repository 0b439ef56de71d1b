// Checks that the operands of a capability have axes in common: what has none, no operator can be embedded in.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "acg/validate/validate_context.h"

namespace covenant::acg::checks {
namespace {

/// How the elements of a capability's operands belong together.
enum class Form : uint8_t {
  kLanes,     ///< lane by lane: operands of one element are broadcast
  kProducts,  ///< [rows, inner] times [inner, columns] gives [rows, columns], or inner pairs to a lane
  kTable      ///< lane by lane, the second operand is a table
};

// The functions whose meaning does not depend on the unit: Table 1 of the Covenant paper, and what the SIMD array adds.
// Reductions (REDUCE_SUM, ...) are not listed: their result may have fewer lanes. Units that are only described may
// have capabilities of other names, whose forms are their own affair.
constexpr std::array<std::pair<std::string_view, Form>, 25> kForms{{{"GEMM", Form::kProducts},
                                                                    {"MMUL", Form::kProducts},
                                                                    {"MVMUL", Form::kProducts},
                                                                    {"MAC", Form::kProducts},
                                                                    {"LOOKUP", Form::kTable},
                                                                    {"ADD", Form::kLanes},
                                                                    {"SUB", Form::kLanes},
                                                                    {"MUL", Form::kLanes},
                                                                    {"DIV", Form::kLanes},
                                                                    {"MAX", Form::kLanes},
                                                                    {"MIN", Form::kLanes},
                                                                    {"MOVE", Form::kLanes},
                                                                    {"COMPARE", Form::kLanes},
                                                                    {"RELU", Form::kLanes},
                                                                    {"SIGMOID", Form::kLanes},
                                                                    {"TANH", Form::kLanes},
                                                                    {"SQRT", Form::kLanes},
                                                                    {"REQUANT", Form::kLanes},
                                                                    {"REQUANT_ADD", Form::kLanes},
                                                                    {"REQUANT_MUL", Form::kLanes},
                                                                    {"REQUANT_FIXED", Form::kLanes},
                                                                    {"REQUANT_ADD_FIXED", Form::kLanes},
                                                                    {"REQUANT_MUL_FIXED", Form::kLanes},
                                                                    {"QUANTIZE", Form::kLanes},
                                                                    {"DEQUANTIZE", Form::kLanes}}};

std::optional<Form> form_of(std::string_view capability) {
  for (const auto& [name, form] : kForms) {
    if (name == capability) return form;
  }
  return std::nullopt;
}

uint64_t elements(const CapabilityOperand& operand) {
  return std::accumulate(operand.shape.begin(), operand.shape.end(), uint64_t{1}, std::multiplies<>());
}

std::string text_of(const CapabilityOperand& operand) { return fmt::format("({})", fmt::join(operand.shape, ",")); }

std::string text_of(const Capability& capability) {
  std::vector<std::string> inputs;
  for (const CapabilityOperand& input : capability.inputs) inputs.push_back(text_of(input));
  return fmt::format("{} = {}({})", text_of(capability.output), capability.name, fmt::join(inputs, ","));
}

/// True if x is [rows, inner], w [inner, columns] and result [rows, columns]: then inner * inner = x * w / result.
bool are_matrices(uint64_t x, uint64_t w, uint64_t result) {
  const double squared = static_cast<double>(x) / static_cast<double>(result) * static_cast<double>(w);
  const auto inner = static_cast<uint64_t>(std::llround(std::sqrt(squared)));
  return inner > 0 && x % inner == 0 && w % inner == 0 && (x / inner) * (w / inner) == result;
}

/// True if each lane of the result adds up as many pairs of a and b as the others; either may be one number.
bool are_pairs(uint64_t a, uint64_t b, uint64_t result) {
  const uint64_t most = std::max(a, b);
  return most % result == 0 && (a == most || a == 1) && (b == most || b == 1);
}

class AxesCheck {
 public:
  AxesCheck(const CheckedNode& node, size_t index)
      : node_(node), index_(index), capability_(node.compute.capabilities.at(index)) {}

  void run() const {
    const std::optional<Form> form = form_of(capability_.name);
    if (form == Form::kProducts) return check_product();
    if (form) check_lanes(form == Form::kTable);
  }

 private:
  void check_product() const {
    const uint64_t result = elements(capability_.output);
    const bool has_two = capability_.inputs.size() >= 2;
    const uint64_t a = elements(capability_.inputs[0]), b = has_two ? elements(capability_.inputs[1]) : 0;
    if (!has_two || (!are_matrices(a, b, result) && !are_pairs(a, b, result))) {
      refuse(node_.where(fmt::format("capability {}", index_)), node_.path,
             {"ACG0067",
              "the operands of a product have no axis in common along which it could be summed",
              text_of(capability_),
              {fmt::format("(rows,columns) = {}((rows,inner),(inner,columns))", capability_.name),
               fmt::format("(lanes) = {}((lanes,inner),(lanes,inner))", capability_.name)},
              "give both inputs the axis that is summed along, and the output all others"});
    }
    for (size_t i = 2; i < capability_.inputs.size(); ++i) {
      if (const uint64_t start = elements(capability_.inputs[i]); start != result && start != 1)
        refuse_lanes(i, result);
    }
  }

  /// All operands that are longer than one element have the same lanes. A result of one element may reduce them.
  void check_lanes(bool has_table) const {
    uint64_t lanes = elements(capability_.output);
    for (size_t i = 0; i < capability_.inputs.size(); ++i) {
      if (has_table && i == 1) continue;
      const uint64_t own = elements(capability_.inputs[i]);
      if (lanes == 1) lanes = own;
      if (own != lanes && own != 1) refuse_lanes(i, lanes);
    }
  }

  void refuse_lanes(size_t input, uint64_t lanes) const {
    refuse(node_.where(fmt::format("capability {}", index_)), node_.path,
           {"ACG0067",
            fmt::format("input {} of {} has no axis in common with the other operands", input, capability_.name),
            text_of(capability_),
            {fmt::format("({})", lanes), "(1)"},
            fmt::format("give it {} elements, or one that is broadcast", lanes)});
  }

  const CheckedNode& node_;
  size_t index_;
  const Capability& capability_;
};

}  // namespace

void check_axes(const CheckedNode& node) {
  for (size_t i = 0; i < node.compute.capabilities.size(); ++i) AxesCheck(node, i).run();
}

}  // namespace covenant::acg::checks
