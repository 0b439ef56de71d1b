#include "compiler/families/vliw/selection.h"

#include <algorithm>
#include <array>

#include "compiler/families/vliw/lane_operations.h"
#include "compiler/families/vliw/lookup_tables.h"
#include "compiler/families/vliw/requantize.h"

namespace covenant::compiler::vliw {
namespace {

using acg::VliwOperation;
using enum acg::VliwOperation;

/// An instruction for sums of four products: weights in a vector, inputs in a scalar register. Some need the inputs in
/// all lanes of a vector.
struct ProductInstruction {
  DType weights, inputs;
  VliwOperation operation;
  bool takes_splat;        ///< needs the inputs in all lanes
  bool begins_with_splat;  ///< the inputs are the first factor, the weights the second
};
constexpr std::array kProductInstructions{
    ProductInstruction{DType::kU8, DType::kU8, kVrmpyubAcc, false, false},
    ProductInstruction{DType::kU8, DType::kI8, kVrmpybusAcc, false, false},
    ProductInstruction{DType::kI8, DType::kU8, kVrmpybusvAcc, true, true},
    ProductInstruction{DType::kI8, DType::kI8, kVrmpybvAcc, true, false},
};

// Most vectors that keep broadcast words for later products. More of them would displace sums.
constexpr size_t kMostSplats = 8;

Name splat_of(Name word, Writer& writer, BroadcastCache& broadcasts, std::vector<CodeStep>& to) {
  if (broadcasts.size() >= kMostSplats && !broadcasts.contains(word)) broadcasts.clear();
  const auto [known, is_new] = broadcasts.emplace(word, Name{});
  if (is_new) {
    known->second = writer.vector();
    writer.add(to, kLvsplatw, {known->second, word});
  }
  return known->second;
}

bool select_product(const SelectedCompute& wanted, Writer& writer, BroadcastCache& broadcasts,
                    std::vector<CodeStep>& to) {
  const DType weights = wanted.operands[0].dtype, inputs = wanted.operands[1].dtype;
  const auto known =
      std::find_if(kProductInstructions.begin(), kProductInstructions.end(),
                   [&](const ProductInstruction& one) { return one.weights == weights && one.inputs == inputs; });
  const std::vector<Name> vectors = registers_of(wanted, 0, writer), words = registers_of(wanted, 1, writer);
  if (known == kProductInstructions.end() || vectors.size() != 1 || words.size() != 1) return false;
  const Name input = known->takes_splat ? splat_of(words[0], writer, broadcasts, to) : words[0];
  const Name first = known->begins_with_splat ? input : vectors[0];
  const Name second = known->begins_with_splat ? vectors[0] : input;
  writer.add(to, known->operation, {wanted.result.at(0), first, second});
  return true;
}

/// Subtracts the same word from all vectors.
bool select_less_word(const SelectedCompute& wanted, Writer& writer, BroadcastCache& broadcasts,
                      std::vector<CodeStep>& to) {
  const std::vector<Name> vectors = registers_of(wanted, 0, writer), words = registers_of(wanted, 1, writer);
  if (vectors.size() != wanted.result.size() || words.size() != 1) return false;
  const Name splat = splat_of(words[0], writer, broadcasts, to);
  for (size_t i = 0; i < vectors.size(); ++i) writer.add(to, kVsubw, {wanted.result[i], vectors[i], splat});
  return true;
}

bool takes_word(const SelectedCompute& wanted) {
  return wanted.compute.capability == "SUB" && wanted.operands.at(1).dtype == DType::kU32;
}

Status known_or_refused(bool is_known, const SelectedCompute& wanted) {
  return is_known ? Status(Done{}) : Status(unknown_compute(wanted));
}

}  // namespace

Status select(const SelectedCompute& wanted, Writer& writer, BroadcastCache& broadcasts, std::vector<CodeStep>& to) {
  const std::string& name = wanted.compute.capability;
  if (name == "GEMM") return known_or_refused(select_product(wanted, writer, broadcasts, to), wanted);
  if (name == "LOOKUP") return known_or_refused(select_lookup(wanted, writer, to), wanted);
  if (name.starts_with("REQUANT_")) return known_or_refused(select_requantization(wanted, writer, to), wanted);
  if (takes_word(wanted)) return known_or_refused(select_less_word(wanted, writer, broadcasts, to), wanted);
  return known_or_refused(select_lanes(wanted, writer, to), wanted);
}

Status start_sum(const SelectedCompute& wanted, Writer& writer, std::vector<CodeStep>& to) {
  const std::string& name = wanted.compute.capability;
  if (name != "GEMM" && name != "MAC") return known_or_refused(start_lanes(wanted, writer, to), wanted);
  move_into(wanted, registers_of(wanted, 2, writer), writer, to);
  return Done{};
}

}  // namespace covenant::compiler::vliw
