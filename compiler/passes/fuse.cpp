#include "compiler/passes/fuse.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <set>

#include "acg/base/failure.h"
#include "compiler/codelet/diagnose.h"
#include "compiler/codelet/names.h"
#include "compiler/codelet/print.h"
#include "compiler/codelet/rewrite.h"
#include "compiler/codelet/split_loop.h"
#include "compiler/codelet/vector_sizes.h"

namespace covenant::compiler {
namespace {

using codelet::Codelet;
using codelet::Compute;
using codelet::diagnose;
using codelet::Expression;
using codelet::Loop;
using codelet::Operation;
using codelet::Reference;
using codelet::Surrogate;
using codelet::SurrogateKind;

[[noreturn]] void refuse(const Codelet& codelet, const SourceLocation& where, const std::string& message,
                         const std::string& what) {
  throw Failure{diagnose("CDL0080", where, codelet.name, message, what, {},
                         "nothing: they stay two layers, with the tensor between them in off-chip memory")};
}

/// The variable that an index consists of; empty for any other expression.
std::string variable_of(const Expression& index) {
  if (index.terms().size() != 1 || index.terms()[0].names.size() != 1 || index.terms()[0].coefficient != 1) return {};
  return index.terms()[0].names[0];
}

/// Calls `visit` on every reference of the computes in `body`.
template <typename Visit>
void for_each_reference(std::vector<Operation>& body, Visit visit) {
  for_each_operation(body, [&](Operation& operation) {
    auto* compute = std::get_if<Compute>(&operation.op);
    if (compute == nullptr) return;
    visit(compute->destination);
    for (auto& operand : compute->operands) {
      if (auto* reference = std::get_if<Reference>(&operand)) visit(*reference);
    }
  });
}

struct SharedLoop {
  std::string variable;
  int64_t trips = 1;
};

/// One side of a fusion: a codelet as a nest of loops over one tensor, one loop for each dimension, around a body.
class Side {
 public:
  /// `tensors`: names of the tensor, to which all references in the body give the same indices.
  Side(const Codelet& source, const std::vector<std::string>& tensors) : codelet(source), tensors_(tensors) {
    body = source.body;
    for_each_reference(body, [&](const Reference& reference) {
      if (!is_joint(reference.surrogate)) return;
      if (!joint_) joint_ = reference;
      if (reference.indices != joint_->indices)
        refuse(codelet, {}, "it is touched at several places", print(reference));
    });
    if (!joint_) refuse(codelet, codelet.where, "no compute touches the tensor", tensors[0]);
    peel();
    check_indices();
  }

  bool is_joint(const std::string& name) const {
    return std::find(tensors_.begin(), tensors_.end(), name) != tensors_.end();
  }
  const std::vector<Expression>& indices() const { return joint_.value().indices; }

  /// The loop over each dimension, with its trips.
  std::vector<SharedLoop> dimensions() const {
    std::vector<SharedLoop> result;
    for (const Expression& index : indices()) result.push_back(*find(variable_of(index)));
    return result;
  }

  /// Replaces the loop over `variable` by loops whose trips multiply to the same number, and splits all dimensions that
  /// it indexes in the same way.
  void split(const std::string& variable, const std::vector<SharedLoop>& by) {
    loops.insert(loops.erase(find(variable)), by.begin(), by.end());
    if (by.size() == 1) return rename(variable, by[0].variable);
    std::vector<Expression> indices;
    for (const SharedLoop& loop : by) indices.push_back(Expression::variable(loop.variable));
    std::set<std::pair<std::string, size_t>> dimensions;  // dimensions that are split, by surrogate
    const auto split_reference = [&](Reference& reference) {
      for (size_t d = reference.indices.size(); d-- > 0;) {
        if (!reference.indices[d].mentions(variable)) continue;
        if (variable_of(reference.indices[d]) != variable) {
          refuse(codelet, {}, "a dimension that is split is indexed by more than its loop",
                 reference.indices[d].print());
        }
        dimensions.emplace(reference.surrogate, d);
        reference.indices.erase(reference.indices.begin() + static_cast<std::ptrdiff_t>(d));
        reference.indices.insert(reference.indices.begin() + static_cast<std::ptrdiff_t>(d), indices.begin(),
                                 indices.end());
      }
    };
    for_each_reference(body, split_reference);
    split_reference(joint_.value());
    // From the last dimension backwards, so that the indices of earlier ones stay valid.
    std::vector<int64_t> sizes;
    for (const SharedLoop& loop : by) sizes.push_back(loop.trips);
    for (auto at = dimensions.rbegin(); at != dimensions.rend(); ++at) split(at->first, at->second, sizes);
  }

