#include "compiler/target/vliw/selection.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "acg/base/check.h"
#include "compiler/codelet/element.h"
#include "compiler/target/vliw/scales.h"

namespace covenant::compiler::vliw {
namespace {

using acg::VliwOperation;
using enum acg::VliwOperation;

/// One instruction for lanes of one dtype: result and operands are alike.
struct LaneInstruction {
  std::string_view capability;
  DType dtype;
  VliwOperation operation;
};
constexpr std::array kLaneInstructions{
    LaneInstruction{"ADD", DType::kI32, kVaddw},        LaneInstruction{"SUB", DType::kI32, kVsubw},
    LaneInstruction{"ADD", DType::kI16, kVaddh},        LaneInstruction{"MAX", DType::kI32, kVmaxw},
    LaneInstruction{"MAX", DType::kI8, kVmaxb},         LaneInstruction{"MAX", DType::kU8, kVmaxub},
    LaneInstruction{"MIN", DType::kI32, kVminw},        LaneInstruction{"MIN", DType::kI8, kVminb},
    LaneInstruction{"MIN", DType::kU8, kVminub},        LaneInstruction{"REDUCE_MAX", DType::kI8, kVmaxb},
    LaneInstruction{"REDUCE_MAX", DType::kU8, kVmaxub},
};

/// Sums of four products: weights in a vector, inputs in a scalar register. Some want the inputs in all lanes.
struct ProductInstruction {
  DType weights, inputs;
  VliwOperation operation;
  bool takes_splat;        ///< of the inputs
  bool begins_with_splat;  ///< it is the first factor, the weights the second
};
constexpr std::array kProductInstructions{
    ProductInstruction{DType::kU8, DType::kU8, kVrmpyubAcc, false, false},
    ProductInstruction{DType::kU8, DType::kI8, kVrmpybusAcc, false, false},
    ProductInstruction{DType::kI8, DType::kU8, kVrmpybusvAcc, true, true},
    ProductInstruction{DType::kI8, DType::kI8, kVrmpybvAcc, true, false},
};

// Vectors that hold words for later products. More of them would take the place of sums.
constexpr size_t kMostSplats = 8;

class Selection {
 public:
  Selection(const SelectedCompute& wanted, Writer& writer, SplatWords& splats, std::vector<Step>& to)
      : wanted_(wanted), writer_(writer), splats_(splats), to_(to) {}

  Status run() {
    const std::string& name = wanted_.compute.capability;
    if (name == "GEMM") return product();
    if (name == "REQUANT_FIXED") return requantize();
    if (name == "MOVE" && same_types()) return move(registers(0));
    for (const LaneInstruction& known : kLaneInstructions) {
      if (known.capability == name && known.dtype == wanted_.dtype && same_types()) return lanes(known.operation);
    }
    return unknown();
  }

  Status start() {
    if (wanted_.compute.capability == "GEMM") return move(registers(2));
    const bool is_max = wanted_.compute.capability == "REDUCE_MAX";
    if (!is_max || bytes(wanted_.dtype) != 1) return unknown();
    const auto least = static_cast<int32_t>(codelet::integer_range(wanted_.dtype).first);
    return move(std::vector(wanted_.result.size(), writer_.splat(least, 1)));
  }

 private:
  Diagnostic unknown() const {
    std::vector<std::string_view> types;
    for (const SelectedOperand& operand : wanted_.operands) types.push_back(name(operand.dtype));
    return {"GEN0051",
            {},
            "",
            "no instructions are known for this capability of " + wanted_.compute.location,
            fmt::format("{}={}({})", name(wanted_.dtype), wanted_.compute.capability, fmt::join(types, ",")),
            {"ADD, SUB, MAX, MIN, MOVE, REDUCE_MAX, GEMM, REQUANT_FIXED"},
            "leave the capability out of the machine, so that another one is taken"};
  }

  bool same_types() const {
    return std::all_of(wanted_.operands.begin(), wanted_.operands.end(), [&](const SelectedOperand& operand) {
      return operand.dtype == wanted_.dtype || std::holds_alternative<codelet::Constant>(operand.value);
    });
  }

  /// A constant lies in all lanes.
  std::vector<Name> registers(size_t operand) {
    const SelectedOperand& from = wanted_.operands.at(operand);
    if (const auto* held = std::get_if<std::vector<Name>>(&from.value)) return *held;
    const auto& constant = std::get<codelet::Constant>(from.value);
    const Name splat = writer_.splat(static_cast<int32_t>(constant.integer), bytes(wanted_.dtype));
    return std::vector(wanted_.result.size(), splat);
  }

  Status move(const std::vector<Name>& from) {
    check(from.size() == wanted_.result.size(), "as much is moved as there is room for");
    for (size_t i = 0; i < from.size(); ++i) writer_.add(to_, kVassign, {wanted_.result[i], from[i]});
    return Done{};
  }

  Status lanes(VliwOperation operation) {
    const bool is_sum = wanted_.operands.size() == 1;
    const std::vector<Name> first = registers(0), second = is_sum ? wanted_.result : registers(1);
    for (size_t i = 0; i < wanted_.result.size(); ++i) {
      writer_.add(to_, operation, {wanted_.result[i], first[i], second[i]});
    }
    return Done{};
  }

