/// Between binding and placing: a producer and a consumer become one codelet, and what joins them stays on the chip.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "acg/base/result.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler {

/// One tensor that both codelets know by names of their own.
struct Joint {
  std::string made;               ///< the producer's `out`
  std::vector<std::string> read;  ///< the consumer's `inp`s that are this tensor; one or more
};

struct FusedCodelet {
  codelet::Codelet codelet;
  /// The consumer's surrogates but for the joint -> their names in `codelet`. Those of the producer keep theirs.
  std::map<std::string, std::string> renamed;
};

/// Pre: both are bound; nothing but the consumer reads the joint tensor.
/// Post: one codelet with the loops of both that index the joint, the producer's nests in front of the consumer's
/// computes; the joint is a `local` of the producer's name. It computes what the two did one after the other. Where
/// one of them goes over several dimensions of the joint in a single loop (`p` of [P,C] for [N,H,W,C]), its loop and
/// its tensors are split as the other has them. A name of the consumer's that is taken gets its codelet's in front.
/// Error: CDL0080, if not every element that the consumer reads is made in the same iteration of loops that both share,
/// which is: the producer's outer loops run over all of its result, each over one dimension; the consumer is a nest of
/// loops over all of the joint around computes alone; and the dimensions of one are products of the other's, in one
/// order, the last ones the same. Shown by tests/pass/passes.
Result<FusedCodelet> fuse(const codelet::Codelet& producer, const codelet::Codelet& consumer, const Joint& joint);

}  // namespace covenant::compiler
