/// The rules of broken_machine.h, grouped by what they break, and the edits that they share.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "acg/graph/graph.h"
#include "fuzz/draw.h"

namespace covenant::runtime::breaking {

/// Breaks `machine` and returns its text. If there are several ways or places, one is drawn.
using Break = std::string (*)(acg::Machine machine, Draw& draw);

struct Rule {
  std::string_view name;
  Break apply;
};

std::span<const Rule> graph_rules();    ///< nodes, edges, roles, capabilities
std::span<const Rule> offchip_rules();  ///< off-chip memories and their edges
std::span<const Rule> number_rules();   ///< sizes, widths, latencies, clock
std::span<const Rule> word_rules();     ///< mnemonics and their fields
std::span<const Rule> text_rules();     ///< rules that break the text itself, in both forms

// ---- Choices

/// Kinds of the machine's compute nodes, each once, in the order of UnitKind.
std::vector<acg::UnitKind> kinds_of(const acg::Machine& machine);
std::vector<size_t> computes_of(const acg::Machine& machine, acg::UnitKind unit);
/// Nodes whose units name memories by roles, and the others: those that find their memories by edges.
std::vector<size_t> computes_with_roles(const acg::Machine& machine);
std::vector<size_t> computes_without_roles(const acg::Machine& machine);
/// One of the nodes of a kind, the kind drawn first.
acg::Compute& a_compute(acg::Machine& machine, Draw& draw);
acg::Compute& a_compute_with_roles(acg::Machine& machine, Draw& draw);
acg::Compute& a_compute_without_roles(acg::Machine& machine, Draw& draw);
/// The attributes that say how much a node works on at once: those that it must have.
std::vector<std::string> size_attributes(const acg::Compute& compute);
/// Their product.
uint64_t size_of(const acg::Compute& compute);
/// The roles of nodes that have some, as their unit orders them: "input", "weight", "bias", "output".
std::vector<std::string> roles_of(const acg::Machine& machine);
std::vector<size_t> memories_of(const acg::Machine& machine, acg::MemoryKind kind);
acg::Memory& a_memory(acg::Machine& machine, Draw& draw, acg::MemoryKind kind);
/// The memories that nodes have in a role.
std::vector<size_t> role_memories(const acg::Machine& machine, std::string_view role);
bool is_among(const std::vector<size_t>& indices, size_t index);
bool is_memory(acg::NodeId node, size_t memory);
bool is_one_of(acg::NodeId node, const std::vector<size_t>& memories);

// ---- Edits

/// Takes out edges, and from the words the engines that they were.
void drop_edges(acg::Machine& machine, const std::function<bool(const acg::Edge&)>& is_dropped);
/// Takes out nodes with their edges and the names of both in the words.
void drop_nodes(acg::Machine& machine, const std::vector<size_t>& memories, const std::vector<size_t>& computes);
/// `text` with another value of attribute `name` in the statement that begins with `start`. Precondition: it has one.
std::string with_value(std::string text, std::string_view start, std::string_view name, std::string_view value);
/// `text` with a line before the brace that ends it.
std::string with_statement(const std::string& text, std::string_view line);
/// The statement of a node or word: "  memory WBUF {".
std::string start_of(const acg::Memory& memory);
std::string start_of(const acg::Compute& compute);

}  // namespace covenant::runtime::breaking
