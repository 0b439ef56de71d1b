#include "acg/units/simd_array.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "acg/graph/element_types.h"
#include "acg/graph/queries.h"
#include "acg/validate/validate_context.h"

namespace covenant::acg::units {
namespace {

using checks::CheckedNode;
using checks::refuse;

constexpr std::array<UnitAttribute, 2> kAttributes{
    {{"lanes", AttributeKind::kInteger, 4096},
     {"half_away", AttributeKind::kInteger, 1, true, 0, 0, Numerics::kHalvesAway}}};

using One = std::array<Operation, 1>;
using Two = std::array<Operation, 2>;

constexpr One kAdd{Operation::kAdd};
constexpr One kSub{Operation::kSub};
constexpr One kMul{Operation::kMul};
constexpr One kDiv{Operation::kDiv};
constexpr One kMax{Operation::kMax};
constexpr One kMin{Operation::kMin};
constexpr One kMove{Operation::kMove};
constexpr One kSqrt{Operation::kSqrt};
constexpr One kRequant{Operation::kRequant};
constexpr One kRequantAdd{Operation::kRequantAdd};
constexpr One kRequantMul{Operation::kRequantMul};
constexpr One kRequantFixed{Operation::kRequantFixed};
constexpr One kRequantAddFixed{Operation::kRequantAddFixed};
constexpr One kRequantMulFixed{Operation::kRequantMulFixed};
constexpr One kDequantize{Operation::kDequantize};
constexpr One kQuantize{Operation::kQuantize};
constexpr One kLookup{Operation::kLookup};
constexpr One kReduceMax{Operation::kReduceMax};
constexpr One kReduceSum{Operation::kReduceSum};
constexpr One kDequantizeSum{Operation::kDequantizeSum};
constexpr Two kMac{Operation::kMul, Operation::kAdd};

// The operations of the unit under their own names and the other names of Table 1 of the Covenant paper.
constexpr std::array<UnitCapability, 24> kCapabilities{{{"ADD", kAdd},
                                                        {"SUB", kSub},
                                                        {"MUL", kMul},
                                                        {"MAX", kMax},
                                                        {"MIN", kMin},
                                                        {"MOVE", kMove},
                                                        {"REQUANT", kRequant},
                                                        {"REQUANT_ADD", kRequantAdd},
                                                        {"REQUANT_MUL", kRequantMul},
                                                        {"REQUANT_FIXED", kRequantFixed},
                                                        {"REQUANT_ADD_FIXED", kRequantAddFixed},
                                                        {"REQUANT_MUL_FIXED", kRequantMulFixed},
                                                        {"DEQUANTIZE", kDequantize},
                                                        {"QUANTIZE", kQuantize},
                                                        {"LOOKUP", kLookup},
                                                        {"REDUCE_MAX", kReduceMax},
                                                        {"REDUCE_SUM", kReduceSum},
                                                        {"DEQUANTIZE_SUM", kDequantizeSum},
                                                        {"MAC", kMac},
                                                        {"DIV", kDiv},
                                                        {"SQRT", kSqrt},
                                                        {"RELU", kMax},
                                                        {"SIGMOID", {}},
                                                        {"TANH", {}}}};

CapabilityShapes shapes(const Machine& machine, const Compute& compute, const Capability& capability) {
  const std::vector<uint64_t> vector{static_cast<uint64_t>(integer_attribute(compute, "lanes"))};
  std::vector<std::vector<uint64_t>> inputs(capability.inputs.size(), vector);
  if (capability.name == "LOOKUP" && inputs.size() > 1) {
    inputs[1] = {uint64_t{1} << std::min(element_bits(machine, capability.inputs[0]), 8U)};
  }
  return {.output = vector, .inputs = std::move(inputs), .sizes = "lanes", .may_broadcast = true};
}

void check_vectors(const CheckedNode& node, size_t index, uint64_t lanes) {
  const Capability& capability = node.compute.capabilities[index];
  const auto check = [&](const CapabilityOperand& operand) {
    const uint64_t bits = lanes * element_bits(node.machine, operand);
    if (bits % 8 == 0) return;
    refuse(node.where(fmt::format("capability {}", index)), node.path,
           {"ACG0017",
            fmt::format("a vector of {} is no whole bytes", element_type_text(operand)),
            fmt::format("{} bits", bits),
            {"multiples of 8 bits"},
            "give the array an even number of lanes"});
  };
  check(capability.output);
  for (const CapabilityOperand& input : capability.inputs) check(input);
}

/// A vector of the SIMD array is whole bytes, and a vector of 32-bit elements is whole addresses.
void check(const CheckedNode& node) {
  const auto lanes = static_cast<uint64_t>(integer_attribute(node.compute, "lanes"));
  for (size_t i = 0; i < node.compute.capabilities.size(); ++i) check_vectors(node, i, lanes);
  for (const Edge& edge : node.machine.edges) {
    const bool reads = edge.to == NodeId{node.id};
    if (!reads && edge.from != NodeId{node.id}) continue;
    const Memory& memory = get(node.machine, std::get<MemoryId>(reads ? edge.from : edge.to));
    const uint64_t bytes = memory.unit_bytes();
    if (memory.kind != MemoryKind::kScratchpad || (4 * lanes) % bytes == 0) continue;
    refuse(memory.where, node.path,
           {"ACG0017",
            fmt::format("a vector of the array must be whole addresses of memory {}", memory.name),
            fmt::format("{} bytes", bytes),
            {fmt::format("{} bytes, or a divisor of it", 4 * lanes)},
            fmt::format("set data_width, banks and granularity of {} by the number of lanes", memory.name)});
  }
}

}  // namespace

constinit const UnitInfo kSimdArray{.kind = UnitKind::kSimdArray,
                                    .place = UnitPlace::kNode,
                                    .attributes = kAttributes,
                                    .capabilities = kCapabilities,
                                    .shapes = shapes,
                                    .check = check};

}  // namespace covenant::acg::units
