/// The sources of the shim, which is compiled with every Verilated model, embedded at build time.
#pragma once

#include <span>

#include "rtl/gen/source_texts.h"

namespace covenant::rtl {

/// The shim and the headers it includes. Defined in a source that rtl/gen/embed.cmake writes.
std::span<const SourceText> shim_texts();
/// Likewise of a device.
std::span<const SourceText> device_texts();

}  // namespace covenant::rtl
