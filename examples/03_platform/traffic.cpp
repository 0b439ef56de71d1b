// Three traffic generators share two memories through a router: shows how long each waits, and for what.
//
// Two of them copy blocks from a slow memory to a fast one, the third polls a word. The path to the slow memory moves 8
// bytes each nanosecond, which is the bottleneck.
#include <covenant/systemc.h>
#include <cstdint>
#include <cstdio>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <vector>

namespace {

using sc_core::SC_NS;
using sc_core::sc_time;

constexpr uint64_t kSlow = 0x8000'0000;
constexpr uint64_t kFast = 0x1000'0000;
constexpr uint64_t kBytes = 1 << 20;

// Reads and writes with b_transport, and remembers when it was done.
class Generator : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<Generator> out{"out"};
  sc_time done;

  explicit Generator(const sc_core::sc_module_name& name) : sc_module(name) {}

 protected:
  bool transport(tlm::tlm_command command, uint64_t address, std::vector<uint8_t>& data) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(data.data());
    payload.set_data_length(static_cast<unsigned int>(data.size()));
    payload.set_streaming_width(static_cast<unsigned int>(data.size()));
    sc_time delay;
    out->b_transport(payload, delay);
    wait(delay);
    done = sc_core::sc_time_stamp();
    return payload.is_response_ok();
  }
};

class Copier : public Generator {
 public:
  SC_HAS_PROCESS(Copier);
  Copier(const sc_core::sc_module_name& name, uint64_t offset) : Generator(name), offset_(offset) { SC_THREAD(run); }

 private:
  void run() {
    std::vector<uint8_t> block(256);
    for (uint64_t at = offset_; at < offset_ + 16 * block.size(); at += block.size()) {
      if (!transport(tlm::TLM_READ_COMMAND, kSlow + at, block)) SC_REPORT_ERROR(name(), "a read has failed");
      if (!transport(tlm::TLM_WRITE_COMMAND, kFast + at, block)) SC_REPORT_ERROR(name(), "a write has failed");
    }
  }

  uint64_t offset_;
};

class Poller : public Generator {
 public:
  SC_HAS_PROCESS(Poller);
  explicit Poller(const sc_core::sc_module_name& name) : Generator(name) { SC_THREAD(run); }

 private:
  void run() {
    std::vector<uint8_t> word(4);
    for (int i = 0; i < 20; ++i) {
      if (!transport(tlm::TLM_READ_COMMAND, kSlow, word)) SC_REPORT_ERROR(name(), "a read has failed");
      wait(100, SC_NS);
    }
  }
};

void print(const char* name, const Generator& generator, const covenant::sc::RouterStatistics::Initiator& counted) {
  std::printf("%-8s %5llu transactions %6llu bytes, waited %2llu times, %6.0f ns in all, done at %6.0f ns\n", name,
              static_cast<unsigned long long>(counted.transactions), static_cast<unsigned long long>(counted.bytes),
              static_cast<unsigned long long>(counted.waits), counted.waited / sc_time(1, SC_NS),
              generator.done / sc_time(1, SC_NS));
}

}  // namespace

int sc_main(int /*argc*/, char* /*argv*/[]) {
  using namespace covenant::sc;
  const auto map = AddressMap::of({{"slow", kSlow, kBytes, 8, sc_time(1, SC_NS)}, {"fast", kFast, kBytes}});
  if (!map) {
    std::puts(covenant::render(map.error()).c_str());
    return 1;
  }
  Memory slow("slow", Storage(kBytes), sc_time(60, SC_NS));
  Memory fast("fast", Storage(kBytes), sc_time(5, SC_NS));
  Router router("router", *map, {.latency = sc_time(4, SC_NS)});
  router.to("slow").bind(slow.in);
  router.to("fast").bind(fast.in);

  Copier first("first", 0);
  Copier second("second", 0x8000);
  Poller poller("poller");
  first.out.bind(router.in);
  second.out.bind(router.in);
  poller.out.bind(router.in);
  for (uint64_t i = 0; i < kBytes; ++i) slow.bytes()[i] = static_cast<uint8_t>(i * 7 + (i >> 8));

  sc_core::sc_start();

  const RouterStatistics& statistics = router.statistics();
  print("first", first, statistics.initiators[0]);
  print("second", second, statistics.initiators[1]);
  print("poller", poller, statistics.initiators[2]);
  uint64_t requested = 0;
  uint64_t granted = 0;
  for (const RouterStatistics::Initiator& initiator : statistics.initiators) {
    requested += initiator.requested_beats;
    granted += initiator.granted_beats;
  }
  std::printf("beats: %llu requested, %llu granted\n", static_cast<unsigned long long>(requested),
              static_cast<unsigned long long>(granted));
  for (uint64_t at = 0; at < 0x1000; ++at) {
    for (const uint64_t offset : {uint64_t{0}, uint64_t{0x8000}}) {
      if (fast.bytes()[at + offset] != slow.bytes()[at + offset]) return 1;
    }
  }
  std::puts("every copied byte is where it belongs");
  return 0;
}
