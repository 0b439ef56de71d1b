/// All modules of a SystemC platform: accelerators, memories, a router, and the host's side of the driver.
///
/// For programs that use the installed package, with its target covenant::systemc:
///
///     #include <covenant/systemc.h>
#pragma once

// IWYU pragma: begin_exports
#include "offchip/connect.h"
#include "platform/address_map.h"
#include "platform/host.h"
#include "platform/latency_extension.h"
#include "platform/memory.h"
#include "platform/port_extension.h"
#include "platform/router.h"
#include "platform/storage.h"
#include "sim/sc/accelerator.h"
#include "sim/sc/command_accelerator.h"
// IWYU pragma: end_exports
