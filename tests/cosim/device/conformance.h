/// Tests that every device with the registers of docs/reference/registers.md must pass, parameterised by a factory of
/// devices: one INSTANTIATE_TEST_SUITE_P for each kind of device runs all of them.
#pragma once

#include <gtest/gtest.h>

#include "tests/cosim/device/device.h"

namespace covenant::driver::testing {

class Conformance : public ::testing::TestWithParam<Factory> {};

}  // namespace covenant::driver::testing
