#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "acg/base/rounding.h"
#include "acg/base/suggest.h"
#include "acg/graph/compute_units.h"
#include "acg/graph/element_types.h"
#include "acg/graph/limits.h"
#include "acg/graph/numerics.h"
#include "acg/graph/queries.h"
#include "acg/validate/validate_context.h"

namespace covenant::acg::checks {
namespace {

class ComputeCheck {
 public:
  ComputeCheck(const Context& context, uint32_t index)
      : context_(context),
        machine_(context.machine),
        id_{index},
        compute_(machine_.computes[index]),
        path_("compute " + compute_.name) {}

  void run() {
    const ComputeUnit& unit = compute_unit();
    check_attribute_names(unit);
    for (const UnitAttribute& attribute : unit.attributes) check_attribute(attribute);
    check_ports(context_, path_, compute_.ports, compute_.where);
    if (unit.kind == UnitKind::kSystolicArray) check_systolic_array();
    if (unit.kind == UnitKind::kSimdArray) check_simd_array();
    for (size_t i = 0; i < compute_.capabilities.size(); ++i) check_capability(unit, i);
    for (size_t i = 0; i < compute_.capabilities.size(); ++i) check_shapes(i);
  }

 private:
  SourceLocation where(std::string_view part) const {
    return context_.where(fmt::format("{} {}", path_, part), compute_.where);
  }

  const ComputeUnit& compute_unit() const {
    if (const ComputeUnit* unit = find_compute_unit(compute_.unit)) return *unit;
    refuse(where("unit"), path_,
           {"ACG0003", "a unit kind of which no compute node is", std::string(name_of(compute_.unit)),
            compute_unit_names(), "name the unit of a compute node"});
  }

  void check_attribute_names(const ComputeUnit& unit) const {
    std::vector<std::string> allowed;
    for (const UnitAttribute& attribute : unit.attributes) allowed.emplace_back(attribute.name);
    for (const auto& [name, value] : compute_.attributes) {
      if (unit.is_open) {
        check_free_attribute(name, value);
        continue;
      }
      if (std::find(allowed.begin(), allowed.end(), name) != allowed.end()) continue;
      refuse(where(name), path_, {"ACG0003", "unknown attribute", name, allowed, suggest(name, allowed)});
    }
  }

  /// For units that take any attribute: the text form must be able to spell it.
  void check_free_attribute(const std::string& name, const Attribute& value) const {
    const auto* word = std::get_if<std::string>(&value);
    const auto* number = std::get_if<int64_t>(&value);
    const bool is_reserved = name == "unit" || name == "trigger";
    if (!is_word(name) || is_reserved || (number != nullptr && *number < 0) ||
        (word != nullptr &&
         (!is_word(*word) || machine_.parameters.contains(*word) || *word == "true" || *word == "false"))) {
      refuse(where(name), path_,
             {"ACG0013",
              "an attribute that the text form cannot spell",
              fmt::format("{} = {}", name, word != nullptr ? *word : fmt::format("{}", *number)),
              {"a name with a number of 0 or more, or with a word that is no parameter"},
              "choose another name"});
    }
  }

  void check_attribute(const UnitAttribute& attribute) const {
    const std::string name(attribute.name);
    const auto found = compute_.attributes.find(name);
    if (found == compute_.attributes.end()) {
      if (attribute.is_optional) return;
      refuse(compute_.where, path_,
             {"ACG0014",
              "an attribute is missing",
              name,
              {},
              fmt::format("a {} needs `{} = ...;`", name_of(compute_.unit), name)});
    }
    if (attribute.kind == AttributeKind::kInteger) {
      const auto* value = std::get_if<int64_t>(&found->second);
      if (value != nullptr && *value >= attribute.lowest && *value <= attribute.highest) return;
      refuse(where(name), path_,
             {"ACG0013",
              fmt::format("{} is out of range", name),
              value != nullptr ? fmt::format("{}", *value) : std::get<std::string>(found->second),
              {fmt::format("{}..{}", attribute.lowest, attribute.highest)},
              "use a value in the range"});
    }
    check_role(attribute, found->second);
  }

