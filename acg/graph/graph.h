/// The Architecture Covenant Graph of one machine, with all parameters resolved.
///
/// A graph has memory and compute nodes, the interconnect edges between them, and the mnemonics that program them
/// (Kinzer et al., "Restoring the Broken Covenant Between Compilers and Deep Learning Accelerators", section 2). It is
/// a value type: copyable, comparable, printable (`acg/lang/print.h`), parseable (`acg/lang/parser.h`).
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "acg/base/diagnostic.h"
#include "acg/encoding/mnemonic.h"
#include "acg/encoding/packet_rules.h"
#include "acg/graph/capability.h"
#include "acg/graph/port.h"

namespace covenant::acg {

/// Index into Machine::memories.
struct MemoryId {
  uint32_t value = 0;
  auto operator<=>(const MemoryId&) const = default;
};

/// Index into Machine::computes.
struct ComputeId {
  uint32_t value = 0;
  auto operator<=>(const ComputeId&) const = default;
};

/// offchip: byte-addressed main memory. scratchpad: software-managed, `buffers` buffers each with its tokens.
/// instruction: holds the words of every engine. immediate: 32-bit scalars broadcast to all lanes. register_file:
/// addressed by the fields of words, `depth` registers. cache: hardware-managed; its size drives cost, not legality.
enum class MemoryKind : uint8_t { kOffchip, kScratchpad, kInstruction, kImmediate, kRegisterFile, kCache };

/// A memory node (section 2.1.1 of the paper).
struct Memory {
  std::string name;
  MemoryKind kind = MemoryKind::kScratchpad;
  uint32_t data_width = 8;  ///< bits of the smallest accessible element of one bank
  uint64_t banks = 1;
  uint64_t depth = 1;                 ///< addressable elements of one buffer
  uint32_t buffers = 1;               ///< number of buffers; a tile must fit into one
  uint32_t latency = 1;               ///< cycles from request to data; only offchip may exceed 1
  uint32_t granularity = 0;           ///< bits of one bank that an address selects; 0: data_width
  uint32_t channels = kChannelSlots;  ///< most regions that have tokens of their own; a power of two up to kMaxChannels
  SourceLocation where;
  uint32_t accesses = 1;    ///< reads or writes in one cycle
  double read_energy = 0;   ///< pJ per access to one address; 0: unknown
  double write_energy = 0;  ///< pJ per access to one address; 0: unknown
  std::vector<Port> ports{};

  uint64_t element_bits() const { return data_width * banks; }
  uint64_t buffer_bits() const { return element_bits() * depth; }
  uint64_t buffer_bytes() const { return buffer_bits() / 8; }
  /// Bytes from one address to the next: granularity * banks / 8 (1 for offchip memory).
  uint64_t unit_bytes() const { return (granularity == 0 ? data_width : granularity) * banks / 8; }
  uint64_t buffer_units() const { return buffer_bytes() / unit_bytes(); }
  /// Iterator entries of a SIMD array per channel of this memory.
  uint32_t channel_entries() const { return kIteratorEntries / channels; }

  bool operator==(const Memory& other) const;  ///< ignores `where`
};

using Attribute = std::variant<int64_t, std::string>;

/// The event that starts a compute node: a word of its instruction stream, or the arrival of its operands (the Matrix
/// Unit of the paper).
enum class Trigger : uint8_t { kMnemonic, kDataflow };

struct Compute {
  std::string name;
  UnitKind unit = UnitKind::kDescribed;
  std::map<std::string, Attribute>
      attributes;  ///< listed on the page of the unit: rows, columns, lanes, roles of memories
  std::vector<Capability> capabilities;
  SourceLocation where;
  Trigger trigger = Trigger::kMnemonic;
  std::vector<Port> ports{};

  bool operator==(const Compute& other) const;  ///< ignores `where`
};

using NodeId = std::variant<MemoryId, ComputeId>;

/// Default `burst` of an edge.
inline constexpr uint32_t kBurstBeats = 16;

/// An interconnect edge (section 2.1.2 of the paper). A `<->` in the text becomes two edges.
struct Edge {
  NodeId from;
  NodeId to;
  uint32_t bandwidth = 0;  ///< bits per cycle; 0: as wide as the node needs (edges that touch a compute node)
  SourceLocation where;
  std::string from_port{};       ///< named port of `from` where it attaches, or empty
  std::string to_port{};         ///< named port of `to` where it attaches, or empty
  uint32_t latency = 0;          ///< cycles from one end to the other, in addition to those of the nodes
  double energy = 0;             ///< pJ per bit; 0: unknown
  std::string bus{};             ///< edges with the same bus move data one at a time; empty: a bus of its own
  uint32_t burst = kBurstBeats;  ///< beats that the edge moves before the next edge of its bus has its turn

  bool operator==(const Edge& other) const;  ///< ignores `where`
};

/// An engine executes a stream of words: a compute node, or the DMA engine of an edge on which tiles move
/// (`transfer_ends`).
struct Engine {
  std::string name;                      ///< "SA", "DRAM->IBUF"
  UnitKind unit = UnitKind::kDescribed;  ///< the unit of the compute node, or what moves tiles on edges
  std::optional<ComputeId> compute;
  std::optional<uint32_t> edge;  ///< index into Machine::edges
  bool operator==(const Engine&) const = default;
};

struct Machine {
  std::string name;
  std::map<std::string, int64_t> parameters;  ///< resolved values, `--set` applied
  std::string preset;                         ///< name of the preset in use, or empty
  double clock_hertz = 1e9;
  uint32_t word_bits = 32;   ///< width of an instruction word: whole bytes, at most kMostWordBits
  uint32_t opcode_bits = 4;  ///< the opcode is the topmost field
  PacketRules packet;        ///< for machines that issue several words together
  std::vector<NamedDType> dtypes;
  /// Nodes may nest: the name of an inner node is qualified by that of its parent, `SIMD.LANE0` (see `parent` in
  /// queries.h).
  std::vector<Memory> memories;
  std::vector<Compute> computes;
  std::vector<Edge> edges;
  std::vector<Mnemonic> mnemonics;

  uint32_t word_bytes() const { return word_bits / 8; }
  bool operator==(const Machine&) const = default;
};

}  // namespace covenant::acg
