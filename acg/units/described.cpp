#include "acg/units/described.h"

namespace covenant::acg::units {

constinit const UnitInfo kDescribed{.kind = UnitKind::kDescribed, .place = UnitPlace::kNode, .is_open = true};

}  // namespace covenant::acg::units
