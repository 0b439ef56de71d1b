#include "sim/stream/common/unit.h"

#include "acg/base/check.h"

namespace covenant::sim {

const KeptTransfer& Unit::kept() const { fail("a unit that transfers nothing is asked for its transfer"); }

}  // namespace covenant::sim
