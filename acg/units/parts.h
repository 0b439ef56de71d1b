/// Rows of the units that are parts of others: the fetch unit, and the parts that engines share.
#pragma once

#include "acg/graph/unit_info.h"

namespace covenant::acg::units {

extern const UnitInfo kControl;
extern const UnitInfo kSequencer;
extern const UnitInfo kAddressGenerator;

}  // namespace covenant::acg::units
