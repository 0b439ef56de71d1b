/// A machine that commands drive, on a bench: hosts as bare sockets, its interrupt line and its reset.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <systemc>
#include <utility>
#include <vector>

#include "acg/base/check.h"
#include "acg/base/diagnostic.h"
#include "acg/behaviour/evaluator.h"
#include "acg/behaviour/load.h"
#include "sim/sc/command_accelerator.h"
#include "sim/sc/common/kernel.h"
#include "tests/unit/platform/initiators.h"

namespace covenant::sc::testing {

inline acg::behaviour::Behaviour behaviour_of(std::string_view text) {
  Result<acg::behaviour::Behaviour> read = acg::behaviour::parse_behaviour(text, "bench.acg");
  check(static_cast<bool>(read), read ? "" : render(read.error()));
  return *std::move(read);
}

/// A function as a thread.
class HostThread : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(HostThread);
  HostThread(const sc_core::sc_module_name& name, std::function<void()> does)
      : sc_module(name), does_(std::move(does)) {
    SC_THREAD(run);
  }

 private:
  void run() { does_(); }

  std::function<void()> does_;
};

struct Bench {
  sim::sc::Kernel kernel;
  CommandAccelerator npu;
  sc_core::sc_signal<bool> line{"line"};
  sc_core::sc_signal<bool, sc_core::SC_MANY_WRITERS> reset_n{"reset_n", true};
  std::vector<std::unique_ptr<Bare>> hosts;
  std::vector<std::unique_ptr<HostThread>> threads;

  explicit Bench(const acg::behaviour::Behaviour& behaviour, const CommandAcceleratorOptions& options = {},
                 const CommandAccelerator::MakeEngine& make = {})
      : npu("npu", make ? make : CommandAccelerator::MakeEngine([behaviour] {
              return std::make_unique<acg::behaviour::Evaluator>(behaviour);
            }),
            options) {
    sc_core::sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_DO_NOTHING);
    npu.interrupt(line);
    npu.reset_n(reset_n);
    for (const acg::behaviour::Port& port : behaviour.ports) {
      for (uint32_t i = 0; i < (port.is_stream ? 0 : options.initiators); ++i) {
        hosts.push_back(std::make_unique<Bare>(("host_" + port.name + std::to_string(i)).c_str()));
        hosts.back()->out.bind(npu.socket(port.name, i));
      }
    }
  }
  void thread(std::function<void()> does) {
    const std::string name = "thread" + std::to_string(threads.size());
    threads.push_back(std::make_unique<HostThread>(name.c_str(), std::move(does)));
  }
  /// Runs `does` as the host's thread, to where nothing is left.
  void run(std::function<void()> does) {
    thread(std::move(does));
    sc_core::sc_start();
  }
  tlm::tlm_response_status send(Access& access, size_t host = 0) {
    return hosts[host]->send(access, static_cast<unsigned int>(access.data.size()));
  }
  sc_core::sc_time cycles(uint64_t count) const { return sc_core::sc_time::from_value(npu.period().value() * count); }
};

}  // namespace covenant::sc::testing
