#include "compiler/embedding/workload.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>
#include <variant>

#include "acg/base/check.h"
#include "compiler/codelet/arithmetic.h"
#include "compiler/codelet/diagnose.h"
#include "compiler/codelet/expression.h"
#include "compiler/codelet/rewrite.h"

namespace covenant::compiler::embedding {
namespace {

using codelet::Codelet;
using codelet::Compute;
using codelet::Constant;
using codelet::Expression;
using codelet::Loop;
using codelet::Reference;
using codelet::Surrogate;

/// |a| * |b| if it is at most kMostInstances.
std::optional<int64_t> bounded_product(int64_t a, int64_t b) {
  int64_t product = 0;
  if (a < -kMostInstances || b < -kMostInstances) return std::nullopt;
  if (__builtin_mul_overflow(std::abs(a), std::abs(b), &product) || product > kMostInstances) return std::nullopt;
  return product;
}

/// A loop of numbers: its variable is first + step * (point on the axis).
struct Counted {
  Axis axis;
  int64_t first = 0;
  int64_t step = 1;
};

class Reader {
 public:
  Reader(const Codelet& bound, const std::set<std::string>& constants, const Compute& compute, SourceLocation where)
      : codelet_(bound), constants_(constants), compute_(compute), where_(std::move(where)) {}

  Result<Workload> read(const std::vector<const Loop*>& loops) {
    if (loops.size() > kMostAxes) {
      return refuse("EMB0001", "more loops around the compute than a search can choose from",
                    std::to_string(loops.size()), {fmt::format("at most {}", kMostAxes)}, "write fewer, longer loops");
    }
    Workload workload{compute_.capability, {}, {}, {}, std::nullopt};
    int64_t count = 1;
    for (const Loop* loop : loops) {
      const Result<Counted> counted = count_loop(*loop);
      if (!counted) return counted.error();
      const std::optional<int64_t> product = bounded_product(count, counted->axis.extent);
      if (!product) return too_many(loop->variable, counted->axis.extent);
      count = product.value();
      loops_.push_back(*counted);
    }
    const Result<Access> output = access(compute_.destination);
    if (!output) return output.error();
    workload.output = *output;
    for (size_t a = 0; a < loops_.size(); ++a) {
      workload.axes.push_back(loops_[a].axis);
      workload.axes.back().is_reduction = !workload.output.mentions(a);
    }
    if (const Status done = read_operands(workload); !done) return done.error();
    return workload;
  }

 private:
  Status read_operands(Workload& workload) const {
    const bool has_start = codelet::accumulates(compute_.capability) && compute_.operands.size() == 3;
    for (size_t i = 0; i < compute_.operands.size(); ++i) {
      const auto* reference = std::get_if<Reference>(&compute_.operands[i]);
      Result<Access> operand =
          reference != nullptr ? access(*reference) : number(std::get<Constant>(compute_.operands[i]));
      if (!operand) return operand.error();
      if (has_start && i == 2) {
        workload.start = *operand;
      } else {
        workload.inputs.push_back(*operand);
      }
    }
    return Done{};
  }

  Result<Counted> count_loop(const Loop& loop) const {
    const std::optional<int64_t> lower = loop.lower.constant(), upper = loop.upper.constant(),
                                 stride = loop.stride.constant();
    if (!lower || !upper || !stride || *stride < 1 || *lower >= *upper) {
      return refuse(
          "EMB0001", "a loop around the compute does not run a number of times that the text gives",
          fmt::format("loop {}({},{},{})", loop.variable, loop.lower.print(), loop.upper.print(), loop.stride.print()),
          {"numbers, the lower one below the upper one"}, "bind the codelet first, and tile it afterwards");
    }
    int64_t length = 0;
    if (__builtin_sub_overflow(*upper, *lower, &length) || length > kMostInstances) {
      return too_many(loop.variable, *upper);
    }
    return Counted{{loop.variable, (length - 1) / *stride + 1, false}, *lower, *stride};
  }

  Result<Access> access(const Reference& reference) const {
    const Surrogate* surrogate = find_surrogate(codelet_, reference.surrogate);
    if (surrogate == nullptr || !surrogate->dtype) {
      return refuse("EMB0001", "the compute works on a part of a tensor, or on one without a type", reference.surrogate,
                    {"tensors that the codelet declares"},
                    "take the codelet as it is bound, before transfers are put into it");
    }
    Access access;
    access.tensor = surrogate->name;
    access.dtype = *surrogate->dtype;
    access.is_constant = constants_.contains(surrogate->name) || !surrogate->logical_shape.empty();
    access.shape = constants(surrogate->shape);
    if (reads_outside(*surrogate)) access.fill = surrogate->fill.constant();
    for (const Expression& expression : reference.indices) {
      const Result<AffineIndex> index = affine(expression);
      if (!index) return index.error();
      access.indices.push_back(*index);
    }
    return access;
  }

