/// The AXI4 masters of a machine as a device, and the off-chip ports that each of them serves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "acg/base/result.h"
#include "rtl/gen/axi/axi_sharing.h"
#include "rtl/gen/common/plan.h"

namespace covenant::rtl {

/// An off-chip port behind a master.
struct AxiPort {
  std::string signal;  ///< its signals in the machine begin with that
  bool writes = false;
  uint32_t bytes = 0;   ///< bytes of a beat
  size_t number = 0;    ///< number of its engine, or the number of engines for the fetch unit; its place in
                        ///< memory_fault
  uint32_t memory = 0;  ///< off-chip, index in Machine::memories
};

struct AxiMaster {
  std::string prefix;  ///< prefix of the names of its ports
  uint32_t bytes = 0;  ///< width of its data: the largest that any of its ports needs
  std::vector<AxiPort> reads;
  std::vector<AxiPort> writes;

  bool is_shared() const { return reads.size() + writes.size() > 1; }
  uint32_t id_bits() const;  ///< for a shared master: bits of the number of a port among those of its direction
};

/// Masters in the order of their first ports; the fetch unit's is first.
std::vector<AxiMaster> axi_masters(const Plan& plan, AxiMasters kind);

/// RTL0018: beats of an off-chip port are no power of two of 8 to 1024 bits, which AXI4 does not carry.
std::optional<Diagnostic> no_axi(const Plan& plan);

}  // namespace covenant::rtl
