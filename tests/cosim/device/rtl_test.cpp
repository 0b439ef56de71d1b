/// The Verilated RTL as a device.
#include "tests/cosim/device/conformance.h"

namespace covenant::driver::testing {

INSTANTIATE_TEST_SUITE_P(Rtl, Conformance, ::testing::Values(Factory{"rtl", make_rtl_device}),
                         [](const auto& one) { return one.param.name; });

}  // namespace covenant::driver::testing
