#include "platform/agenda.h"

#include <gtest/gtest.h>

#include "sim/sc/common/kernel.h"
#include "tests/unit/platform/payloads.h"

namespace covenant::sc::testing {
namespace {

/// Keeps what it takes, batch by batch.
class Owner : public sc_core::sc_module {
 public:
  Agenda<int> agenda;
  std::vector<std::vector<int>> batches;

  SC_HAS_PROCESS(Owner);
  explicit Owner(const sc_core::sc_module_name& name) : sc_module(name) {
    SC_METHOD(step);
    sensitive << agenda.event();
    dont_initialize();
  }

 private:
  void step() {
    if (!agenda.has_settled()) return;
    if (std::vector<int> batch = agenda.take(); !batch.empty()) batches.push_back(std::move(batch));
  }
};

/// Inserts an item at a time, a given number of delta cycles after it has begun.
class Putter : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Putter);
  Putter(const sc_core::sc_module_name& name, Agenda<int>& agenda, int item, uint32_t rank, int deltas)
      : sc_module(name), agenda_(agenda), item_(item), rank_(rank), deltas_(deltas) {
    SC_METHOD(step);
  }

 private:
  /// A method, as the owner's process is one: SystemC runs methods before threads.
  void step() {
    if (sc_core::sc_time_stamp() < ns(3)) return next_trigger(ns(3));
    if (deltas_-- > 0) return next_trigger(sc_core::SC_ZERO_TIME);
    agenda_.put(sc_core::sc_time_stamp(), rank_, item_);
  }

  Agenda<int>& agenda_;
  int item_;
  uint32_t rank_;
  int deltas_;
};

using Batches = std::vector<std::vector<int>>;

TEST(Agenda, TakesWhatIsDueInTheOrderOfRanks) {
  const sim::sc::Kernel kernel;
  Owner owner("owner");
  Putter high("high", owner.agenda, 2, 9, 0);
  Putter low("low", owner.agenda, 1, 4, 0);
  owner.agenda.put(ns(3), 7, 3);
  owner.agenda.put(ns(2), 8, 4);
  sc_core::sc_start();
  EXPECT_EQ(owner.batches, (Batches{{4}, {1, 3, 2}}));
}

TEST(Agenda, OrderOfProcessesDecidesNothing) {
  // The owner takes what has come in the first delta cycle two cycles later: just when the late one comes.
  for (const bool late_runs_first : {true, false}) {
    const sim::sc::Kernel kernel;
    std::unique_ptr<Putter> late;
    auto owner = std::make_unique<Owner>("owner");
    if (late_runs_first) late = std::make_unique<Putter>("late", owner->agenda, 2, 0, 2);
    Putter early("early", owner->agenda, 1, 5, 0);
    if (!late_runs_first) late = std::make_unique<Putter>("late", owner->agenda, 2, 0, 2);
    sc_core::sc_start();
    EXPECT_EQ(owner->batches, (Batches{{1}, {2}})) << late_runs_first;
  }
}

}  // namespace
}  // namespace covenant::sc::testing
