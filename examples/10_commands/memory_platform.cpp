// A host, a memory and the accelerator of scale.acg on a router: the host writes bytes into the memory, which the
// accelerator reads and writes by itself.
//
//     memory_platform scale.acg
#include <algorithm>
#include <covenant/systemc.h>
#include <cstdint>
#include <cstdio>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <utility>
#include <vector>

#include "acg/behaviour/load.h"

namespace {

constexpr uint64_t kAccelerator = 0x4000'0000, kMemory = 0x8000'0000;
constexpr uint64_t kSource = 0x100, kTarget = 0x2000;  // in the accelerator's memory
constexpr size_t kVectors = 4;
constexpr uint8_t kFactor = 3;

class Host : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<Host> out;
  sc_core::sc_in<bool> interrupt;
  bool is_right = false;

  SC_HAS_PROCESS(Host);
  explicit Host(const sc_core::sc_module_name& name) : sc_module(name), out("out"), interrupt("interrupt") {
    SC_THREAD(run);
  }

 private:
  void run() {
    std::vector<uint8_t> bytes(16 * kVectors);
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(3 * i);
    move(tlm::TLM_WRITE_COMMAND, kMemory + kSource, bytes);
    set(0x4, kSource);
    set(0x8, kTarget);
    set(0xC, kVectors);
    set(0x10, kFactor);
    set(0x0, 1);
    wait(interrupt.posedge_event());
    const std::vector<uint8_t> results = move(tlm::TLM_READ_COMMAND, kMemory + kTarget, bytes);
    is_right = std::equal(bytes.begin(), bytes.end(), results.begin(), [](uint8_t byte, uint8_t result) {
      return std::clamp(static_cast<int8_t>(byte) * kFactor, -128, 127) == static_cast<int8_t>(result);
    });
  }

  void set(uint64_t address, uint64_t value) {
    move(tlm::TLM_WRITE_COMMAND, kAccelerator + address,
         {static_cast<uint8_t>(value), static_cast<uint8_t>(value >> 8), 0, 0});
  }

  std::vector<uint8_t> move(tlm::tlm_command command, uint64_t address, std::vector<uint8_t> bytes) {
    tlm::tlm_generic_payload transaction;
    transaction.set_command(command);
    transaction.set_address(address);
    transaction.set_data_ptr(bytes.data());
    transaction.set_data_length(static_cast<unsigned int>(bytes.size()));
    transaction.set_streaming_width(static_cast<unsigned int>(bytes.size()));
    sc_core::sc_time delay;
    out->b_transport(transaction, delay);
    wait(delay);
    if (transaction.is_response_error()) SC_REPORT_ERROR("host", transaction.get_response_string().c_str());
    return bytes;
  }
};

}  // namespace

int sc_main(int count, char* arguments[]) {
  const auto behaviour = covenant::acg::behaviour::load_behaviour(count > 1 ? arguments[1] : "scale.acg");
  if (!behaviour) {
    std::fputs(covenant::render(behaviour.error()).c_str(), stderr);
    return 2;
  }
  const auto map = covenant::sc::AddressMap::of(
      {{.name = "scale", .base = kAccelerator, .bytes = 0x100}, {.name = "dram", .base = kMemory, .bytes = 0x10000}});
  covenant::sc::Router router("router", *map);
  covenant::sc::Memory dram("dram", covenant::sc::Storage(0x10000), sc_core::sc_time(20, sc_core::SC_NS));
  covenant::sc::CommandAccelerator npu("npu", *behaviour, {.memory_bases = {{"dram", kMemory}}});
  npu.memory("dram").bind(router.in);
  Host host("host");
  sc_core::sc_signal<bool> line("line");
  host.out.bind(router.in);
  router.to("dram").bind(dram.in);
  router.to("scale").bind(npu.socket("bus"));
  npu.interrupt(line);
  host.interrupt(line);
  sc_core::sc_start();
  std::printf("%s, %s\n", host.is_right ? "all products are right" : "a product is wrong",
              sc_core::sc_time_stamp().to_string().c_str());
  return host.is_right ? 0 : 1;
}
