#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "acg/base/suggest.h"
#include "acg/graph/element_types.h"
#include "acg/graph/limits.h"
#include "acg/graph/queries.h"
#include "acg/graph/unit_info.h"
#include "acg/validate/validate_context.h"

namespace covenant::acg::checks {
namespace {

class ComputeCheck {
 public:
  ComputeCheck(const Context& context, uint32_t index)
      : context_(context), machine_(context.machine), node_(context, ComputeId{index}) {}

  void run() {
    const UnitInfo& unit = compute_unit();
    check_attribute_names(unit);
    for (const UnitAttribute& attribute : unit.attributes) check_attribute(attribute);
    check_ports(context_, node_.path, node_.compute.ports, node_.compute.where);
    if (unit.check != nullptr) unit.check(node_);
    for (size_t i = 0; i < node_.compute.capabilities.size(); ++i) check_capability(unit, i);
    for (size_t i = 0; unit.shapes != nullptr && i < node_.compute.capabilities.size(); ++i) {
      check_shapes(i, unit.shapes(machine_, node_.compute, node_.compute.capabilities[i]));
    }
    check_axes(node_);
  }

 private:
  const UnitInfo& compute_unit() const {
    if (const UnitInfo* unit = find_compute_unit(node_.compute.unit)) return *unit;
    refuse(node_.where("unit"), node_.path,
           {"ACG0003", "a unit kind of which no compute node is", std::string(name_of(node_.compute.unit)),
            compute_unit_names(), "name the unit of a compute node"});
  }

  void check_attribute_names(const UnitInfo& unit) const {
    std::vector<std::string> allowed;
    for (const UnitAttribute& attribute : unit.attributes) allowed.emplace_back(attribute.name);
    for (const auto& [name, value] : node_.compute.attributes) {
      if (unit.is_open) {
        check_free_attribute(name, value);
        continue;
      }
      if (std::find(allowed.begin(), allowed.end(), name) != allowed.end()) continue;
      refuse(node_.where(name), node_.path, {"ACG0003", "unknown attribute", name, allowed, suggest(name, allowed)});
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
      refuse(node_.where(name), node_.path,
             {"ACG0013",
              "an attribute that the text form cannot spell",
              fmt::format("{} = {}", name, word != nullptr ? *word : fmt::format("{}", *number)),
              {"a name with a number of 0 or more, or with a word that is no parameter"},
              "choose another name"});
    }
  }