  void check_role(const UnitAttribute& attribute, const Attribute& value) const {
    const auto* name = std::get_if<std::string>(&value);
    const std::optional<MemoryId> memory = name == nullptr ? std::nullopt : find_memory(machine_, *name);
    if (!memory) {
      std::vector<std::string> names;
      for (const Memory& candidate : machine_.memories) names.push_back(candidate.name);
      const std::string shown = name == nullptr ? "a number" : *name;
      std::string fix = suggest(shown, names);
      refuse(where(attribute.name), path_,
             {"ACG0015", fmt::format("{} names no memory", attribute.name), shown, std::move(names), std::move(fix)});
    }
    const MemoryKind kind = get(machine_, *memory).kind;
    const bool may_be_registers = compute_.unit == UnitKind::kVliwCore && kind == MemoryKind::kRegisterFile;
    if (kind != MemoryKind::kScratchpad && !may_be_registers) {
      refuse(where(attribute.name), path_,
             {"ACG0017",
              fmt::format("{} must be a scratchpad", attribute.name),
              *name,
              {},
              "name a memory of kind scratchpad"});
    }
    const bool reads = attribute.kind == AttributeKind::kInputRole;
    const NodeId from = reads ? NodeId{*memory} : NodeId{id_};
    const NodeId to = reads ? NodeId{id_} : NodeId{*memory};
    if (edge_between(machine_, from, to)) return;
    const std::string edge = fmt::format("edge {} -> {};", name_of(machine_, from), name_of(machine_, to));
    refuse(where(attribute.name), path_,
           {"ACG0028",
            fmt::format("no edge to the memory of its role {}", attribute.name),
            *name,
            {},
            "add `" + edge + "`"});
  }

  void check_unit_bits(std::string_view role_name, uint64_t bits) const {
    const Memory& memory = get(machine_, role(machine_, compute_, role_name));
    if (bits % (memory.unit_bytes() * 8) == 0) return;
    const uint64_t whole = round_up(bits, uint64_t{8});
    refuse(where(role_name), path_,
           {"ACG0017",
            fmt::format("what one step of {1} takes must be whole addresses of memory {0}", memory.name, role_name),
            bits == whole ? fmt::format("{} bytes", memory.unit_bytes()) : fmt::format("{} bits", bits),
            {fmt::format("{} bytes, or a divisor of it", whole / 8)},
            bits == whole ? fmt::format("set data_width, banks and granularity of {} so that granularity * banks = {} "
                                        "bits",
                                        memory.name, bits)
                          : "give the array another number of rows"});
  }

  /// The shapes of a capability match the size of the unit.
  void check_shapes(size_t index) const {
    const auto number = [&](std::string_view name) { return static_cast<uint64_t>(integer_attribute(compute_, name)); };
    if (compute_.unit == UnitKind::kSystolicArray) {
      const uint64_t rows = number("rows");
      const uint64_t columns = number("columns");
      check_shapes(index, {columns}, {{rows}, {rows, columns}, {columns}}, "rows and columns");
    }
    if (compute_.unit == UnitKind::kSimdArray) {
      const std::vector<uint64_t> vector{number("lanes")};
      std::vector<std::vector<uint64_t>> inputs(compute_.capabilities[index].inputs.size(), vector);
      if (compute_.capabilities[index].name == "LOOKUP" && inputs.size() > 1) {
        inputs[1] = {uint64_t{1} << std::min(element_bits(machine_, compute_.capabilities[index].inputs[0]), 8U)};
      }
      check_shapes(index, vector, inputs, "lanes");
    }
  }

  /// `output` and `inputs` are the expected shapes, in the order of operands. An input of one element is broadcast to
  /// all lanes.
  void check_shapes(size_t index, const std::vector<uint64_t>& output, const std::vector<std::vector<uint64_t>>& inputs,
                    std::string_view sizes) const {
    const Capability& capability = compute_.capabilities[index];
    const auto refuse_shape = [&](std::string_view operand, const std::vector<uint64_t>& said,
                                  const std::vector<uint64_t>& is) {
      refuse(where(fmt::format("capability {}", index)), path_,
             {"ACG0052",
              fmt::format("{} of {} contradicts {} of the unit", operand, capability.name, sizes),
              fmt::format("({})", fmt::join(said, ",")),
              {fmt::format("({})", fmt::join(is, ","))},
              fmt::format("give the capability the sizes of the unit, or the unit other {}", sizes)});
    };
    if (capability.output.shape != output) refuse_shape("the output", capability.output.shape, output);
    for (size_t i = 0; i < capability.inputs.size() && i < inputs.size(); ++i) {
      const std::vector<uint64_t>& shape = capability.inputs[i].shape;
      const bool is_scalar = compute_.unit == UnitKind::kSimdArray && shape == std::vector<uint64_t>{1};
      if (!is_scalar && shape != inputs[i]) refuse_shape(fmt::format("input {}", i), shape, inputs[i]);
    }
  }

