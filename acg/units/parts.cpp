#include "acg/units/parts.h"

namespace covenant::acg::units {

constinit const UnitInfo kControl{.kind = UnitKind::kControl};
constinit const UnitInfo kSequencer{.kind = UnitKind::kSequencer};
constinit const UnitInfo kAddressGenerator{.kind = UnitKind::kAddressGenerator};

}  // namespace covenant::acg::units
