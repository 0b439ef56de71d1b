/// Support for checked models: random state before reset, contents of scratchpads, and assertions that end the run, not
/// the process. Compiled into every checked model.
#pragma once

#include <cstdint>
#include <cstdio>

#include "rtl/cosim/model_abi.h"

namespace {

/// The current run of this model.
thread_local covenant::rtl::ModelRun* checked_run = nullptr;

/// Before the top is made, whose constructor draws the state. `context`: a VerilatedContext.
template <class Context>
void begin_checked(covenant::rtl::ModelRun& run, Context& context) {
  checked_run = &run;
  context.randReset(2);  // random, not zeros or ones
  context.randSeed(static_cast<int>(run.seed % 0x7FFFFFFF) + 1);
}

}  // namespace

/// Called where an assertion does not hold, in place of Verilator's own, which ends the process.
void vl_stop(const char* filename, int linenum, const char*) {
  std::snprintf(checked_run->broken.data(), checked_run->broken.size(), "%s:%d", filename, linenum);
}

/// Called by the observer for every byte of every scratchpad.
extern "C" unsigned char covenant_initial_byte(unsigned memory, unsigned address) {
  return covenant::acg::initial_byte(checked_run->seed, memory, address);
}
