#include "acg/units/systolic_array.h"

#include <array>
#include <fmt/format.h>

#include "acg/base/rounding.h"
#include "acg/graph/element_types.h"
#include "acg/graph/numerics.h"
#include "acg/graph/queries.h"
#include "acg/validate/validate_context.h"

namespace covenant::acg::units {
namespace {

using checks::CheckedNode;
using checks::refuse;

constexpr std::array<UnitAttribute, 8> kAttributes{
    {{"rows", AttributeKind::kInteger, 1024},
     {"columns", AttributeKind::kInteger, 1024},
     {"accumulator", AttributeKind::kInteger, 32, true, 16, 32, Numerics::kAccumulatorBits},
     {"saturates", AttributeKind::kInteger, 1, true, 0, 0, Numerics::kSaturation},
     {"input", AttributeKind::kInputRole},
     {"weight", AttributeKind::kInputRole},
     {"bias", AttributeKind::kInputRole},
     {"output", AttributeKind::kOutputRole}}};

constexpr std::array<Operation, 1> kGemm{Operation::kGemm};
// The operation of the unit under its own name and the other names of Table 1 of the Covenant paper.
constexpr std::array<UnitCapability, 3> kCapabilities{{{"GEMM", kGemm}, {"MMUL", kGemm}, {"MAC", kGemm}}};

uint32_t depth(const Machine& machine, const Engine& engine) {
  const Compute& array = get(machine, engine.compute.value());
  return static_cast<uint32_t>(integer_attribute(array, "rows") + integer_attribute(array, "columns")) + 2;
}

CapabilityShapes shapes(const Machine& /*machine*/, const Compute& compute, const Capability& /*capability*/) {
  const auto rows = static_cast<uint64_t>(integer_attribute(compute, "rows"));
  const auto columns = static_cast<uint64_t>(integer_attribute(compute, "columns"));
  return {.output = {columns}, .inputs = {{rows}, {rows, columns}, {columns}}, .sizes = "rows and columns"};
}

void check_unit_bits(const CheckedNode& node, std::string_view role_name, uint64_t bits) {
  const Memory& memory = get(node.machine, role(node.machine, node.compute, role_name));
  if (bits % (memory.unit_bytes() * 8) == 0) return;
  const uint64_t whole = round_up(bits, uint64_t{8});
  refuse(node.where(role_name), node.path,
         {"ACG0017",
          fmt::format("what one step of {1} takes must be whole addresses of memory {0}", memory.name, role_name),
          bits == whole ? fmt::format("{} bytes", memory.unit_bytes()) : fmt::format("{} bits", bits),
          {fmt::format("{} bytes, or a divisor of it", whole / 8)},
          bits == whole ? fmt::format("set data_width, banks and granularity of {} so that granularity * banks = {} "
                                      "bits",
                                      memory.name, bits)
                        : "give the array another number of rows"});
}

/// All arrays of a machine agree: a layer may run on any of them, and must give the same bytes.
void check_accumulator(const CheckedNode& node) {
  const uint32_t bits = accumulator_bits(node.compute);
  for (const Compute& other : node.machine.computes) {
    if (other.unit != node.compute.unit) continue;
    if (saturates(other) != saturates(node.compute)) {
      refuse(node.where("saturates"), node.path,
             {"ACG0056",
              fmt::format("its sums saturate where those of {} wrap, or the other way around", other.name),
              fmt::format("saturates = {}", saturates(node.compute) ? 1 : 0),
              {saturates(other) ? "1" : "0"},
              "let the sums of all systolic arrays saturate, or of none"});
    }
    if (accumulator_bits(other) == bits) continue;
    refuse(node.where("accumulator"), node.path,
           {"ACG0056",
            fmt::format("its sums have other bits than those of {}", other.name),
            fmt::format("accumulator = {}", bits),
            {fmt::format("{}", accumulator_bits(other))},
            "give all systolic arrays accumulators of one width"});
  }
}

/// The arrays of a machine multiply elements of one width; signedness is set by instruction words. Rows of weights are
/// whole bytes.
void check_gemm(const CheckedNode& node, size_t index, uint64_t columns) {
  const Capability& capability = node.compute.capabilities[index];
  if (capability.name != "GEMM" || capability.inputs.size() < 2) return;
  for (size_t i = 0; i < 2; ++i) {
    const uint32_t bits = element_bits(node.machine, capability.inputs[i]);
    const uint32_t widest = gemm_bits(node.machine, node.compute, i);
    if (bits == widest) continue;
    refuse(node.where(fmt::format("capability {}", index)), node.path,
           {"ACG0055",
            "the products of one array are of elements of two widths",
            element_type_text(capability.inputs[i]),
            {fmt::format("elements of {} bits", widest)},
            "give the array elements of one width"});
  }
  for (const Compute& other : node.machine.computes) {
    if (other.unit != node.compute.unit) continue;
    const uint32_t bits = gemm_bits(node.machine, node.compute, 0), others = gemm_bits(node.machine, other, 0);
    if (bits == others) continue;
    refuse(node.where(fmt::format("capability {}", index)), node.path,
           {"ACG0055",
            fmt::format("its products are of elements of another width than those of {}", other.name),
            element_type_text(capability.inputs[0]),
            {fmt::format("elements of {} bits", others)},
            "give all systolic arrays of a machine elements of one width"});
  }
  const CapabilityOperand& weights = capability.inputs[1];
  const uint64_t row_bits = columns * element_bits(node.machine, weights);
  if (row_bits % 8 == 0) return;
  refuse(node.where(fmt::format("capability {}", index)), node.path,
         {"ACG0017",
          fmt::format("a row of weights of {} is no whole bytes", element_type_text(weights)),
          fmt::format("{} bits", row_bits),
          {"multiples of 8 bits"},
          "give the array an even number of columns"});
}

void check_input_types(const CheckedNode& node, const Mnemonic& mnemonic) {
  if (mnemonic.does != Operation::kGemm) return;
  const std::string width = fmt::format("{}", gemm_bits(node.machine, node.compute, 0));
  for (const Field& field : mnemonic.fields) {
    for (const std::string& name : field.values) {
      if (field.operand != "input_type" || name.substr(1) == width) continue;
      refuse(mnemonic.where, "mnemonic " + mnemonic.name,
             {"ACG0055",
              fmt::format("field {} names elements of another width than the products of {} have", field.name,
                          node.compute.name),
              name,
              {"I" + width, "U" + width},
              "name the types of the capability GEMM"});
    }
  }
}

void check(const CheckedNode& node) {
  const auto rows = static_cast<uint64_t>(integer_attribute(node.compute, "rows"));
  const auto columns = static_cast<uint64_t>(integer_attribute(node.compute, "columns"));
  check_unit_bits(node, "input", rows * gemm_bits(node.machine, node.compute, 0));
  check_unit_bits(node, "weight", rows * columns * gemm_bits(node.machine, node.compute, 1));
  check_unit_bits(node, "bias", 32 * columns);
  check_unit_bits(node, "output", 32 * columns);
  for (size_t i = 0; i < node.compute.capabilities.size(); ++i) check_gemm(node, i, columns);
  for (const Mnemonic& mnemonic : node.machine.mnemonics) check_input_types(node, mnemonic);
  check_accumulator(node);
}

}  // namespace

constinit const UnitInfo kSystolicArray{.kind = UnitKind::kSystolicArray,
                                        .place = UnitPlace::kNode,
                                        .attributes = kAttributes,
                                        .capabilities = kCapabilities,
                                        .depth = depth,
                                        .shapes = shapes,
                                        .check = check};

}  // namespace covenant::acg::units
