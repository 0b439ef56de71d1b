/// Pass `fuse`, between bind and place: joins a producer and a consumer into one codelet, so that the tensor between
/// them stays on chip.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler {

/// The tensor that joins two codelets, under the name that each gives it.
struct Joint {
  std::string made;               ///< the producer's `out`
  std::vector<std::string> read;  ///< those `inp`s of the consumer that are this tensor; one or more
};

struct FusedCodelet {
  codelet::Codelet codelet;
  /// Maps the consumer's surrogates, except the joint, to their names in `codelet`. Those of the producer keep their
  /// names.
  std::map<std::string, std::string> renamed;
};

/// Pre: both are bound; only the consumer reads the joint tensor. Post: one codelet with the loops of both that index
/// the joint, the producer's nests before the consumer's computes; the joint is a `local` with the producer's name. It
/// computes what the two did one after the other. If one of them covers several dimensions of the joint in a single
/// loop (`p` of [P,C] for [N,H,W,C]), its loop and its tensors are split like those of the other. A name of the
/// consumer that is already taken is prefixed by the name of its codelet. Error: CDL0080, unless every element that the
/// consumer reads is made in the same iteration of loops that both share, that is: the producer's outer loops cover all
/// of its result, each over one dimension; the consumer is a nest of loops over all of the joint that holds only
/// computes; and the dimensions of one are products of the other's, in one order, the last ones the same. Rows of the
/// consumer are cut only in chunks that the producer stores side by side and that are whole vectors of `machine`; null:
/// never. Shown by tests/pass/passes.
Result<FusedCodelet> fuse(const codelet::Codelet& producer, const codelet::Codelet& consumer, const Joint& joint,
                          const acg::Machine* machine = nullptr);

}  // namespace covenant::compiler
