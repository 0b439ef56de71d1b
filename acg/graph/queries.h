/// Queries on a machine that the compiler, the models and the reports share.
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

/// The node around an inner one: `SIMD` for `SIMD.LANE0`. Nothing for outer nodes.
std::optional<NodeId> parent(const Machine& machine, NodeId node);
/// Nodes directly inside of a node, memories first, as declared.
std::vector<NodeId> children(const Machine& machine, NodeId node);
const std::vector<Port>& ports_of(const Machine& machine, NodeId node);

inline const Memory& get(const Machine& machine, MemoryId id) { return machine.memories.at(id.value); }
inline const Compute& get(const Machine& machine, ComputeId id) { return machine.computes.at(id.value); }

/// The integer attribute `name` of a compute node. InternalError if it has none: loading has checked that it does.
int64_t integer_attribute(const Compute& compute, std::string_view name);
/// The memory that plays `role` for a compute node (`input = IBUF` in the text).
MemoryId role(const Machine& machine, const Compute& compute, std::string_view role);
/// The register file of a compute node (`registers = VRF` in the text). Nothing if it has none.
std::optional<MemoryId> register_file(const Machine& machine, const Compute& compute);

/// The ends of an edge on which tiles move: between off-chip memory and a scratchpad, or between two scratchpads.
struct TransferEnds {
  MemoryId far;             ///< the end whose bytes are addressed one by one: off-chip memory, or the scratchpad that
                            ///< is read
  MemoryId near;            ///< the scratchpad at the other end
  bool loads = true;        ///< from far to near; false: a store to off-chip memory
  bool has_offchip = true;  ///< far is off-chip memory
};
/// The ends of a transfer edge. Nothing for edges on which no engine moves tiles: those of compute nodes, of
/// instructions, and of register files.
std::optional<TransferEnds> transfer_ends(const Machine& machine, const Edge& edge);

/// All engines in their fixed order: compute nodes as declared, then the edges with `transfer_ends` as declared.
/// An engine's position here is its number in the encoded program.
std::vector<Engine> engines(const Machine& machine);
/// Position of the engine called `name` in this table, or nothing. To ask more than once, call `engines` only once.
std::optional<uint32_t> find_engine(std::span<const Engine> engines, std::string_view name);
/// Cycles from accepting the last beat of work to the first cycle in which its effect is visible
/// (docs/reference/units/README.md). InternalError for units whose page states none.
uint32_t pipeline_depth(const Machine& machine, const Engine& engine);

/// The memory with the longest path to every compute node (section 3.1 of the paper), in which activations lie: DRAM.
/// Among several off-chip memories, the one that most compute nodes both read activations from and write results to;
/// ties go to the one that reaches more nodes, then to the one declared first.
MemoryId outermost_memory(const Machine& machine);
/// Off-chip memories in the order in which constants are placed: the memory of activations first, then as declared.
/// Only `outermost_memory` if the machine has none.
std::vector<MemoryId> constant_memories(const Machine& machine);
/// The edge that brings words to the engines. Nothing if the engines of the machine are sent no words.
std::optional<uint32_t> instruction_edge(const Machine& machine);
/// The off-chip memory that holds the instruction words. InternalError without `instruction_edge`.
MemoryId instruction_source(const Machine& machine);
/// Position, in the table of engines, of the first compute node of a machine that issues packets: it stands for the
/// whole core where engines are named. Nothing for other machines.
std::optional<uint32_t> core_engine(const Machine& machine);
/// The edge by which such a core's caches fetch lines from off-chip memory. Nothing for other machines.
std::optional<uint32_t> line_edge(const Machine& machine);
/// Nodes from `from` to `to`, both included, along the fewest edges; ties by declaration order. Empty if there is no
/// path. The path may lead through off-chip memory: for paths that do not, see `acg/graph/ways.h`.
std::vector<NodeId> shortest_path(const Machine& machine, NodeId from, NodeId to);
/// The edge between two adjacent nodes.
std::optional<uint32_t> edge_between(const Machine& machine, NodeId from, NodeId to);

/// Edges that share a bus with `edge` and so move data one at a time; `edge` included, as declared.
std::vector<uint32_t> sharing_bus(const Machine& machine, uint32_t edge);

/// Bytes of all buffers of a memory together.
uint64_t capacity_bytes(const Memory& memory);

/// Bytes per beat of an edge: bandwidth / 8.
uint64_t beat_bytes(const Machine& machine, const Engine& engine);

/// Bits per element that a systolic array takes as GEMM's input 0 (rows) or 1 (weights): those of the widest element
/// type that a capability has, 8 if it has none.
uint32_t gemm_bits(const Machine& machine, const Compute& compute, size_t input);

struct CapabilityMatch {
  ComputeId compute;
  size_t capability = 0;  ///< index into Compute::capabilities
  bool operator==(const CapabilityMatch&) const = default;
};
/// Capabilities called `name` on these dtypes, largest output granularity first, ties by declaration order.
std::vector<CapabilityMatch> find_capability(const Machine& machine, std::string_view name, DType output,
                                             const std::vector<DType>& inputs);
/// The same for whole operands, whose element types have formats. Only capabilities whose output has at most
/// `most_elements`.
std::vector<CapabilityMatch> find_capability(const Machine& machine, std::string_view name,
                                             const CapabilityOperand& output,
                                             const std::vector<CapabilityOperand>& inputs, uint64_t most_elements);

}  // namespace covenant::acg
