/// Layouts: where an embedding wants the elements of each operand.
///
/// One execution of the instruction reads an operand as a block with an element for each place of the axes that index
/// it. Activations stand in memory so that a block is a vector; constants are packed into blocks when the program is
/// made, with zeros where places stay idle or no tap of a band leads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/embedding/embedding.h"

namespace covenant::compiler::embedding {

/// One axis of a block.
struct LayoutAxis {
  std::string name;    ///< the instruction's: "inner"
  int64_t places = 1;  ///< its size
  std::string
      factors;  ///< axes of the workload that lie there, outermost first: `ic*16`; `-` if a single instance does
  bool operator==(const LayoutAxis&) const = default;
};

struct OperandLayout {
  std::string tensor;            ///< the workload's surrogate; empty for a number in the text
  bool is_output = false;        ///< also of what sums start from
  bool is_constant = false;      ///< packed
  int64_t elements = 1;          ///< of the tensor
  std::vector<LayoutAxis> axes;  ///< of a block, outermost first; none for a single element
  /// Elements of all blocks of a constant: those that steps read, each once.
  std::optional<int64_t> packed_elements{};
  bool operator==(const OperandLayout&) const = default;
};

/// The layout of each operand in the order of the instruction's, then that of the output.
std::vector<OperandLayout> layouts_of(const Embedding& embedding, const Workload& workload,
                                      const Instruction& instruction);

/// Part of the instruction's places, over all steps, that instances of the workload take: 1 if none is ever idle.
double utilisation(const Embedding& embedding, const Workload& workload, const Instruction& instruction);

/// The first input of the workload that is a constant with elements of its own, from the last one back.
std::optional<size_t> weights_of(const Workload& workload);

/// Positions in `embeddings`, the best first: fewest steps, then least packed weights, then fewest relaxations, then as
/// they stand.
std::vector<size_t> best_first(const std::vector<Embedding>& embeddings, const Workload& workload,
                               const Instruction& instruction);

}  // namespace covenant::compiler::embedding
