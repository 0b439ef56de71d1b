/// Gives convolutions the order of output channels that the movement after them wants.
///
/// before: conv, then reshape, transpose and reshape that move channels: a channel shuffle, or depth to space
///
/// after: the same values; rows of weights, biases and scales are in the other order, so that a shuffle moves nothing,
/// and depth to space moves runs of channels instead of single ones
#pragma once

#include "acg/graph/graph.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler {

/// Elementwise operators of one operand may stand between. A grouped convolution whose channels change groups becomes
/// one of all channels, with zeros, where the machine does no more steps for that than a copy of its result would take.
/// Values keep their ids; those whose channels lie in another order than the model's have another name. Precondition
/// and postcondition: operators::verify_normalized.
srdfg::Graph with_channel_orders(const srdfg::Graph& graph, const acg::Machine& machine);

}  // namespace covenant::compiler
