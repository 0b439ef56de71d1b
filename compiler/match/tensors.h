/// Shapes of tensors and values of attributes in an e-graph of tensor operations.
///
/// Terms are made of tensors and of lists of whole numbers: `(reshape ?x [4,-1])`, `(dot [1] ?a ?b)`. What is computed
/// of shapes is a term, too: `(flat ?x [2])` is a list as soon as the shape of ?x is known, and equal to it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/match/egraph.h"
#include "compiler/match/rules.h"

namespace covenant::compiler::match {

using Numbers = std::vector<int64_t>;

/// Knowledge of a class: the shape of a tensor, or the numbers of a list.
struct TensorFact {
  std::optional<Numbers> shape;
  std::optional<Numbers> list;
  bool fits = true;  ///< no operands are known that do not fit

  bool operator==(const TensorFact&) const = default;
};

/// A word `[1,2]` as numbers; nothing if it is none.
std::optional<Numbers> list_of(std::string_view word);
std::string word_of(const Numbers& list);

/// Facts of operations, and of names that are given shapes. Operations that are neither have no facts.
class TensorFacts : public Analysis {
 public:
  /// `shapes` are those of leaves, and of operations that the rules know nothing of, by name.
  explicit TensorFacts(std::map<std::string, Numbers> shapes) : shapes_(std::move(shapes)) {}

  const TensorFact& of(const EGraph& graph, Id id) const { return facts_[graph.find(id)]; }
  /// The first thing that cannot be: tensors of two shapes that are said to be equal, an operation of operands that do
  /// not fit.
  const std::optional<std::string>& fault() const { return fault_; }

  void made(const EGraph& graph, Id node) override;
  std::pair<bool, bool> joined(Id into, Id from) override;
  bool made_again(const EGraph& graph, Id node, Id of) override;
  void modify(EGraph& graph, Id of) override;

 private:
  TensorFact fact(const EGraph& graph, Id node) const;
  TensorFact checked(const EGraph& graph, Id node);
  bool join(TensorFact& into, const TensorFact& from);

  std::map<std::string, Numbers> shapes_;
  std::vector<TensorFact> facts_;  ///< by class
  std::optional<std::string> fault_;
};

/// Conditions on shapes and lists that rules may ask for; they look into `facts`, which must outlive them.
Conditions tensor_conditions(const TensorFacts& facts);

}  // namespace covenant::compiler::match
