#include "fuzz/breaking.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "acg/base/check.h"
#include "acg/graph/queries.h"
#include "acg/graph/unit_info.h"

namespace covenant::runtime::breaking {
namespace {

std::vector<std::string> engine_names(const acg::Machine& machine) {
  std::vector<std::string> names;
  for (const acg::Engine& engine : acg::engines(machine)) names.push_back(engine.name);
  return names;
}

/// Words name only `memories` and `engines` of what they named before.
void trim_words(acg::Machine& machine, const std::vector<std::string>& gone) {
  for (acg::Mnemonic& mnemonic : machine.mnemonics) {
    for (acg::Field& field : mnemonic.fields) {
      std::erase_if(field.values, [&](const std::string& name) { return std::ranges::count(gone, name) > 0; });
    }
  }
}

std::optional<acg::NodeId> moved(acg::NodeId node, const std::vector<size_t>& memories,
                                 const std::vector<size_t>& computes) {
  const auto place = [](const std::vector<size_t>& gone, uint32_t index) {
    return index - static_cast<uint32_t>(std::ranges::count_if(gone, [&](size_t other) { return other < index; }));
  };
  if (const auto* memory = std::get_if<acg::MemoryId>(&node)) {
    if (is_among(memories, memory->value)) return std::nullopt;
    return acg::MemoryId{place(memories, memory->value)};
  }
  const uint32_t index = std::get<acg::ComputeId>(node).value;
  if (is_among(computes, index)) return std::nullopt;
  return acg::ComputeId{place(computes, index)};
}

bool has_roles(const acg::Compute& compute) {
  return std::ranges::any_of(acg::info(compute.unit).attributes, [](const acg::UnitAttribute& attribute) {
    return attribute.kind != acg::AttributeKind::kInteger;
  });
}

template <typename T>
void erase_at(std::vector<T>& values, std::vector<size_t> indices, std::vector<std::string>& names) {
  std::ranges::sort(indices, std::ranges::greater());
  for (const size_t index : indices) {
    names.push_back(values[index].name);
    values.erase(values.begin() + static_cast<int64_t>(index));
  }
}

}  // namespace

std::vector<acg::UnitKind> kinds_of(const acg::Machine& machine) {
  std::vector<acg::UnitKind> kinds;
  for (const acg::UnitInfo* unit : acg::unit_table()) {
    if (!computes_of(machine, unit->kind).empty()) kinds.push_back(unit->kind);
  }
  return kinds;
}

std::vector<size_t> computes_of(const acg::Machine& machine, acg::UnitKind unit) {
  std::vector<size_t> found;
  for (size_t i = 0; i < machine.computes.size(); ++i) {
    if (machine.computes[i].unit == unit) found.push_back(i);
  }
  return found;
}

std::vector<size_t> computes_with_roles(const acg::Machine& machine) {
  std::vector<size_t> found;
  for (size_t i = 0; i < machine.computes.size(); ++i) {
    if (has_roles(machine.computes[i])) found.push_back(i);
  }
  return found;
}

std::vector<size_t> computes_without_roles(const acg::Machine& machine) {
  std::vector<size_t> found;
  for (size_t i = 0; i < machine.computes.size(); ++i) {
    if (!has_roles(machine.computes[i])) found.push_back(i);
  }
  return found;
}

acg::Compute& a_compute(acg::Machine& machine, Draw& draw) {
  const acg::UnitKind kind = draw.of(kinds_of(machine));
  return machine.computes[draw.of(computes_of(machine, kind))];
}

acg::Compute& a_compute_with_roles(acg::Machine& machine, Draw& draw) {
  return machine.computes[draw.of(computes_with_roles(machine))];
}

acg::Compute& a_compute_without_roles(acg::Machine& machine, Draw& draw) {
  return machine.computes[draw.of(computes_without_roles(machine))];
}

std::vector<std::string> size_attributes(const acg::Compute& compute) {
  std::vector<std::string> names;
  for (const acg::UnitAttribute& attribute : acg::info(compute.unit).attributes) {
    if (attribute.kind == acg::AttributeKind::kInteger && !attribute.is_optional) names.emplace_back(attribute.name);
  }
  return names;
}

uint64_t size_of(const acg::Compute& compute) {
  uint64_t product = 1;
  for (const std::string& name : size_attributes(compute)) {
    product *= static_cast<uint64_t>(acg::integer_attribute(compute, name));
  }
  return product;
}

std::vector<std::string> roles_of(const acg::Machine& machine) {
  std::vector<std::string> names;
  for (const acg::UnitAttribute& attribute :
       acg::info(machine.computes[computes_with_roles(machine).front()].unit).attributes) {
    if (attribute.kind != acg::AttributeKind::kInteger) names.emplace_back(attribute.name);
  }
  return names;
}

std::vector<size_t> memories_of(const acg::Machine& machine, acg::MemoryKind kind) {
  std::vector<size_t> found;
  for (size_t i = 0; i < machine.memories.size(); ++i) {
    if (machine.memories[i].kind == kind) found.push_back(i);
  }
  return found;
}

acg::Memory& a_memory(acg::Machine& machine, Draw& draw, acg::MemoryKind kind) {
  return machine.memories[draw.of(memories_of(machine, kind))];
}

std::vector<size_t> role_memories(const acg::Machine& machine, std::string_view role) {
  std::vector<size_t> found;
  for (const size_t index : computes_with_roles(machine)) {
    const size_t memory = acg::role(machine, machine.computes[index], role).value;
    if (!is_among(found, memory)) found.push_back(memory);
  }
  return found;
}

bool is_among(const std::vector<size_t>& indices, size_t index) { return std::ranges::count(indices, index) > 0; }

bool is_memory(acg::NodeId node, size_t memory) {
  const auto* id = std::get_if<acg::MemoryId>(&node);
  return id != nullptr && id->value == memory;
}

bool is_one_of(acg::NodeId node, const std::vector<size_t>& memories) {
  return std::ranges::any_of(memories, [&](size_t memory) { return is_memory(node, memory); });
}

void drop_edges(acg::Machine& machine, const std::function<bool(const acg::Edge&)>& is_dropped) {
  std::vector<std::string> gone = engine_names(machine);
  std::erase_if(machine.edges, is_dropped);
  const std::vector<std::string> left = engine_names(machine);
  std::erase_if(gone, [&](const std::string& name) { return std::ranges::count(left, name) > 0; });
  trim_words(machine, gone);
}

void drop_nodes(acg::Machine& machine, const std::vector<size_t>& memories, const std::vector<size_t>& computes) {
  drop_edges(machine, [&](const acg::Edge& edge) {
    return !moved(edge.from, memories, computes) || !moved(edge.to, memories, computes);
  });
  for (acg::Edge& edge : machine.edges) {
    edge.from = *moved(edge.from, memories, computes);
    edge.to = *moved(edge.to, memories, computes);
  }
  std::vector<std::string> gone;
  erase_at(machine.memories, memories, gone);
  erase_at(machine.computes, computes, gone);
  trim_words(machine, gone);
}

std::string with_value(std::string text, std::string_view start, std::string_view name, std::string_view value) {
  const size_t statement = text.find(fmt::format("\n{}", start));
  check(statement != std::string::npos, fmt::format("no statement begins with {}", start));
  const std::string before = fmt::format(" {} = ", name);
  const size_t at = text.find(before, statement);
  check(at != std::string::npos, fmt::format("{} has no {}", start, name));
  const size_t first = at + before.size();
  return text.replace(first, text.find(';', first) - first, value);
}

std::string with_statement(const std::string& text, std::string_view line) {
  const size_t end = text.rfind('}');
  return fmt::format("{}  {}\n{}", text.substr(0, end), line, text.substr(end));
}

std::string start_of(const acg::Memory& memory) { return fmt::format("  memory {} {{", memory.name); }
std::string start_of(const acg::Compute& compute) { return fmt::format("  compute {} {{", compute.name); }

}  // namespace covenant::runtime::breaking
