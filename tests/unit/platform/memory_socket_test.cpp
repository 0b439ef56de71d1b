#include "platform/memory_socket.h"

#include <gtest/gtest.h>
#include <tlm_utils/simple_target_socket.h>
#include <tuple>

#include "sim/sc/common/kernel.h"
#include "tests/unit/platform/payloads.h"

namespace covenant::sc::testing {
namespace {

constexpr uint8_t kOn = TLM_BYTE_ENABLED, kOff = TLM_BYTE_DISABLED;

/// A target that is told when to answer. It completes what is at address 0 at once, and responds to address 1 at once.
class Told : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Told> in;
  std::vector<tlm::tlm_generic_payload*> begun;
  unsigned ended = 0;  ///< responses that the initiator has ended by a call

  explicit Told(const sc_core::sc_module_name& name) : sc_module(name), in("in") {
    in.register_nb_transport_fw(this, &Told::nb_transport);
  }
  void end_request(size_t at, const sc_core::sc_time& delay = sc_core::SC_ZERO_TIME) { send(at, tlm::END_REQ, delay); }
  void respond(size_t at, const sc_core::sc_time& delay = sc_core::SC_ZERO_TIME,
               tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE) {
    begun.at(at)->set_response_status(status);
    EXPECT_EQ(send(at, tlm::BEGIN_RESP, delay), tlm::TLM_COMPLETED);
  }

 private:
  tlm::tlm_sync_enum send(size_t at, tlm::tlm_phase phase, sc_core::sc_time delay) {
    return in->nb_transport_bw(*begun.at(at), phase, delay);
  }
  tlm::tlm_sync_enum nb_transport(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::END_RESP) ++ended;
    if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;
    begun.push_back(&payload);
    if (payload.get_address() > 1) return tlm::TLM_ACCEPTED;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    delay += payload.get_address() == 0 ? ns(2) : ns(3);
    if (payload.get_address() == 0) return tlm::TLM_COMPLETED;
    phase = tlm::BEGIN_RESP;
    return tlm::TLM_UPDATED;
  }
};

/// A module with a socket of two ports.
struct Asking : sc_core::sc_module {
  explicit Asking(const sc_core::sc_module_name& name) : sc_module(name) {}
  MemorySocket memory{"memory", {5, 9}};
};

/// Such a module, its target, and what it has handed over: place, address, time.
struct Pair {
  using Handed = std::vector<std::tuple<uint32_t, uint64_t, sc_core::sc_time>>;

  sim::sc::Kernel kernel;
  Told target{"target"};
  Asking asking{"asking"};
  MemorySocket& memory = asking.memory;
  Handed handed;

