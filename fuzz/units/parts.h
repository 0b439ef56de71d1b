/// Rows of the fetch unit and of the parts that engines share.
#pragma once

#include "fuzz/random_unit.h"

namespace covenant::runtime::units {

extern const RandomUnit kControl;
extern const RandomUnit kSequencer;
extern const RandomUnit kAddressGenerator;

}  // namespace covenant::runtime::units
