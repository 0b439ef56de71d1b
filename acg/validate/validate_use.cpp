// Checks for compute nodes that nothing feeds and for capabilities that no mnemonic implements.
#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "acg/graph/queries.h"
#include "acg/graph/unit_info.h"
#include "acg/validate/validate_context.h"

namespace covenant::acg::checks {
namespace {

bool is_inside(const std::string& inner, const std::string& outer) { return inner.starts_with(outer + "."); }

/// Names of nodes that have an edge from a memory.
std::set<std::string> fed_names(const Machine& machine) {
  std::set<std::string> names;
  for (const Edge& edge : machine.edges) {
    if (std::holds_alternative<MemoryId>(edge.from)) names.insert(name_of(machine, edge.to));
  }
  return names;
}

/// True if an edge leads to the node, to one around it, or to one inside it.
bool is_fed(const std::set<std::string>& fed, const std::string& name) {
  for (std::string outer = name; !outer.empty();) {
    if (fed.contains(outer)) return true;
    const size_t dot = outer.rfind('.');
    outer = dot == std::string::npos ? "" : outer.substr(0, dot);
  }
  const auto next = fed.lower_bound(name + ".");
  return next != fed.end() && is_inside(*next, name);
}

void check_fed(const Context& context) {
  const std::set<std::string> fed = fed_names(context.machine);
  for (const Compute& compute : context.machine.computes) {
    if (is_fed(fed, compute.name)) continue;
    refuse(compute.where, "compute " + compute.name,
           {"ACG0049",
            "no memory feeds this node",
            compute.name,
            {},
            fmt::format("add an edge to it: `edge MEMORY -> {};`", compute.name)});
  }
}

std::string lower(std::string text) {
  for (char& letter : text) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return text;
}

/// Operations that the mnemonics of the machine offer.
struct Spoken {
  std::set<Operation> operations;
  std::set<std::string> names;  ///< names of mnemonics and operations, in small letters
};

Spoken spoken(const Machine& machine) {
  Spoken result;
  for (const Mnemonic& mnemonic : machine.mnemonics) {
    result.operations.insert(mnemonic.does);
    result.names.insert(lower(mnemonic.name));
    result.names.insert(lower(std::string(info(mnemonic.does).name)));
  }
  return result;
}

bool is_realised(const UnitInfo& unit, const Capability& capability, const Spoken& said) {
  if (unit.is_open && said.names.contains(lower(capability.name))) return true;
  for (const UnitCapability& known : unit.capabilities) {
    if (known.name != capability.name || known.operations.empty()) continue;
    const auto is_said = [&](Operation operation) { return said.operations.contains(operation); };
    return known.is_any_enough ? std::any_of(known.operations.begin(), known.operations.end(), is_said)
                               : std::all_of(known.operations.begin(), known.operations.end(), is_said);
  }
  return false;
}

std::string fix_of(const UnitInfo& unit, const Capability& capability) {
  for (const UnitCapability& known : unit.capabilities) {
    if (known.name != capability.name || known.operations.empty()) continue;
    std::string fix = "add a mnemonic with";
    for (size_t i = 0; i < known.operations.size(); ++i) {
      fix += fmt::format("{} `does = {};`",
                         i == 0                ? ""
                         : known.is_any_enough ? " or"
                                               : " and one with",
                         qualified_name(known.operations[i]));
    }
    return fix + ", or say `trigger = dataflow;`";
  }
  return fmt::format("add a mnemonic called {}, or say `trigger = dataflow;`", capability.name);
}

}  // namespace

void check_use(const Context& context) {
  check_fed(context);
  // A machine without mnemonics is only described, not programmed.
  if (context.machine.mnemonics.empty()) return;
  const Spoken said = spoken(context.machine);
  for (const Compute& compute : context.machine.computes) {
    const UnitInfo* unit = find_compute_unit(compute.unit);
    check(unit != nullptr, "a unit kind that was checked has no compute nodes");
    if (compute.trigger == Trigger::kDataflow) continue;
    for (size_t i = 0; i < compute.capabilities.size(); ++i) {
      const Capability& capability = compute.capabilities[i];
      if (is_realised(*unit, capability, said)) continue;
      const std::string path = "compute " + compute.name;
      refuse(context.where(fmt::format("{} capability {}", path, i), compute.where), path,
             {"ACG0050", "a capability that no mnemonic realises", capability.name, {}, fix_of(*unit, capability)});
    }
  }
}

}  // namespace covenant::acg::checks