  void rename(const std::string& variable, const std::string& to) {
    const auto change = [&](Expression& index) { index = index.substitute(variable, Expression::variable(to)); };
    for_each_expression(body, change);
    std::for_each(joint_.value().indices.begin(), joint_.value().indices.end(), change);
  }

  Codelet codelet;  ///< holds the surrogates; its body is in `body` and `loops`
  std::vector<SharedLoop> loops;
  std::vector<Operation> body;

 private:
  /// Removes the loops that index the tensor from the body, as long as each holds nothing but the next.
  void peel() {
    while (body.size() == 1) {
      auto* loop = std::get_if<Loop>(&body.front().op);
      if (loop == nullptr || !joint_.value().mentions(loop->variable)) return;
      const std::optional<int64_t> trips = loop->upper.constant();
      if (loop->lower != Expression(0) || loop->stride != Expression(1) || !trips) {
        refuse(codelet, body.front().where, "a loop over the tensor does not run from 0 by 1", loop->variable);
      }
      loops.push_back({loop->variable, *trips});
      std::vector<Operation> inner = std::move(loop->body);
      body = std::move(inner);
    }
  }

  /// Checks that there is one loop for each dimension, over all of it.
  void check_indices() const {
    std::set<std::string> used;
    for (const std::string& name : tensors_) {
      const std::vector<int64_t> shape = constants(find_surrogate(codelet, name)->shape);
      for (size_t d = 0; d < shape.size(); ++d) {
        const std::string variable = variable_of(indices().at(d));
        const auto loop =
            std::find_if(loops.begin(), loops.end(), [&](const SharedLoop& one) { return one.variable == variable; });
        if (loop == loops.end() || loop->trips != shape[d]) {
          refuse(codelet, joint_.value().where,
                 "the tensor is not touched element by element by outer loops of its own", print(joint_.value()));
        }
        used.insert(variable);
      }
    }
    if (used.size() != loops.size() || used.size() != indices().size()) {
      refuse(codelet, joint_.value().where, "a loop indexes two dimensions of the tensor", print(joint_.value()));
    }
  }

  std::vector<SharedLoop>::iterator find(const std::string& variable) {
    return std::find_if(loops.begin(), loops.end(), [&](const SharedLoop& one) { return one.variable == variable; });
  }
  std::vector<SharedLoop>::const_iterator find(const std::string& variable) const {
    return std::find_if(loops.begin(), loops.end(), [&](const SharedLoop& one) { return one.variable == variable; });
  }

  void split(const std::string& name, size_t d, const std::vector<int64_t>& sizes) {
    Surrogate& surrogate = *find_surrogate(codelet, name);
    const int64_t trips = std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
    if (constants(surrogate.shape).at(d) != trips) {
      refuse(codelet, surrogate.where, "a dimension that is split is longer than its loop", print(surrogate));
    }
    split_dimension(surrogate, d, sizes);
  }

