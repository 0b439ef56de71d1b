/// Traversals and look-ups of codelets, for passes that change them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/codelet/codelet.h"

namespace covenant::compiler {

/// Calls `change` on every expression of the codelet's body and surrogates.
void for_each_expression(codelet::Codelet& codelet, const std::function<void(codelet::Expression&)>& change);
/// The same for a list of operations.
void for_each_expression(std::vector<codelet::Operation>& body,
                         const std::function<void(codelet::Expression&)>& change);

/// Calls `visit` on every operation in order, with the loops around it, outermost first.
using OperationVisitor = std::function<void(const codelet::Operation&, const std::vector<const codelet::Loop*>&)>;
void for_each_operation(const std::vector<codelet::Operation>& body, const OperationVisitor& visit);
/// The same with write access, without the loops.
void for_each_operation(std::vector<codelet::Operation>& body, const std::function<void(codelet::Operation&)>& change);

/// The surrogate called `name`, or null.
const codelet::Surrogate* find_surrogate(const codelet::Codelet& codelet, const std::string& name);
codelet::Surrogate* find_surrogate(codelet::Codelet& codelet, const std::string& name);

/// Distance in elements of memory between adjacent indices, per dimension of a bound surrogate.
std::vector<int64_t> element_strides(const codelet::Surrogate& surrogate);

/// True for a view that maps several indices to the same element. Precondition: bound.
bool overlaps(const codelet::Surrogate& surrogate);

/// The values of constant expressions. InternalError if one is not constant.
std::vector<int64_t> constants(const std::vector<codelet::Expression>& expressions);

}  // namespace covenant::compiler
