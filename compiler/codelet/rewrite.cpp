#include "compiler/codelet/rewrite.h"

#include <algorithm>
#include <utility>

#include "acg/base/check.h"

namespace covenant::compiler {
namespace {

using codelet::Codelet;
using codelet::Compute;
using codelet::Expression;
using codelet::Loop;
using codelet::Operation;
using codelet::Reference;
using codelet::Surrogate;
using codelet::Transfer;
using Change = std::function<void(Expression&)>;

void change_all(std::vector<Expression>& expressions, const Change& change) {
  for (Expression& expression : expressions) change(expression);
}

void change_operation(Loop& loop, const Change& change) {
  change(loop.lower);
  change(loop.upper);
  change(loop.stride);
  for_each_expression(loop.body, change);
}

void change_operation(Transfer& transfer, const Change& change) {
  if (auto* source = std::get_if<Reference>(&transfer.source)) change_all(source->indices, change);
  if (transfer.destination) change_all(transfer.destination->indices, change);
  change_all(transfer.shape, change);
}

void change_operation(Compute& compute, const Change& change) {
  change_all(compute.destination.indices, change);
  for (auto& operand : compute.operands) {
    if (auto* reference = std::get_if<Reference>(&operand)) change_all(reference->indices, change);
  }
  for (auto& [name, value] : compute.attributes) change(value);
}

void visit_all(const std::vector<Operation>& body, const OperationVisitor& visit, std::vector<const Loop*>& around) {
  for (const Operation& operation : body) {
    visit(operation, around);
    if (const auto* loop = std::get_if<Loop>(&operation.op)) {
      around.push_back(loop);
      visit_all(loop->body, visit, around);
      around.pop_back();
    }
  }
}

}  // namespace

void for_each_expression(std::vector<Operation>& body, const Change& change) {
  for (Operation& operation : body) {
    std::visit([&](auto& one) { change_operation(one, change); }, operation.op);
  }
}

void for_each_expression(Codelet& codelet, const Change& change) {
  for (Surrogate& surrogate : codelet.surrogates) {
    change_all(surrogate.shape, change);
    change_all(surrogate.strides, change);
    change(surrogate.offset);
    change(surrogate.fill);
  }
  for_each_expression(codelet.body, change);
}

void for_each_operation(const std::vector<Operation>& body, const OperationVisitor& visit) {
  std::vector<const Loop*> around;
  visit_all(body, visit, around);
}

void for_each_operation(std::vector<Operation>& body, const std::function<void(Operation&)>& change) {
  for (Operation& operation : body) {
    change(operation);
    if (auto* loop = std::get_if<Loop>(&operation.op)) for_each_operation(loop->body, change);
  }
}

const Surrogate* find_surrogate(const Codelet& codelet, const std::string& name) {
  for (const Surrogate& surrogate : codelet.surrogates) {
    if (surrogate.name == name) return &surrogate;
  }
  return nullptr;
}

Surrogate* find_surrogate(Codelet& codelet, const std::string& name) {
  return const_cast<Surrogate*>(find_surrogate(std::as_const(codelet), name));
}

std::vector<int64_t> element_strides(const Surrogate& surrogate) {
  if (!surrogate.strides.empty()) return constants(surrogate.strides);
  const std::vector<int64_t> shape = constants(surrogate.shape);
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  return strides;
}

bool overlaps(const Surrogate& surrogate) {
  if (surrogate.strides.empty()) return false;
  const std::vector<int64_t> shape = constants(surrogate.shape);
  const std::vector<int64_t> strides = constants(surrogate.strides);
  std::vector<size_t> order;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] > 1) order.push_back(d);
  }
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return strides[a] < strides[b]; });
  int64_t reached = 0;  // highest offset reached by all dimensions of smaller strides
  for (const size_t d : order) {
    if (strides[d] <= reached) return true;
    reached += (shape[d] - 1) * strides[d];
  }
  return false;
}

std::vector<int64_t> constants(const std::vector<Expression>& expressions) {
  std::vector<int64_t> result;
  for (const Expression& expression : expressions) {
    check(expression.constant().has_value(), expression.print() + " is not bound");
    result.push_back(expression.constant().value());
  }
  return result;
}

}  // namespace covenant::compiler
