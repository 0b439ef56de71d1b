/// A unit of a machine's RTL, one for each engine, as the rest of the generator sees it.
///
/// `UnitPlan` is the data that every unit has. `Unit` is the interface of what differs by kind; its implementations are
/// in a folder for each kind (rtl/gen/stream). Every unit is an instance `u_<signal>` with the
/// ports of `unit_ports` (sv_text.h), and has a net `last_step`: it does the last step of a word. A unit on a shared
/// bus has the nets `<signal>_bus_request`, `_bus_grant`, `_beat_ready` and `_beat_last`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "acg/graph/graph.h"
#include "rtl/gen/common/observer_part.h"
#include "rtl/gen/common/offchip_port.h"

namespace covenant::rtl {

struct Plan;

struct UnitPlan {
  std::string name;                       ///< as the machine writes it: "DRAM->IBUF"
  std::string signal;                     ///< identifier in SystemVerilog (names.h): "dram_to_ibuf"
  uint32_t index = 0;                     ///< position in acg::engines
  uint32_t depth = 1;                     ///< cycles from the end of a word's occupancy to its effect
                                          ///< (docs/reference/units/README.md)
  const acg::Compute* compute = nullptr;  ///< its compute node; null: it is the engine of an edge
  std::optional<OffchipPort> offchip;     ///< its port of off-chip memory: words retire from the queue of its data path
  std::string bus;                        ///< bus that it shares; empty: its own
  uint32_t burst = acg::kBurstBeats;      ///< beats that it moves in one turn on the bus
  bool has_faults = false;                ///< it stops at words for reasons of its own, too: it joins the sequencer's
                                          ///< `<signal>_sequencer_fault` with them into `fault[index]`
};

/// The part of the observer about a unit, besides its sequencer. Expressions of C++ are on nets of `ObserverPart`.
struct Observed {
  /// Writes of a scratchpad, all elements at once: nets write_valid, write_element, write_data, write_strobe are shown.
  struct Writes {
    std::string memory;  ///< its index, in C++
    std::string tag;     ///< of the command that writes, in C++
    uint64_t bytes = 0;  ///< bytes of the port
  };
  /// Writes of a scratchpad's skewed port: each bit of write_valid, word of write_element and of write_data, and tag of
  /// write_tag is a column's.
  struct Columns {
    uint32_t memory = 0;
    uint64_t columns = 0;
  };
  std::string line = {};          ///< net: a word leaves its pipeline and retires; empty: it leaves the sequencer's
  std::string blocked = "false";  ///< no beat of its transfer moves, in C++
  std::optional<Writes> writes = {};
  std::optional<Columns> columns = {};
};

class Unit : public UnitPlan {
 public:
  virtual ~Unit() = default;

  /// Adds the ports that it uses to the memories of `plan`. RTL0003, RTL0009 and its own, by throwing Failure.
  virtual void claim(Plan& plan) const = 0;
  /// Checks the memories after all units have made their claims. RTL0005 and its own, by throwing Failure.
  virtual void check_claims(const Plan& /*plan*/) const {}

  /// Nets of the top between it and the memories, which are declared before either.
  virtual std::string wires(const Plan& plan) const = 0;
  /// Expression of the top: its oldest access to off-chip memory is due, and not answered.
  virtual std::string stalled() const { return "1'b0"; }
  /// Its instance in the top, with the nets that nothing else reads.
  virtual std::string instance(const Plan& plan) const = 0;
  /// Text that depends on the memories' nets: the answers that it takes from one of several memories.
  virtual std::string answers(const Plan& /*plan*/) const { return ""; }

  /// Adds to its part of the observer and says what is there. An off-chip port that writes has `write_tag`, of the
  /// command whose beat stands there.
  virtual Observed observe(ObserverPart& part, const Plan& plan) const = 0;

 protected:
  explicit Unit(UnitPlan plan) : UnitPlan(std::move(plan)) {}
};

}  // namespace covenant::rtl
