/// What every device with the registers of docs/reference/registers.md does, as tests over a factory of devices: one
/// INSTANTIATE_TEST_SUITE_P for each kind of device runs them all on it.
#pragma once

#include <gtest/gtest.h>

#include "tests/cosim/device/device.h"

namespace covenant::driver::testing {

class Conformance : public ::testing::TestWithParam<Factory> {};

}  // namespace covenant::driver::testing