  Pair() {
    memory.socket.bind(target.in);
    memory.responded = [this](const MemorySocket::Response& response) {
      handed.emplace_back(response.place, response.address, response.time);
    };
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
};

TEST(MemorySocket, BeginsOneRequestAtATime) {
  Pair pair;
  for (const uint64_t address : {16, 32, 48}) pair.memory.read(address, 4);
  ASSERT_EQ(pair.target.begun.size(), 1U);
  pair.target.end_request(0);
  ASSERT_EQ(pair.target.begun.size(), 2U);
  pair.target.respond(0);
  EXPECT_EQ(pair.target.begun.size(), 2U) << "the second request has not ended";
  pair.target.respond(1);
  EXPECT_EQ(pair.target.begun.size(), 3U) << "a response ends its own request";
}

TEST(MemorySocket, HandsOverEachPortInItsOrder) {
  Pair pair;
  pair.memory.read(16, 4, 0);
  pair.target.end_request(0);
  pair.memory.read(32, 4, 0);
  pair.target.end_request(1);
  pair.memory.read(64, 4, 1);
  pair.target.end_request(2);
  ASSERT_EQ(pair.target.begun.size(), 3U);
  EXPECT_EQ(pair.target.begun[1]->get_extension<PortExtension>()->port, 5U);
  EXPECT_EQ(pair.target.begun[2]->get_extension<PortExtension>()->port, 9U);
  pair.target.respond(1, ns(4));
  EXPECT_TRUE(pair.handed.empty()) << "the one before it has not come";
  pair.target.respond(2, ns(1));
  pair.target.respond(0, ns(2));
  EXPECT_EQ(pair.handed, (Pair::Handed{{1, 64, ns(1)}, {0, 16, ns(2)}, {0, 32, ns(4)}}));
}

TEST(MemorySocket, TakesResponsesThatComeAtOnce) {
  Pair pair;
  pair.memory.read(0, 4);
  pair.memory.read(1, 4);
  EXPECT_EQ(pair.handed, (Pair::Handed{{0, 0, ns(2)}, {0, 1, ns(3)}}));
  EXPECT_EQ(pair.target.ended, 1U) << "the one that came as a response";
}

/// As an interconnect may leave it.
TEST(MemorySocket, NamesTheAddressThatWasRequested) {
  Pair pair;
  pair.memory.read(16, 4);
  pair.target.begun.at(0)->set_address(0x4010);
  pair.target.respond(0);
  EXPECT_EQ(pair.handed, (Pair::Handed{{0, 16, ns(0)}}));
}

TEST(MemorySocket, WaitsForTheAnnotatedEndOfARequest) {
  Pair pair;
  pair.memory.read(16, 4);
  pair.memory.read(32, 4);
  pair.target.end_request(0, ns(3));
  sc_core::sc_start(ns(2));
  EXPECT_EQ(pair.target.begun.size(), 1U);
  sc_core::sc_start(ns(2));
  EXPECT_EQ(pair.target.begun.size(), 2U);
}

TEST(MemorySocket, HandsOverAnErrorInItsTime) {
  Pair pair;
  pair.memory.read(16, 4, 0);
  pair.target.end_request(0);
  pair.memory.read(32, 4, 1);
  pair.target.end_request(1);
  pair.target.respond(0, ns(5), tlm::TLM_GENERIC_ERROR_RESPONSE);
  pair.target.respond(1, ns(7));
  EXPECT_EQ(pair.handed, (Pair::Handed{{1, 32, ns(7)}})) << "what has not failed is told ahead";
  sc_core::sc_start(ns(4));
  EXPECT_EQ(pair.handed.size(), 1U);
  sc_core::sc_start(ns(2));
  EXPECT_EQ(pair.handed, (Pair::Handed{{1, 32, ns(7)}, {0, 16, ns(5)}}));
}

TEST(MemorySocket, ForgetsWhatIsUnderWay) {
  Pair pair;
  pair.memory.read(16, 4);
  pair.memory.read(32, 4);
  pair.memory.forget();
  pair.memory.read(48, 4);
  pair.target.respond(0);
  ASSERT_EQ(pair.target.begun.size(), 2U);
  EXPECT_EQ(pair.target.begun[1]->get_address(), 48U) << "what had not been asked for never is";
  EXPECT_TRUE(pair.handed.empty());
  pair.target.respond(1);
  EXPECT_EQ(pair.handed, (Pair::Handed{{0, 48, sc_core::SC_ZERO_TIME}}));
}

std::vector<uint8_t> enables_of(const tlm::tlm_generic_payload& payload) {
  const uint8_t* const first = payload.get_byte_enable_ptr();
  return first == nullptr ? std::vector<uint8_t>{}
                          : std::vector<uint8_t>(first, first + payload.get_byte_enable_length());
}

TEST(MemorySocket, EnablesTheBytesThatItHas) {
  using Bytes = std::vector<uint8_t>;
  Pair pair;
  const Bytes three{1, 2, 3}, four{1, 2, 3, 4};
  pair.memory.write(16, 4, 1, three);
  pair.target.end_request(0);
  pair.memory.write(16, 4, 0, three);
  pair.target.end_request(1);
  pair.memory.write(16, 4, 0, four);
  pair.target.end_request(2);
  pair.memory.write(16, four, Bytes{kOn, kOff, kOn, kOn});
  pair.target.end_request(3);
  pair.memory.write(16, four, Bytes{kOn, kOn, kOn, kOn});
  const std::vector<Bytes> expected{{kOff, kOn, kOn, kOn}, {kOn, kOn, kOn, kOff}, {}, {kOn, kOff, kOn, kOn}, {}};
  ASSERT_EQ(pair.target.begun.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(enables_of(*pair.target.begun[i]), expected[i]) << i;
  EXPECT_EQ(pair.target.begun[0]->get_data_ptr()[1], 1);
  EXPECT_EQ(pair.target.begun[0]->get_data_length(), 4U);
}

}  // namespace
}  // namespace covenant::sc::testing
