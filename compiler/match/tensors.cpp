#include "compiler/match/tensors.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/match/tensor_operations.h"

namespace covenant::compiler::match {

std::optional<Numbers> list_of(std::string_view word) {
  if (word.size() < 2 || word.front() != '[' || word.back() != ']') return std::nullopt;
  Numbers result;
  const char* at = word.data() + 1;
  const char* const end = word.data() + word.size() - 1;
  while (at != end) {
    const auto [next, error] = std::from_chars(at, end, result.emplace_back());
    if (error != std::errc() || (next != end && *next != ',') || next + 1 == end) return std::nullopt;
    at = next == end ? end : next + 1;
  }
  return result;
}

std::string word_of(const Numbers& list) { return fmt::format("[{}]", fmt::join(list, ",")); }

TensorFact TensorFacts::fact(const EGraph& graph, Id node) const {
  const std::string& name = graph.name(graph.operation(node));
  if (const auto given = shapes_.find(name); given != shapes_.end()) return {given->second, {}};
  const std::span<const Id> children = graph.children(node);
  if (children.empty()) {
    std::optional<Numbers> list = list_of(name);
    if (list) return {{}, std::move(list)};
  }
  std::vector<const TensorFact*> operands;
  for (const Id child : children) operands.push_back(&of(graph, child));
  const bool is_transfer = name.starts_with("store@") || name.starts_with("load@");  // of any machine
  return is_transfer && operands.size() == 1 ? *operands.front() : fact_of(name, operands);
}

/// The fact of a node; operands that do not fit are a fault.
TensorFact TensorFacts::checked(const EGraph& graph, Id node) {
  TensorFact result = fact(graph, node);
  if (!result.fits && !fault_) fault_ = graph.name(graph.operation(node)) + " of operands that do not fit";
  return result;
}

bool TensorFacts::join(TensorFact& into, const TensorFact& from) {
  const auto take = [&](std::optional<Numbers>& known, const std::optional<Numbers>& other) {
    if (!other || known == other) return false;
    if (known && !fault_) fault_ = fmt::format("{} and {} are not the same", word_of(*known), word_of(*other));
    if (known) return false;
    known = other;
    return true;
  };
  const bool has_shape = take(into.shape, from.shape), has_list = take(into.list, from.list);
  if (into.shape && into.list && !fault_) fault_ = "a tensor is no list";
  return has_shape || has_list;
}

void TensorFacts::made(const EGraph& graph, Id node) {
  facts_.resize(std::max<size_t>(facts_.size(), node + 1));
  facts_[node] = checked(graph, node);
}

std::pair<bool, bool> TensorFacts::joined(Id into, Id from) {
  const bool changes = join(facts_[into], facts_[from]);
  return {changes, facts_[into] != facts_[from]};
}

bool TensorFacts::made_again(const EGraph& graph, Id node, Id of) { return join(facts_[of], checked(graph, node)); }

/// A list that is known is equal to its word.
void TensorFacts::modify(EGraph& graph, Id of) {
  if (!facts_[of].list) return;
  const std::string word = word_of(*facts_[of].list);
  graph.unite(graph.add(graph.symbol(word), {}), of);
}

Conditions tensor_conditions(const TensorFacts& facts) {
  const auto rank = [&facts](size_t wanted) {
    return NamedCondition{[&facts, wanted](const EGraph& graph, std::span<const Id> of) {
                            const auto& shape = facts.of(graph, of[0]).shape;
                            return shape && shape->size() == wanted;
                          },
                          1};
  };
  // A condition of a tensor and a list, or of two tensors.
  const auto pair = [&facts](bool (*holds)(const Numbers&, const Numbers&)) {
    return NamedCondition{[&facts, holds](const EGraph& graph, std::span<const Id> of) {
                            const TensorFact &a = facts.of(graph, of[0]), &b = facts.of(graph, of[1]);
                            const auto &first = a.shape ? a.shape : a.list, &second = b.shape ? b.shape : b.list;
                            return first && second && holds(*first, *second);
                          },
                          2};
  };
  // A condition of the rows of a matrix.
  const auto matrix = [&facts](bool (*holds)(int64_t)) {
    return NamedCondition{[&facts, holds](const EGraph& graph, std::span<const Id> of) {
                            const auto& shape = facts.of(graph, of[0]).shape;
                            return shape && shape->size() == 2 && holds(shape->back());
                          },
                          1};
  };
  // A condition of a part, `[axis, count, index]`.
  const auto at = [&facts](bool (*holds)(const Numbers&)) {
    return NamedCondition{[&facts, holds](const EGraph& graph, std::span<const Id> of) {
                            const auto& part = facts.of(graph, of[0]).list;
                            return part && part->size() == 3 && holds(*part);
                          },
                          1};
  };
  return {
      {"is_first_part", at([](const Numbers& part) { return part[0] == 0 && part[2] == 0; })},
      {"is_last_part", at([](const Numbers& part) { return part[2] + 1 == part[1]; })},
      {"is_part_before", pair([](const Numbers& part, const Numbers& next) {
         return part.size() == 3 && next == Numbers{part[0], part[1], part[2] + 1};
       })},
      {"has_even_rows", matrix([](int64_t columns) { return columns % 2 == 0; })},
      {"has_rows_of_two", matrix([](int64_t columns) { return columns == 2; })},
      {"has_rows_of_one", matrix([](int64_t columns) { return columns == 1; })},
      {"is_vector", rank(1)},
      {"is_matrix", rank(2)},
      {"is_image", rank(4)},
      {"has_shape", pair([](const Numbers& shape, const Numbers& list) { return shape == list; })},
      {"has_columns_of",
       pair([](const Numbers& x, const Numbers& w) { return x.size() == 2 && w.size() == 2 && x[1] == w[1]; })},
      {"has_rows_of",
       pair([](const Numbers& h, const Numbers& x) { return h.size() == 2 && x.size() == 2 && h[0] == x[0]; })},
      {"is_quarter_of", pair([](const Numbers& c, const Numbers& gates) {
         return c.size() == 2 && gates.size() == 2 && c[0] == gates[0] && 4 * c[1] == gates[1];
       })},
      {"is_step_of", pair([](const Numbers& step, const Numbers& x) {
         return x.size() == step.size() + 1 && std::ranges::equal(step, std::span(x).subspan(1));
       })},
      {"is_bias_of", pair([](const Numbers& bias, const Numbers& weights) {
         return bias.size() == 1 && !weights.empty() && bias[0] == weights[0];
       })},
      {"keeps_rows_of", pair([](const Numbers& list, const Numbers& weights) {
         return !list.empty() && !weights.empty() && list.back() == weights[0];
       })},
      {"is_last", pair([](const Numbers& axis, const Numbers& list) {
         return axis.size() == 1 && axis[0] + 1 == static_cast<int64_t>(list.size());
       })},
  };
}

}  // namespace covenant::compiler::match
