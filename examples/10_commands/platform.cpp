// A host and the accelerator of dot.acg on a router: the host writes a matrix, starts, and reads the products.
//
//     platform dot.acg
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

constexpr uint64_t kAccelerator = 0x4000'0000;

class Host : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<Host> out;
  sc_core::sc_in<bool> interrupt;
  std::vector<uint8_t> result = std::vector<uint8_t>(16);

  SC_HAS_PROCESS(Host);
  explicit Host(const sc_core::sc_module_name& name) : sc_module(name), out("out"), interrupt("interrupt") {
    SC_THREAD(run);
  }

 private:
  void run() {
    std::vector<uint8_t> rows(256);  // row r is r, r, r, ...
    for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<uint8_t>(i / 16);
    move(tlm::TLM_WRITE_COMMAND, 0x1000, rows);  // a transaction of 16 beats: 16 commands
    move(tlm::TLM_WRITE_COMMAND, 0x20, std::vector<uint8_t>(16, 1));
    move(tlm::TLM_WRITE_COMMAND, 0x0, {2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});  // shift
    move(tlm::TLM_WRITE_COMMAND, 0x10, std::vector<uint8_t>(16));
    wait(interrupt.posedge_event());
    result = move(tlm::TLM_READ_COMMAND, 0x30, std::move(result));
  }

  std::vector<uint8_t> move(tlm::tlm_command command, uint64_t address, std::vector<uint8_t> bytes) {
    tlm::tlm_generic_payload transaction;
    transaction.set_command(command);
    transaction.set_address(kAccelerator + address);
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
  const auto behaviour = covenant::acg::behaviour::load_behaviour(count > 1 ? arguments[1] : "dot.acg");
  if (!behaviour) {
    std::fputs(covenant::render(behaviour.error()).c_str(), stderr);
    return 2;
  }
  const auto map = covenant::sc::AddressMap::of({{.name = "dot", .base = kAccelerator, .bytes = 0x10000}});
  covenant::sc::Router router("router", *map);
  covenant::sc::CommandAccelerator npu("npu", *behaviour);
  Host host("host");
  sc_core::sc_signal<bool> line("line");
  host.out.bind(router.in);
  router.to("dot").bind(npu.socket("bus"));
  npu.interrupt(line);
  host.interrupt(line);
  sc_core::sc_start();
  bool is_right = true;
  for (size_t row = 0; row < host.result.size(); ++row) is_right &= host.result[row] == 16 * row / 4;
  std::printf("%s, %s\n", is_right ? "all products are right" : "a product is wrong",
              sc_core::sc_time_stamp().to_string().c_str());
  return is_right ? 0 : 1;
}
