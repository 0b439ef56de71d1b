/// Operands of a compute meet those of a capability by role: by the loops that index them, not by their position.
///
/// Of a product (GEMM, MMUL, MVMUL) the roles are its rows, its columns, and the inner dimension that is summed up:
/// y[m,n] over x[m,k] and w[k,n]. Rows index the result and the first operand, columns the result and the second, the
/// inner dimension both operands. Of all others the lanes of the result are those of every operand but the broadcast
/// ones. A capability takes at once several elements of a role, or one; so the array of
/// `(i32,N)=GEMM((i8,M),(i8,M,N),(i32,N))` has vectors of columns, a vector unit of
/// `(i32,32)=GEMM((u8,32,4),(u8,4),(i32,32))` broadcasts its second operand to vectors of rows. Since products commute,
/// the rows of the one may be the columns of the other.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler::codelet {

/// Does it multiply matrices?
bool is_product(const Compute& compute);

/// The variable that is the index; empty if it is anything else.
std::string variable_of(const Expression& index);

/// Orders of its operands in which a compute means the same: that of the codelet first. Entry i is the operand at place
/// i.
std::vector<std::vector<size_t>> operand_orders(const Compute& compute);

/// Of a compute whose operands are in the order of the capability's: which of them, if any, must lie with their last
/// two dimensions turned so that each role is indexed by one loop everywhere; the fewest that do. Nothing if no choice
/// fits. `may_turn` says of a tensor that it may. The result is never turned.
std::optional<std::vector<bool>> turned_operands(const acg::Capability& capability, const Compute& compute,
                                                 const std::function<bool(const std::string&)>& may_turn);

/// The reference with its last two indices exchanged.
Reference turned(Reference reference);

}  // namespace covenant::compiler::codelet
