/// Matches the operands of a compute with those of a capability by role, that is, by the loops that index them, not by
/// position.
///
/// In a product (GEMM, MMUL, MVMUL) the roles are rows, columns, and the inner dimension that is summed over: y[m,n]
/// over x[m,k] and w[k,n]. Rows index the result and the first operand, columns the result and the second one, the
/// inner dimension both operands. In all other functions the lanes of the result are those of every operand that is not
/// broadcast. A capability takes one or several elements of a role at once: the array of
/// `(i32,N)=GEMM((i8,M),(i8,M,N),(i32,N))` has vectors of columns; a vector unit of
/// `(i32,32)=GEMM((u8,32,4),(u8,4),(i32,32))` broadcasts its second operand to vectors of rows. Since products commute,
/// rows and columns may change places.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler::codelet {

/// True if the compute multiplies matrices.
bool is_product(const Compute& compute);

/// The variable that the index consists of; empty for any other expression.
std::string variable_of(const Expression& index);

/// Operand orders with which the compute means the same, the codelet's own order first. Entry i is the operand at place
/// i.
std::vector<std::vector<size_t>> operand_orders(const Compute& compute);

/// For a compute whose operands are in the order of the capability's: the operands whose last two dimensions must be
/// exchanged so that each role is indexed by one loop everywhere, as few as possible. Nothing if no choice fits.
/// `may_turn` tells whether a tensor's dimensions may be exchanged; those of the result never are.
std::optional<std::vector<bool>> turned_operands(const acg::Capability& capability, const Compute& compute,
                                                 const std::function<bool(const std::string&)>& may_turn);

/// The reference with its last two indices exchanged.
Reference turned(Reference reference);

}  // namespace covenant::compiler::codelet