  void check_systolic_array() const {
    const auto rows = static_cast<uint64_t>(integer_attribute(compute_, "rows"));
    const auto columns = static_cast<uint64_t>(integer_attribute(compute_, "columns"));
    check_unit_bits("input", rows * gemm_bits(machine_, compute_, 0));
    check_unit_bits("weight", rows * columns * gemm_bits(machine_, compute_, 1));
    check_unit_bits("bias", 32 * columns);
    check_unit_bits("output", 32 * columns);
    for (size_t i = 0; i < compute_.capabilities.size(); ++i) check_gemm(i, columns);
    for (const Mnemonic& mnemonic : machine_.mnemonics) check_input_types(mnemonic);
    check_accumulator();
  }

  /// All arrays of a machine agree: a layer may run on any of them, and must give the same bytes.
  void check_accumulator() const {
    const uint32_t bits = accumulator_bits(compute_);
    for (const Compute& other : machine_.computes) {
      if (other.unit != UnitKind::kSystolicArray) continue;
      if (saturates(other) != saturates(compute_)) {
        refuse(where("saturates"), path_,
               {"ACG0056",
                fmt::format("its sums saturate where those of {} wrap, or the other way around", other.name),
                fmt::format("saturates = {}", saturates(compute_) ? 1 : 0),
                {saturates(other) ? "1" : "0"},
                "let the sums of all systolic arrays saturate, or of none"});
      }
      if (accumulator_bits(other) == bits) continue;
      refuse(where("accumulator"), path_,
             {"ACG0056",
              fmt::format("its sums have other bits than those of {}", other.name),
              fmt::format("accumulator = {}", bits),
              {fmt::format("{}", accumulator_bits(other))},
              "give all systolic arrays accumulators of one width"});
    }
  }

  /// An array multiplies elements of one width; signedness is set by instruction words. Rows of weights are whole
  /// bytes.
  void check_gemm(size_t index, uint64_t columns) const {
    const Capability& capability = compute_.capabilities[index];
    if (capability.name != "GEMM" || capability.inputs.size() < 2) return;
    for (size_t i = 0; i < 2; ++i) {
      const uint32_t bits = element_bits(machine_, capability.inputs[i]);
      const uint32_t widest = gemm_bits(machine_, compute_, i);
      if (bits == widest) continue;
      refuse(where(fmt::format("capability {}", index)), path_,
             {"ACG0055",
              "the products of one array are of elements of two widths",
              element_type_text(capability.inputs[i]),
              {fmt::format("elements of {} bits", widest)},
              "give the array elements of one width, or the machine a second array"});
    }
    const CapabilityOperand& weights = capability.inputs[1];
    const uint64_t row_bits = columns * element_bits(machine_, weights);
    if (row_bits % 8 == 0) return;
    refuse(where(fmt::format("capability {}", index)), path_,
           {"ACG0017",
            fmt::format("a row of weights of {} is no whole bytes", element_type_text(weights)),
            fmt::format("{} bits", row_bits),
            {"multiples of 8 bits"},
            "give the array an even number of columns"});
  }

  void check_input_types(const Mnemonic& mnemonic) const {
    if (mnemonic.does != Operation::kGemm) return;
    const std::string width = fmt::format("{}", gemm_bits(machine_, compute_, 0));
    for (const Field& field : mnemonic.fields) {
      for (const std::string& name : field.values) {
        if (field.operand != "input_type" || name.substr(1) == width) continue;
        refuse(mnemonic.where, "mnemonic " + mnemonic.name,
               {"ACG0055",
                fmt::format("field {} names elements of another width than the products of {} have", field.name,
                            compute_.name),
                name,
                {"I" + width, "U" + width},
                "name the types of the capability GEMM"});
      }
    }
  }

  /// A vector of the SIMD array is whole bytes, and a vector of 32-bit elements is whole addresses.
  void check_simd_array() const {
    const auto lanes = static_cast<uint64_t>(integer_attribute(compute_, "lanes"));
    for (size_t i = 0; i < compute_.capabilities.size(); ++i) check_vectors(i, lanes);
    for (const Edge& edge : machine_.edges) {
      const bool reads = edge.to == NodeId{id_};
      if (!reads && edge.from != NodeId{id_}) continue;
      const Memory& memory = get(machine_, std::get<MemoryId>(reads ? edge.from : edge.to));
      const uint64_t bytes = memory.unit_bytes();
      if (memory.kind != MemoryKind::kScratchpad || (4 * lanes) % bytes == 0) continue;
      refuse(memory.where, path_,
             {"ACG0017",
              fmt::format("a vector of the array must be whole addresses of memory {}", memory.name),
              fmt::format("{} bytes", bytes),
              {fmt::format("{} bytes, or a divisor of it", 4 * lanes)},
              fmt::format("set data_width, banks and granularity of {} by the number of lanes", memory.name)});
    }
  }

