/// Devices under test that are modules of a SystemC platform.
#pragma once

#include "tests/cosim/device/device.h"

namespace covenant::driver::testing {

/// sim::Device with memories of the latency that the machine states.
Factory fixed_memory(const Programs& (*programs)());

/// An accelerator whose memories answer after the latency of the machine but do not announce it, and grant no direct
/// access: each burst is a transaction.
std::unique_ptr<Device> make_asked_device(const acg::Machine& machine, uint64_t memory_bytes);

/// RtlAccelerator with memories that leave the ways through its masters in the latency of the machine.
std::unique_ptr<Device> make_rtl_accelerator_device(const acg::Machine& machine, uint64_t memory_bytes);
/// The same with one AXI master for all of its ports.
std::unique_ptr<Device> make_shared_rtl_accelerator_device(const acg::Machine& machine, uint64_t memory_bytes);

}  // namespace covenant::driver::testing
