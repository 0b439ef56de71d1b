/// Expands a softmax into its largest element, the sum of its exponentials, and their quotients.
#pragma once

#include "compiler/operators/expansion.h"

namespace covenant::compiler::operators {

/// Expands `node`, a softmax, into reduce_max, softmax_sum and softmax_quotient.
void expand_softmax(Expansion& expansion, srdfg::Node node);

}  // namespace covenant::compiler::operators