  Name splat_of(Name word) {
    if (splats_.size() >= kMostSplats && !splats_.contains(word)) splats_.clear();
    const auto [known, is_new] = splats_.emplace(word, Name{});
    if (is_new) {
      known->second = writer_.vector();
      writer_.add(to_, kLvsplatw, {known->second, word});
    }
    return known->second;
  }

  Status product() {
    const DType weights = wanted_.operands[0].dtype, inputs = wanted_.operands[1].dtype;
    const auto known =
        std::find_if(kProductInstructions.begin(), kProductInstructions.end(),
                     [&](const ProductInstruction& one) { return one.weights == weights && one.inputs == inputs; });
    const std::vector<Name> vectors = registers(0), words = registers(1);
    if (known == kProductInstructions.end() || vectors.size() != 1 || words.size() != 1) return unknown();
    const Name input = known->takes_splat ? splat_of(words[0]) : words[0];
    const Name first = known->begins_with_splat ? input : vectors[0];
    const Name second = known->begins_with_splat ? vectors[0] : input;
    writer_.add(to_, known->operation, {wanted_.result.at(0), first, second});
    return Done{};
  }

  /// Fractions and shifts of the scale of vector `i`.
  std::pair<Name, Name> scale(size_t i) {
    if (const auto* held = std::get_if<std::vector<Name>>(&wanted_.operands[1].value)) {
      return {held->at(2 * i), held->at(2 * i + 1)};
    }
    const FixedScale fixed = fixed_scale(std::get<codelet::Constant>(wanted_.operands[1].value).real);
    return {writer_.splat(fixed.fraction, 4), writer_.splat(fixed.shift, 4)};
  }

  int32_t attribute(const char* name) const {
    const auto found = wanted_.compute.attributes.find(name);
    return found == wanted_.compute.attributes.end() ? 0 : static_cast<int32_t>(found->second.constant().value());
  }

  /// Words, halves with the zero point, bytes; then what is left of the limits.
  Status requantize() {
    const std::vector<Name> sums = registers(0);
    if (sums.size() != 4 * wanted_.result.size() || bytes(wanted_.dtype) != 1) return unknown();
    const bool is_signed = info(wanted_.dtype).is_signed;
    const Name zero_point = writer_.splat(attribute("zero_point"), 2);
    for (size_t i = 0; i < wanted_.result.size(); ++i) {
      std::array<Name, 2> halves{};
      for (size_t j = 0; j < halves.size(); ++j) {
        const Name low = scaled(sums[4 * i + 2 * j], scale(4 * i + 2 * j));
        const Name high = scaled(sums[4 * i + 2 * j + 1], scale(4 * i + 2 * j + 1));
        const Name packed = writer_.vector();
        halves.at(j) = writer_.vector();
        writer_.add(to_, kVpackwhSat, {packed, high, low});
        writer_.add(to_, kVaddhsat, {halves.at(j), packed, zero_point});
      }
      const auto [lowest, highest] = codelet::integer_range(wanted_.dtype);
      const bool cuts_low = attribute("lowest") > lowest, cuts_high = attribute("highest") < highest;
      Name bytes = cuts_low || cuts_high ? writer_.vector() : wanted_.result[i];
      writer_.add(to_, is_signed ? kVpackhbSat : kVpackhubSat, {bytes, halves[1], halves[0]});
      if (cuts_low) {
        const Name cut = cuts_high ? writer_.vector() : wanted_.result[i];
        writer_.add(to_, is_signed ? kVmaxb : kVmaxub, {cut, bytes, writer_.splat(attribute("lowest"), 1)});
        bytes = cut;
      }
      if (cuts_high) {
        writer_.add(to_, is_signed ? kVminb : kVminub,
                    {wanted_.result[i], bytes, writer_.splat(attribute("highest"), 1)});
      }
    }
    return Done{};
  }

  /// round(sum * fraction / 2^31), shifted so that one bit is left, which rounds.
  Name scaled(Name sum, const std::pair<Name, Name>& scale) {
    const Name product = writer_.vector(), shifted = writer_.vector(), up = writer_.vector(),
               rounded = writer_.vector();
    writer_.add(to_, kVmpyewuh, {product, sum, scale.first});
    writer_.add(to_, kVmpyowhRndSacc, {product, sum, scale.first});
    writer_.add(to_, kVasrwv, {shifted, product, scale.second});
    writer_.add(to_, kVaddw, {up, shifted, writer_.splat(1, 4)});
    writer_.add(to_, kVasrw, {rounded, up, writer_.constant(1)});
    return rounded;
  }

  const SelectedCompute& wanted_;
  Writer& writer_;
  SplatWords& splats_;
  std::vector<Step>& to_;
};

}  // namespace

Status select(const SelectedCompute& wanted, Writer& writer, SplatWords& splats, std::vector<Step>& to) {
  return Selection(wanted, writer, splats, to).run();
}

Status start_sum(const SelectedCompute& wanted, Writer& writer, std::vector<Step>& to) {
  SplatWords none;
  return Selection(wanted, writer, none, to).start();
}

}  // namespace covenant::compiler::vliw