  std::vector<std::string> tensors_;
  std::optional<Reference> joint_;  ///< the indices with which the tensor is accessed
};

/// Adjacent dimensions of both sides that cover the same elements.
struct Group {
  std::vector<SharedLoop> made;
  std::vector<SharedLoop> read;
};

/// Groups dimensions from the last one backwards, with as few of either side as multiply to the same size; remaining
/// dimensions of size 1 go to the first group. The last dimension is the same in both, unless the consumer's may be cut
/// in chunks.
std::vector<Group> groups(const Codelet& consumer, const std::vector<SharedLoop>& made,
                          const std::vector<SharedLoop>& read, bool may_cut_last) {
  std::vector<Group> result;
  size_t m = made.size();
  size_t r = read.size();
  while (m > 0 && r > 0) {
    Group group{{made[--m]}, {read[--r]}};
    int64_t product = group.made[0].trips;
    int64_t other = group.read[0].trips;
    while (product != other && (product < other ? m : r) > 0) {
      std::vector<SharedLoop>& list = product < other ? group.made : group.read;
      const SharedLoop& next = product < other ? made[--m] : read[--r];
      (product < other ? product : other) *= next.trips;
      list.insert(list.begin(), next);
    }
    if (product != other) refuse(consumer, {}, "the tensor's sizes do not agree", std::to_string(other));
    result.push_back(std::move(group));
  }
  while (m > 0) result.back().made.insert(result.back().made.begin(), made[--m]);
  while (r > 0) result.back().read.insert(result.back().read.begin(), read[--r]);
  const auto is_one = [](const Group& group) { return group.made.size() == 1 || group.read.size() == 1; };
  const bool same_last = result.front().read.size() == 1 && (may_cut_last || result.front().made.size() == 1);
  if (!std::all_of(result.begin(), result.end(), is_one) || !same_last) {
    refuse(consumer, {}, "the tensor's dimensions are cut elsewhere than its producer's",
           std::to_string(made.size()) + " and " + std::to_string(read.size()) + " dimensions");
  }
  return result;
}

/// True if elements that are later in row-major order are later in memory.
bool is_row_major(const Surrogate& surrogate) {
  int64_t before = std::numeric_limits<int64_t>::max();
  for (size_t d = 0; d < surrogate.strides.size(); ++d) {
    if (surrogate.shape[d].constant() == 1) continue;
    const int64_t stride = surrogate.strides[d].constant().value();
    if (stride > before) return false;
    before = stride;
  }
  return true;
}

/// True if the n-th element in row-major order is at the same place in both.
bool lie_alike(const Surrogate& one, const Surrogate& other) {
  return (is_row_major(one) && is_row_major(other)) || (one.shape == other.shape && one.strides == other.strides);
}

class Fuser {
 public:
  Fuser(const Codelet& producer, const Codelet& consumer, const Joint& joint, const acg::Machine* machine)
      : joint_(joint),
        machine_(machine),
        producer_(producer, {joint.made}),
        consumer_(consumer, joint.read),
        names_(producer) {}

  FusedCodelet run() {
    check_joint();
    check_consumer();
    share_loops();
    rename();
    FusedCodelet result{producer_.codelet, renamed_};
    result.codelet.name = producer_.codelet.name + "_" + consumer_.codelet.name;
    result.codelet.implements.clear();
    Surrogate& made = *find_surrogate(result.codelet, joint_.made);
    made.kind = SurrogateKind::kLocal;  // it is no longer stored
    made.strides.clear();
    made.offset = Expression(0);
    for (const Surrogate& surrogate : consumer_.codelet.surrogates) {
      if (!consumer_.is_joint(surrogate.name)) result.codelet.surrogates.push_back(renamed(surrogate));
    }
    std::vector<Operation> body = producer_.body;
    body.insert(body.end(), consumer_.body.begin(), consumer_.body.end());
    for (size_t i = producer_.loops.size(); i-- > 0;) {
      body = {Operation{Loop{producer_.loops[i].variable, 0, producer_.loops[i].trips, 1, std::move(body)}, {}}};
    }
    result.codelet.body = std::move(body);
    return result;
  }

 private:
  void check_joint() const {
    const Surrogate& made = *find_surrogate(producer_.codelet, joint_.made);
    for (const std::string& name : joint_.read) {
      const Surrogate& read = *find_surrogate(consumer_.codelet, name);
      if (read.dtype != made.dtype || overlaps(read)) {
        refuse(consumer_.codelet, read.where, "it reads the tensor as another one than is made", print(read));
      }
      if (!lie_alike(made, read)) {
        refuse(consumer_.codelet, read.where, "it goes over the tensor's dimensions in another order", print(read));
      }
    }
  }

