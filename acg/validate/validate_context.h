/// The context that the parts of `validate` share. Private to acg/validate and to the rows of acg/units.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "acg/base/failure.h"
#include "acg/graph/graph.h"
#include "acg/graph/places.h"

namespace covenant::acg::checks {

struct Context {
  const Machine& machine;
  const Places& places;

  /// The source location of a part, or that of its node if it has none.
  SourceLocation where(const std::string& path, const SourceLocation& node) const {
    const auto found = places.find(path);
    return found == places.end() ? node : found->second;
  }
  SourceLocation of_machine(const std::string& part) const { return where("machine " + part, where("machine", {})); }
};

/// A compute node that is being checked.
struct CheckedNode {
  CheckedNode(const Context& all, ComputeId node)
      : context(all),
        machine(all.machine),
        id(node),
        compute(all.machine.computes.at(node.value)),
        path("compute " + compute.name) {}

  const Context& context;
  const Machine& machine;
  ComputeId id;
  const Compute& compute;
  std::string path;

  /// The source location of a part of the node: "rows", "capability 3".
  SourceLocation where(std::string_view part) const {
    return context.where(path + " " + std::string(part), compute.where);
  }
};

/// A mistake in one part of a machine: the parts of a diagnostic.
struct Problem {
  std::string_view code;
  std::string message;
  std::string offending;
  std::vector<std::string> allowed;
  std::string fix;
};

/// Throws Failure.
[[noreturn]] void refuse(SourceLocation where, std::string subject, Problem problem);

/// True for letters, digits and `_`, not starting with a digit: what the text form can spell.
bool is_word(std::string_view name);
/// True for printable ASCII without quotes: what may stand between quotes.
bool is_quotable(std::string_view name);

void check_memories(const Context& context);
void check_edges(const Context& context);
void check_computes(const Context& context);
/// Checks that the operands of each capability have axes in common. Precondition: each has inputs, of sizes in range.
void check_axes(const CheckedNode& node);
/// Checks that all nodes of a machine agree in their numerics. Precondition: check_computes has passed.
void check_numerics(const Context& context);
void check_mnemonics(const Context& context);
/// Checks that an energy is within 0..1e12 pJ.
void check_energy(const SourceLocation& where, const std::string& path, double energy);
/// Checks the ports of one node.
void check_ports(const Context& context, const std::string& path, const std::vector<Port>& ports,
                 const SourceLocation& node);
/// Checks that a memory feeds every compute node, and that mnemonics implement every capability.
void check_use(const Context& context);
/// Checks an encoding: the bits of the word and the letters of its fields.
void check_encoding(const Context& context, const Mnemonic& mnemonic);
/// Checks syntax, slots and pipes of a mnemonic.
void check_issue(const Context& context, const Mnemonic& mnemonic);
void check_packet_rules(const Context& context);
/// Checks that all mnemonics have the same parse bits. Precondition: the encodings have been checked.
void check_parse_bits(const Context& context);

}  // namespace covenant::acg::checks