  void check_attribute(const UnitAttribute& attribute) const {
    const std::string name(attribute.name);
    const auto found = node_.compute.attributes.find(name);
    if (found == node_.compute.attributes.end()) {
      if (attribute.is_optional) return;
      refuse(node_.compute.where, node_.path,
             {"ACG0014",
              "an attribute is missing",
              name,
              {},
              fmt::format("a {} needs `{} = ...;`", name_of(node_.compute.unit), name)});
    }
    if (attribute.kind == AttributeKind::kInteger) {
      const auto* value = std::get_if<int64_t>(&found->second);
      if (value != nullptr && *value >= attribute.lowest && *value <= attribute.highest) return;
      refuse(node_.where(name), node_.path,
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
      refuse(node_.where(attribute.name), node_.path,
             {"ACG0015", fmt::format("{} names no memory", attribute.name), shown, std::move(names), std::move(fix)});
    }
    const MemoryKind kind = get(machine_, *memory).kind;
    const bool is_registers = kind == MemoryKind::kRegisterFile && attribute.may_be_registers;
    if (kind != MemoryKind::kScratchpad && !is_registers) {
      refuse(node_.where(attribute.name), node_.path,
             {"ACG0017",
              fmt::format("{} must be a scratchpad", attribute.name),
              *name,
              {},
              "name a memory of kind scratchpad"});
    }
    const bool reads = attribute.kind == AttributeKind::kInputRole;
    const NodeId from = reads ? NodeId{*memory} : NodeId{node_.id};
    const NodeId to = reads ? NodeId{node_.id} : NodeId{*memory};
    if (edge_between(machine_, from, to)) return;
    const std::string edge = fmt::format("edge {} -> {};", name_of(machine_, from), name_of(machine_, to));
    refuse(node_.where(attribute.name), node_.path,
           {"ACG0028",
            fmt::format("no edge to the memory of its role {}", attribute.name),
            *name,
            {},
            "add `" + edge + "`"});
  }

  /// The shapes of a capability match the size of the unit.
  void check_shapes(size_t index, const CapabilityShapes& expected) const {
    const Capability& capability = node_.compute.capabilities[index];
    const auto refuse_shape = [&](std::string_view operand, const std::vector<uint64_t>& said,
                                  const std::vector<uint64_t>& is) {
      refuse(node_.where(fmt::format("capability {}", index)), node_.path,
             {"ACG0052",
              fmt::format("{} of {} contradicts {} of the unit", operand, capability.name, expected.sizes),
              fmt::format("({})", fmt::join(said, ",")),
              {fmt::format("({})", fmt::join(is, ","))},
              fmt::format("give the capability the sizes of the unit, or the unit other {}", expected.sizes)});
    };
    if (capability.output.shape != expected.output) {
      refuse_shape("the output", capability.output.shape, expected.output);
    }
    for (size_t i = 0; i < capability.inputs.size() && i < expected.inputs.size(); ++i) {
      const std::vector<uint64_t>& shape = capability.inputs[i].shape;
      const bool is_scalar = expected.may_broadcast && shape == std::vector<uint64_t>{1};
      if (!is_scalar && shape != expected.inputs[i]) {
        refuse_shape(fmt::format("input {}", i), shape, expected.inputs[i]);
      }
    }
  }

  void check_capability(const UnitInfo& unit, size_t index) const {
    const Capability& capability = node_.compute.capabilities[index];
    const SourceLocation place = node_.where(fmt::format("capability {}", index));
    std::vector<std::string> allowed;
    for (const UnitCapability& known : unit.capabilities) allowed.emplace_back(known.name);
    if (unit.is_open && is_word(capability.name)) allowed.push_back(capability.name);
    if (std::find(allowed.begin(), allowed.end(), capability.name) == allowed.end()) {
      refuse(place, node_.path,
             {"ACG0027", fmt::format("a {} has no such capability", name_of(unit.kind)), capability.name, allowed,
              suggest(capability.name, allowed)});
    }
    if (!kCapabilityCycles.contains(capability.latency)) {
      refuse(context_.where(fmt::format("{} capability {} latency", node_.path, index), place), node_.path,
             {"ACG0013",
              "latency is out of range",
              fmt::format("{}", capability.latency),
              {text_of(kCapabilityCycles)},
              "give the cycles of the execute stage"});
    }
    check_cost(capability, index, place);
    if (capability.inputs.empty()) {
      refuse(place, node_.path, {"ACG0027", "a capability without inputs", capability.name, {}, "give its operands"});
    }
    check_sizes(capability.output, place);
    for (const CapabilityOperand& input : capability.inputs) check_sizes(input, place);
  }

  void check_cost(const Capability& capability, size_t index, const SourceLocation& place) const {
    if (!kCapabilityCycles.contains(capability.occupancy)) {
      refuse(context_.where(fmt::format("{} capability {} occupancy", node_.path, index), place), node_.path,
             {"ACG0013",
              "occupancy is out of range",
              fmt::format("{}", capability.occupancy),
              {text_of(kCapabilityCycles)},
              "give the cycles until the unit can start the next one"});
    }
    check_energy(context_.where(fmt::format("{} capability {} energy", node_.path, index), place), node_.path,
                 capability.energy);
  }

  void check_fixed(const CapabilityOperand& operand, const SourceLocation& place) const {
    const uint64_t bits = uint64_t{operand.format.integer_bits} + operand.format.fraction_bits;
    if (operand.dtype != DType::kFixed || kFixedBits.contains(bits)) return;
    refuse(place, node_.path,
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
      refuse(place, node_.path,
             {"ACG0013",
              "a size of the capability is out of range",
              fmt::format("{}", size),
              {text_of(kShapeElements) + " in all"},
              "use the sizes that the unit works on"});
    }
  }

  const Context& context_;
  const Machine& machine_;
  CheckedNode node_;
};

}  // namespace

void check_computes(const Context& context) {
  for (uint32_t i = 0; i < context.machine.computes.size(); ++i) ComputeCheck(context, i).run();
}

}  // namespace covenant::acg::checks
