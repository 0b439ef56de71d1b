// Mistakes in the use of the platform's modules, and their reports.
#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "platform/memory.h"
#include "platform/port_extension.h"
#include "platform/router.h"
#include "sim/sc/accelerator.h"
#include "sim/sc/common/kernel.h"
#include "tests/unit/platform/initiators.h"
#include "tests/unit/platform/one_at_a_time.h"

namespace covenant::sc::testing {
namespace {

struct Heard {
  std::string code;
  std::string text;
};

/// The exception that SystemC throws: the report's type is "covenant/CODE".
template <typename Body>
Heard heard(Body body) {
  try {
    body();
  } catch (const sc_core::sc_report& report) {
    const std::string type = report.get_msg_type();
    return {type.substr(type.find('/') + 1), report.get_msg()};
  }
  return {};
}

TEST(Mistakes, MoreInitiatorsThanPorts) {
  const sim::sc::Kernel kernel;
  Memory memory("memory", Storage(64), std::make_unique<OneAtATime>(1000, 1));
  Bare first("first");
  Bare second("second");
  first.out.bind(memory.in);
  second.out.bind(memory.in);
  const Heard error = heard([] { sc_core::sc_start(sc_core::SC_ZERO_TIME); });
  EXPECT_EQ(error.code, "SIM0102");
  EXPECT_NE(error.text.find("memory: more ports are used"), std::string::npos) << error.text;
  EXPECT_NE(error.text.find("ports below 1"), std::string::npos) << error.text;
}

TEST(Mistakes, APortThatTheModelDoesNotHave) {
  const sim::sc::Kernel kernel;
  Memory memory("memory", Storage(64), std::make_unique<OneAtATime>(1000, 2));
  Bare bare("bare");
  bare.out.bind(memory.in);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  Access access = read(0, 4);
  tlm::tlm_generic_payload payload;
  set_up(payload, access);
  PortExtension port(2);
  payload.set_extension(&port);
  sc_core::sc_time delay;
  EXPECT_EQ(heard([&] { bare.out->b_transport(payload, delay); }).code, "SIM0102");
  payload.clear_extension(&port);
}

TEST(Mistakes, PhasesThatAreNotAllowed) {
  const sim::sc::Kernel kernel;
  Memory memory("memory", Storage(64), ns(1));
  Router router("router", *AddressMap::of({{"memory", 0, 64}}));
  Bare to_memory("to_memory");
  Bare to_router("to_router");
  to_memory.out.bind(memory.in);
  to_router.out.bind(router.in);
  router.to("memory").bind(memory.in);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  Manager manager;
  for (Bare* bare : {&to_memory, &to_router}) {
    for (const tlm::tlm_phase_enum phase : {tlm::END_RESP, tlm::END_REQ, tlm::BEGIN_RESP}) {
      tlm::tlm_generic_payload& payload = manager.take();
      tlm::tlm_phase sent = phase;
      sc_core::sc_time delay;
      EXPECT_EQ(heard([&] { bare->out->nb_transport_fw(payload, sent, delay); }).code, "SIM0103") << phase;
      payload.release();
    }
    tlm::tlm_generic_payload unmanaged;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    EXPECT_EQ(heard([&] { bare->out->nb_transport_fw(unmanaged, phase, delay); }).code, "SIM0103");
  }
}

TEST(Mistakes, AnotherResolutionThanPicoseconds) {
  const sim::sc::Kernel kernel;
  sc_core::sc_set_time_resolution(10, sc_core::SC_PS);
  Memory memory("memory", Storage(64), ns(1));
  Bare bare("bare");
  bare.out.bind(memory.in);
  const Heard error = heard([] { sc_core::sc_start(sc_core::SC_ZERO_TIME); });
  EXPECT_EQ(error.code, "SIM0104");
  EXPECT_NE(error.text.find("10 ps"), std::string::npos) << error.text;
}

/// With a memory and a host of the user's own, no other module of ours sees it.
TEST(Mistakes, AnotherResolutionThanPicosecondsForAnAccelerator) {
  const sim::sc::Kernel kernel;
  sc_core::sc_set_time_resolution(100, sc_core::SC_PS);
  const Accelerator npu("npu", *acg::load_machine("genesys:8x8"));
  const Heard error = heard([] { sc_core::sc_start(sc_core::SC_ZERO_TIME); });
  EXPECT_EQ(error.code, "SIM0104");
  EXPECT_NE(error.text.find("npu"), std::string::npos) << error.text;
}

TEST(Mistakes, BurstsUnderWayThatNoAxiMasterHas) {
  for (const uint32_t outstanding : {1U, 3U, 12U}) {
    const sim::sc::Kernel kernel;
    const Heard error =
        heard([&] { const Accelerator npu("npu", *acg::load_machine("genesys:8x8"), 0, {outstanding}); });
    EXPECT_EQ(error.code, "SIM0092");
    EXPECT_NE(error.text.find("outstanding = " + std::to_string(outstanding)), std::string::npos) << error.text;
  }
  const sim::sc::Kernel kernel;
  const Heard error = heard([] { const Accelerator core("core", *acg::load_machine("hvx"), 0, {8}); });
  EXPECT_EQ(error.code, "SIM0092");
  EXPECT_NE(error.text.find("issues packets"), std::string::npos) << error.text;
}

TEST(Mistakes, ARegionThatIsNotThere) {
  const sim::sc::Kernel kernel;
  Router router("router", *AddressMap::of({{"memory", 0, 64}, {"registers", 64, 64}}));
  const Heard error = heard([&] { router.to("memroy"); });
  EXPECT_EQ(error.code, "SIM0105");
  EXPECT_NE(error.text.find("memory, registers"), std::string::npos) << error.text;
}

}  // namespace
}  // namespace covenant::sc::testing