  Result<AffineIndex> affine(const Expression& expression) const {
    AffineIndex index{0, std::vector<int64_t>(loops_.size(), 0)};
    int64_t reached = 0;  // the index's absolute value is at most this
    const auto add = [&](int64_t factor, int64_t most) {
      const std::optional<int64_t> part = bounded_product(factor, most);
      if (!part || *part > kMostInstances - reached) return false;
      reached += *part;
      return true;
    };
    for (const codelet::Term& term : expression.terms()) {
      if (term.names.empty()) {
        if (!add(term.coefficient, 1)) return too_many(expression.print(), term.coefficient);
        index.offset += term.coefficient;
        continue;
      }
      const auto loop = std::ranges::find(loops_, term.names.front(), [](const Counted& one) { return one.axis.name; });
      if (term.names.size() > 1 || loop == loops_.end()) {
        return refuse("EMB0001", "an index is not affine in the variables of the loops around the compute",
                      expression.print(), {"sums of variables times numbers"},
                      "bind the codelet first; what depends on data, or on products of loops, has no embedding");
      }
      if (!add(term.coefficient, std::abs(loop->first)) ||
          !add(term.coefficient, bounded_product(loop->step, 1).value()) ||
          !bounded_product(loop->step, loop->axis.extent) || !add(term.coefficient, loop->step * loop->axis.extent)) {
        return too_many(expression.print(), loop->axis.extent);
      }
      index.offset += term.coefficient * loop->first;
      index.coefficients[static_cast<size_t>(loop - loops_.begin())] += term.coefficient * loop->step;
    }
    return index;
  }

  static Result<Access> number(const Constant& constant) {
    Access access;
    access.dtype = constant.dtype;
    access.is_constant = true;
    return access;
  }

  Diagnostic refuse(const char* code, std::string message, std::string offending, std::vector<std::string> allowed,
                    std::string fix) const {
    return codelet::diagnose(code, where_, codelet_.name, std::move(message), std::move(offending), std::move(allowed),
                             std::move(fix));
  }
  Diagnostic too_many(const std::string& where, int64_t value) const {
    return refuse("EMB0002", fmt::format("more instances, or a longer index, than can be counted ('{}')", where),
                  std::to_string(value), {"at most 2^62 in all"}, "split the operator into several layers");
  }

  const Codelet& codelet_;
  const std::set<std::string>& constants_;
  const Compute& compute_;
  SourceLocation where_;
  std::vector<Counted> loops_;
};

std::string text_of(const AffineIndex& index, const Workload& workload) {
  std::string text;
  for (size_t a = 0; a < index.coefficients.size(); ++a) {
    const int64_t factor = index.coefficients[a];
    if (factor == 0) continue;
    text += factor < 0 ? "-" : text.empty() ? "" : "+";
    text += workload.axes[a].name;
    if (std::abs(factor) != 1) text += fmt::format("*{}", std::abs(factor));
  }
  if (text.empty() || index.offset != 0)
    text += fmt::format("{}{}", text.empty() || index.offset < 0 ? "" : "+", index.offset);
  return text;
}

std::string text_of(const Access& access, const Workload& workload) {
  if (access.tensor.empty()) return "a number";
  std::vector<std::string> indices;
  for (const AffineIndex& index : access.indices) indices.push_back(text_of(index, workload));
  return fmt::format("{}[{}]", access.tensor, fmt::join(indices, ","));
}

}  // namespace

std::string print(const Workload& workload) {
  std::vector<std::string> inputs;
  for (const Access& input : workload.inputs) inputs.push_back(text_of(input, workload));
  return fmt::format("{} = {}({})", text_of(workload.output, workload), workload.compute, fmt::join(inputs, ", "));
}

int64_t AffineIndex::at(std::span<const int64_t> point) const {
  int64_t sum = offset;
  for (size_t a = 0; a < coefficients.size(); ++a) sum += coefficients[a] * point[a];
  return sum;
}

bool Access::mentions(size_t axis) const {
  return std::ranges::any_of(indices, [&](const AffineIndex& index) { return index.mentions(axis); });
}

int64_t instances(const Workload& workload) {
  int64_t count = 1;
  for (const Axis& axis : workload.axes) {
    const std::optional<int64_t> product = bounded_product(count, axis.extent);
    check(product.has_value(), "a workload of more instances than can be counted");
    count = product.value();
  }
  return count;
}

Result<std::vector<Workload>> workloads_of(const Codelet& bound, const std::set<std::string>& constants) {
  std::vector<Workload> workloads;
  std::optional<Diagnostic> error;
  for_each_operation(bound.body, [&](const codelet::Operation& operation, const std::vector<const Loop*>& loops) {
    const auto* compute = std::get_if<Compute>(&operation.op);
    if (compute == nullptr || error) return;
    const Result<Workload> workload = Reader(bound, constants, *compute, operation.where).read(loops);
    if (workload) {
      workloads.push_back(*workload);
    } else {
      error = workload.error();
    }
  });
  if (error) return *error;
  return workloads;
}

Result<Workload> workload_of(const Codelet& bound, const std::set<std::string>& constants) {
  const Result<std::vector<Workload>> all = workloads_of(bound, constants);
  if (!all) return all.error();
  if (all->empty()) {
    return codelet::diagnose("EMB0001", bound.where, bound.name, "the codelet computes nothing", bound.name,
                             {"a codelet with a compute"}, "give it a compute");
  }
  return *std::ranges::max_element(*all, {}, [](const Workload& one) { return instances(one); });
}

}  // namespace covenant::compiler::embedding
