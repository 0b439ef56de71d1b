/// The Verilated RTL as a module of a platform.
#include "tests/cosim/device/conformance.h"
#include "tests/cosim/device/sc_device.h"

namespace covenant::driver::testing {

INSTANTIATE_TEST_SUITE_P(RtlAccelerator, Conformance,
                         ::testing::Values(Factory{"rtl_accelerator", make_rtl_accelerator_device}),
                         [](const auto& one) { return one.param.name; });

INSTANTIATE_TEST_SUITE_P(RtlAcceleratorShared, Conformance,
                         ::testing::Values(Factory{"rtl_accelerator_shared", make_shared_rtl_accelerator_device,
                                                   false}),
                         [](const auto& one) { return one.param.name; });

}  // namespace covenant::driver::testing
