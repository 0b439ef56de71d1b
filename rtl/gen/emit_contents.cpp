#include <fmt/format.h>

#include "rtl/gen/emit.h"

namespace covenant::rtl {
namespace {

/// A loop over the elements of one array that gives each byte its initial value.
std::string fill(const std::string& array, uint32_t memory, uint64_t elements, uint32_t data_bytes) {
  const std::string byte = data_bytes == 1 ? "" : "[b*8 +: 8]";
  return fmt::format(R"(    for (int unsigned e = 0; e < {elements}; e++) begin
      for (int unsigned b = 0; b < {bytes}; b++) begin
        {array}[e]{byte} = covenant_initial_byte({memory}, e*{bytes} + b);
      end
    end
)",
                     fmt::arg("elements", elements), fmt::arg("bytes", data_bytes), fmt::arg("array", array),
                     fmt::arg("byte", byte), fmt::arg("memory", memory));
}

}  // namespace

std::string emit_contents(const Plan& plan) {
  std::string text;
  for (const MemoryPlan& memory : plan.memories) {
    const acg::Memory& declared = plan.machine->memories[memory.index];
    const uint64_t bytes = declared.buffer_bytes() * declared.buffers;
    // Inside units it is an array of bytes.
    for (const std::string& array : memory.arrays) text += fill("covenant_top." + array, memory.index, bytes, 1);
    if (!memory.inside.empty()) continue;
    text += fill(fmt::format("covenant_top.u_{}.memory", memory.signal), memory.index, bytes / memory.data_bytes,
                 memory.data_bytes);
  }
  return "`ifdef COVENANT_CHECKED\n"
         "  // Contents of scratchpads before anything is written: not zeros, so that no program relies on them.\n"
         "  import \"DPI-C\" function byte unsigned covenant_initial_byte(input int unsigned memory,\n"
         "                                                              input int unsigned address);\n"
         "  initial begin\n" +
         text + "  end\n`endif\n";
}

}  // namespace covenant::rtl
