/// Questions that compiler, models and reports ask of a machine.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "acg/graph/graph.h"

namespace covenant::acg {

std::optional<MemoryId> find_memory(const Machine& machine, std::string_view name);
std::optional<ComputeId> find_compute(const Machine& machine, std::string_view name);
const std::string& name_of(const Machine& machine, NodeId node);

/// The node around an inner one: of `SIMD.LANE0` the node `SIMD`. Nothing for outer nodes.
std::optional<NodeId> parent(const Machine& machine, NodeId node);
/// Nodes directly inside of a node, memories first, as declared.
std::vector<NodeId> children(const Machine& machine, NodeId node);
const std::vector<Port>& ports_of(const Machine& machine, NodeId node);

inline const Memory& get(const Machine& machine, MemoryId id) { return machine.memories.at(id.value); }
inline const Compute& get(const Machine& machine, ComputeId id) { return machine.computes.at(id.value); }

/// The integer attribute `name` of a compute node; InternalError if it has none (loading has checked).
int64_t integer_attribute(const Compute& compute, std::string_view name);
/// The memory that plays `role` for a compute node (`input = IBUF` in the text).
MemoryId role(const Machine& machine, const Compute& compute, std::string_view role);
/// The register file that a compute node names (`registers = VRF` in the text); nothing if it works on none.
std::optional<MemoryId> register_file(const Machine& machine, const Compute& compute);

/// The ends of an edge on which tiles move: between off-chip memory and a scratchpad, or between two scratchpads.
struct TransferEnds {
  MemoryId far;             ///< whose bytes it addresses one by one: off-chip memory, or the scratchpad it reads
  MemoryId near;            ///< the scratchpad at the other end
  bool loads = true;        ///< from far to near; false: a store to off-chip memory
  bool has_offchip = true;  ///< far is off-chip memory
};
/// Nothing for edges on which no engine moves tiles: those of compute nodes, of instructions, of register files.
std::optional<TransferEnds> transfer_ends(const Machine& machine, const Edge& edge);

/// All engines in their fixed order: compute nodes as declared, then the edges with `transfer_ends` as declared.
/// An engine's position here is its number in the encoded program.
std::vector<Engine> engines(const Machine& machine);
/// Position in this table. Who asks more than once makes the table once.
std::optional<uint32_t> find_engine(std::span<const Engine> engines, std::string_view name);
/// Cycles from accepting the last beat of work to the first cycle in which its effect is visible
/// (docs/reference/units/README.md). InternalError for units without a page that states it.
uint32_t pipeline_depth(const Machine& machine, const Engine& engine);

/// The memory with the longest path to every compute node (section 3.1 of the paper): DRAM. Activations lie there. Of
/// several off-chip memories, the one whose bytes go round through most compute nodes: read as activations, written as
/// results; ties go by what it reaches, then by declaration order.
MemoryId outermost_memory(const Machine& machine);
/// Off-chip memories in the order in which constants are put into them: that of activations first, then as declared.
/// Of a machine without any: `outermost_memory`.
std::vector<MemoryId> constant_memories(const Machine& machine);
/// The edge that brings words to the engines. Nothing for a machine whose engines are sent none.
std::optional<uint32_t> instruction_edge(const Machine& machine);
/// The off-chip memory in which words lie. InternalError without `instruction_edge`.
MemoryId instruction_source(const Machine& machine);
/// Of a machine that issues packets: its first compute node, which stands for the whole core where engines are named.
/// Its position in the table of engines. Nothing for other machines.
std::optional<uint32_t> core_engine(const Machine& machine);
/// Of the same: the edge by which lines of its caches come from off-chip memory.
std::optional<uint32_t> line_edge(const Machine& machine);
/// Nodes from `from` to `to`, both included, along the fewest edges; ties by declaration order. Empty if there is none.
/// It may lead through off-chip memory: `acg/graph/ways.h` has those that do not.
std::vector<NodeId> shortest_path(const Machine& machine, NodeId from, NodeId to);
/// The edge between two adjacent nodes.
std::optional<uint32_t> edge_between(const Machine& machine, NodeId from, NodeId to);

/// Edges that move data one at a time with `edge`, itself included, as declared.
std::vector<uint32_t> sharing_bus(const Machine& machine, uint32_t edge);

/// Bytes of all buffers together.
uint64_t capacity_bytes(const Memory& memory);

/// Bytes per beat of an edge: bandwidth / 8.
uint64_t beat_bytes(const Machine& machine, const Engine& engine);

/// Bits of the elements that a systolic array takes as GEMM's input 0 (of rows) or 1 (of weights): of the widest that a
/// capability says, 8 if none does.
uint32_t gemm_bits(const Machine& machine, const Compute& compute, size_t input);

struct CapabilityMatch {
  ComputeId compute;
  size_t capability = 0;  ///< index into Compute::capabilities
  bool operator==(const CapabilityMatch&) const = default;
};
/// Nodes that can do `name` on these dtypes, largest output granularity first, ties by declaration order.
std::vector<CapabilityMatch> find_capability(const Machine& machine, std::string_view name, DType output,
                                             const std::vector<DType>& inputs);
/// The same by whole operands: element types with their formats. Only capabilities that give at most `most_elements`.
std::vector<CapabilityMatch> find_capability(const Machine& machine, std::string_view name,
                                             const CapabilityOperand& output,
                                             const std::vector<CapabilityOperand>& inputs, uint64_t most_elements);

}  // namespace covenant::acg