  /// The iterations of the consumer must be independent: each makes its own elements and needs none that another one
  /// makes.
  void check_consumer() {
    for (const Operation& operation : consumer_.body) {
      if (std::holds_alternative<Compute>(operation.op)) continue;
      refuse(consumer_.codelet, operation.where, "the consumer has loops of its own inside of those over the tensor",
             std::holds_alternative<Loop>(operation.op) ? std::get<Loop>(operation.op).variable : "transfer");
    }
    std::map<std::string, std::vector<Expression>> indices;
    for_each_reference(consumer_.body, [&](const Reference& reference) {
      if (find_surrogate(consumer_.codelet, reference.surrogate)->kind == SurrogateKind::kInp) return;
      const auto [first, is_new] = indices.emplace(reference.surrogate, reference.indices);
      const bool is_element = std::all_of(consumer_.loops.begin(), consumer_.loops.end(),
                                          [&](const SharedLoop& loop) { return reference.mentions(loop.variable); });
      if (is_element && first->second == reference.indices) return;
      refuse(consumer_.codelet, reference.where, "the consumer's results are not made element by element",
             print(reference));
    });
  }

  /// True if the producer stores chunks of rows side by side, without room after any, and each is whole vectors.
  bool is_in_whole_vectors() const {
    const Surrogate& made = *find_surrogate(producer_.codelet, joint_.made);
    const size_t rank = made.strides.size();
    if (machine_ == nullptr || rank < 2) return false;
    const auto chunk = static_cast<uint64_t>(made.shape.back().constant().value());
    return made.strides[rank - 1] == Expression(1) && made.strides[rank - 2] == made.shape.back() &&
           codelet::padded_size(*machine_, made.dtype.value(), chunk) == chunk;
  }

  /// True if the tensors that the consumer walks along the last dimension have elements of one size with the joint.
  bool has_one_dtype_along_rows() {
    const std::string last = variable_of(consumer_.indices().back());
    const std::optional<DType> dtype = find_surrogate(consumer_.codelet, joint_.read.front())->dtype;
    bool result = true;
    for_each_reference(consumer_.body, [&](const Reference& reference) {
      const Surrogate& tensor = *find_surrogate(consumer_.codelet, reference.surrogate);
      result = result && (!reference.mentions(last) || tensor.kind == SurrogateKind::kLocal || tensor.dtype == dtype);
    });
    return result;
  }

  /// Gives both sides the same loops, named as the producer's.
  void share_loops() {
    const bool may_cut_last = is_in_whole_vectors() && has_one_dtype_along_rows();
    for (const Group& group : groups(consumer_.codelet, producer_.dimensions(), consumer_.dimensions(), may_cut_last)) {
      std::vector<SharedLoop> own = group.made;
      if (group.made.size() == 1 && group.read.size() > 1) {
        own = group.read;
        for (SharedLoop& loop : own) loop.variable = names_.fresh(loop.variable);
        producer_.split(group.made[0].variable, own);
      }
      // None of the consumer's names has a quote, so that a renamed name is not renamed again.
      std::vector<SharedLoop> quoted = own;
      for (SharedLoop& loop : quoted) loop.variable += '\'';
      if (group.read.size() == 1) {
        consumer_.split(group.read[0].variable, quoted);
      } else {
        for (size_t i = 0; i < quoted.size(); ++i) consumer_.split(group.read[i].variable, {quoted[i]});
      }
    }
    for (const SharedLoop& loop : producer_.loops) {
      for_each_expression(consumer_.body, [&](Expression& index) {
        index = index.substitute(loop.variable + '\'', Expression::variable(loop.variable));
      });
    }
  }

  void rename() {
    for (const Surrogate& surrogate : consumer_.codelet.surrogates) {
      if (consumer_.is_joint(surrogate.name)) continue;
      renamed_[surrogate.name] = names_.take(surrogate.name, consumer_.codelet.name);
    }
    for_each_reference(consumer_.body, [&](Reference& reference) {
      if (consumer_.is_joint(reference.surrogate)) {
        reference.surrogate = joint_.made;
        reference.indices = producer_.indices();
      } else {
        reference.surrogate = renamed_.at(reference.surrogate);
      }
    });
  }

  Surrogate renamed(Surrogate surrogate) const {
    surrogate.name = renamed_.at(surrogate.name);
    return surrogate;
  }

  const Joint& joint_;
  const acg::Machine* machine_;
  Side producer_;
  Side consumer_;
  Names names_;
  std::map<std::string, std::string> renamed_;
};

}  // namespace

Result<FusedCodelet> fuse(const Codelet& producer, const Codelet& consumer, const Joint& joint,
                          const acg::Machine* machine) {
  return guarded<FusedCodelet>([&] { return Fuser(producer, consumer, joint, machine).run(); });
}

}  // namespace covenant::compiler
