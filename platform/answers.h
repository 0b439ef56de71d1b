/// Decides when the requests to a memory are answered, by asking its model.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <systemc>
#include <tlm>
#include <vector>

#include "offchip/model.h"
#include "offchip/statistics.h"
#include "platform/agenda.h"

namespace covenant::sc {

/// Takes requests at their time, moves their data, and returns when they are answered: after a fixed latency if there
/// is no model. All requests of one time are passed to the model together, before it advances to that time.
class Answers : public sc_core::sc_module {
 public:
  struct Request {
    tlm::tlm_generic_payload* transaction = nullptr;
    uint32_t initiator = 0;
    uint32_t port = 0;
    sc_core::sc_event* blocked = nullptr;  ///< event that b_transport waits for; null for nb_transport
  };
  using Answered = std::function<void(const Request&, const sc_core::sc_time&)>;

  SC_HAS_PROCESS(Answers);
  Answers(const sc_core::sc_module_name& name, std::span<uint8_t> bytes, std::unique_ptr<offchip::Model> model,
          const sc_core::sc_time& latency, Answered answered);

  /// The request comes at `when`. What is wrong with it is answered at once.
  void ask(const Request& request, const sc_core::sc_time& when) { agenda_.put(when, request.port, request); }

  /// Moves the data and sets the response. True if it has something to wait for.
  bool take(const Request& request, const sc_core::sc_time& when);

  bool has_model() const { return model_ != nullptr; }
  const offchip::Statistics& statistics() const { return model_ ? model_->statistics() : counted_; }

 private:
  /// A burst that the model has not answered yet.
  struct Burst {
    Request request;
    bool is_last = false;  ///< last burst of its request
  };

  void step();
  void request_bursts(const Request& request);
  void advance();
  void count(const Request& request, const sc_core::sc_time& when);

  std::span<uint8_t> bytes_;
  std::unique_ptr<offchip::Model> model_;
  sc_core::sc_time latency_;
  Answered answered_;
  Agenda<Request> agenda_;
  std::vector<std::deque<Burst>> under_way_;  ///< per port
  offchip::Statistics counted_;               ///< counters used if there is no model
};

}  // namespace covenant::sc