  void check_vectors(size_t index, uint64_t lanes) const {
    const Capability& capability = compute_.capabilities[index];
    const auto check = [&](const CapabilityOperand& operand) {
      const uint64_t bits = lanes * element_bits(machine_, operand);
      if (bits % 8 == 0) return;
      refuse(where(fmt::format("capability {}", index)), path_,
             {"ACG0017",
              fmt::format("a vector of {} is no whole bytes", element_type_text(operand)),
              fmt::format("{} bits", bits),
              {"multiples of 8 bits"},
              "give the array an even number of lanes"});
    };
    check(capability.output);
    for (const CapabilityOperand& input : capability.inputs) check(input);
  }

  void check_capability(const ComputeUnit& unit, size_t index) const {
    const Capability& capability = compute_.capabilities[index];
    const SourceLocation place = where(fmt::format("capability {}", index));
    std::vector<std::string> allowed;
    for (const UnitCapability& known : unit.capabilities) allowed.emplace_back(known.name);
    if (unit.is_open && is_word(capability.name)) allowed.push_back(capability.name);
    if (std::find(allowed.begin(), allowed.end(), capability.name) == allowed.end()) {
      refuse(place, path_,
             {"ACG0027", fmt::format("a {} has no such capability", name_of(unit.kind)), capability.name, allowed,
              suggest(capability.name, allowed)});
    }
    if (!kCapabilityCycles.contains(capability.latency)) {
      refuse(context_.where(fmt::format("{} capability {} latency", path_, index), place), path_,
             {"ACG0013",
              "latency is out of range",
              fmt::format("{}", capability.latency),
              {text_of(kCapabilityCycles)},
              "give the cycles of the execute stage"});
    }
    check_cost(capability, index, place);
    if (capability.inputs.empty()) {
      refuse(place, path_, {"ACG0027", "a capability without inputs", capability.name, {}, "give its operands"});
    }
    check_sizes(capability.output, place);
    for (const CapabilityOperand& input : capability.inputs) check_sizes(input, place);
  }

  void check_cost(const Capability& capability, size_t index, const SourceLocation& place) const {
    if (!kCapabilityCycles.contains(capability.occupancy)) {
      refuse(context_.where(fmt::format("{} capability {} occupancy", path_, index), place), path_,
             {"ACG0013",
              "occupancy is out of range",
              fmt::format("{}", capability.occupancy),
              {text_of(kCapabilityCycles)},
              "give the cycles until the unit can start the next one"});
    }
    check_energy(context_.where(fmt::format("{} capability {} energy", path_, index), place), path_, capability.energy);
  }

  void check_fixed(const CapabilityOperand& operand, const SourceLocation& place) const {
    const uint64_t bits = uint64_t{operand.format.integer_bits} + operand.format.fraction_bits;
    if (operand.dtype != DType::kFixed || kFixedBits.contains(bits)) return;
    refuse(place, path_,
           {"ACG0013",
            "a fixed-point format is out of range",
            element_type_text(operand),
            {text_of(kFixedBits) + " bits in all"},
            "give integer and fraction bits: fixed(8,8)"});
  }

  void check_sizes(const CapabilityOperand& operand, const SourceLocation& place) const {
    check_fixed(operand, place);
    uint64_t product = 1;
    for (uint64_t size : operand.shape) {
      if (size >= 1 && size <= kShapeElements.highest / product) {
        product *= size;
        continue;
      }
      refuse(place, path_,
             {"ACG0013",
              "a size of the capability is out of range",
              fmt::format("{}", size),
              {text_of(kShapeElements) + " in all"},
              "use the sizes that the unit works on"});
    }
  }

  const Context& context_;
  const Machine& machine_;
  ComputeId id_;
  const Compute& compute_;
  std::string path_;
};

}  // namespace

void check_computes(const Context& context) {
  for (uint32_t i = 0; i < context.machine.computes.size(); ++i) ComputeCheck(context, i).run();
}

}  // namespace covenant::acg::checks
