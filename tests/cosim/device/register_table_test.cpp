/// Accesses to the registers of the model in SystemC and of the RTL, side by side: both answer the same.
#include <cstring>
#include <optional>
#include <tlm_utils/simple_initiator_socket.h>
#include <vector>

#include "acg/registers/registers.h"
#include "platform/memory.h"
#include "rtl/sc/rtl_accelerator.h"
#include "sim/sc/accelerator.h"
#include "sim/sc/common/kernel.h"
#include "tests/cosim/device/programs.h"
#include "tests/support/folders.h"

namespace covenant::driver::testing {
namespace {

namespace map = registers;

struct Access {
  const char* what;
  tlm::tlm_command command = tlm::TLM_READ_COMMAND;
  uint64_t address = 0;
  tlm::tlm_response_status expected = tlm::TLM_OK_RESPONSE;
  unsigned length = 4;
  unsigned streaming_width = 4;
  uint32_t value = 0;
};

const std::vector<Access>& accesses() {
  using enum tlm::tlm_command;
  using enum tlm::tlm_response_status;
  static const std::vector<Access> all{
      {"a register", TLM_READ_COMMAND, map::kMachineLow},
      {"a register that is written", TLM_WRITE_COMMAND, map::kProgramLow, TLM_OK_RESPONSE, 4, 4, 0x1234},
      {"what was written", TLM_READ_COMMAND, map::kProgramLow},
      {"nothing", TLM_IGNORE_COMMAND, map::kProgramLow},
      {"a write to what is read only", TLM_WRITE_COMMAND, map::kStatus, TLM_GENERIC_ERROR_RESPONSE},
      {"the last register", TLM_READ_COMMAND, map::kBytes - 4},
      {"past the last register", TLM_READ_COMMAND, map::kBytes, TLM_GENERIC_ERROR_RESPONSE},
      {"a write past the last register", TLM_WRITE_COMMAND, map::kBytes, TLM_GENERIC_ERROR_RESPONSE},
      {"the end of the window", TLM_READ_COMMAND, 4092, TLM_GENERIC_ERROR_RESPONSE},
      {"past the window", TLM_READ_COMMAND, 4096, TLM_GENERIC_ERROR_RESPONSE},
      {"past 32 bits", TLM_READ_COMMAND, (uint64_t{1} << 32) + map::kProgramLow, TLM_GENERIC_ERROR_RESPONSE},
      {"within a word", TLM_READ_COMMAND, map::kProgramLow + 2, TLM_GENERIC_ERROR_RESPONSE},
      {"two bytes", TLM_READ_COMMAND, map::kProgramLow, TLM_BURST_ERROR_RESPONSE, 2},
      {"two words", TLM_READ_COMMAND, map::kProgramLow, TLM_BURST_ERROR_RESPONSE, 8, 8},
      {"a stream", TLM_READ_COMMAND, map::kProgramLow, TLM_BURST_ERROR_RESPONSE, 4, 2},
      {"a start where none can be", TLM_WRITE_COMMAND, map::kControl, TLM_OK_RESPONSE, 4, 4,
       map::control::kStart.mask()},
      {"the event of it", TLM_READ_COMMAND, map::kInterruptStatus},
      {"why", TLM_READ_COMMAND, map::kStatus},
  };
  return all;
}

/// The result of an access.
struct Seen {
  tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
  uint32_t value = 0;
  /// For every register before the access: the result of a debug transaction; nothing if it moves no bytes.
  std::vector<std::optional<uint32_t>> looks;
};

/// Makes all accesses, one after the other.
class Prober : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Prober);
  tlm_utils::simple_initiator_socket<Prober> socket;
  std::vector<Seen> seen;
  /// For every register at the end: the value read.
  std::vector<uint32_t> reads;

  explicit Prober(const sc_core::sc_module_name& name) : sc_core::sc_module(name), socket("socket") { SC_THREAD(run); }

  std::vector<std::optional<uint32_t>> look_at_all() {
    std::vector<std::optional<uint32_t>> looks;
    for (uint64_t address = 0; address < map::kBytes + 8; address += 4) {
      uint64_t value = 0;
      tlm::tlm_generic_payload payload;
      prepare(payload, {"a register", tlm::TLM_READ_COMMAND, address}, value);
      const unsigned moved = socket->transport_dbg(payload);
      EXPECT_TRUE(moved == 0 || moved == 4);
      looks.push_back(moved == 0 ? std::nullopt : std::optional(static_cast<uint32_t>(value)));
    }
    return looks;
  }

 private:
  static void prepare(tlm::tlm_generic_payload& payload, const Access& access, uint64_t& value) {
    payload.set_command(access.command);
    payload.set_address(access.address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(access.length);
    payload.set_streaming_width(access.streaming_width);
  }
  Seen made(const Access& access) {
    uint64_t value = access.value;
    tlm::tlm_generic_payload payload;
    prepare(payload, access, value);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    Seen result;
    result.looks = look_at_all();
    socket->b_transport(payload, delay);
    result.status = payload.get_response_status();
    result.value = static_cast<uint32_t>(value);
    return result;
  }
  void run() {
    for (const Access& access : accesses()) {
      seen.push_back(made(access));
      wait(sc_core::sc_time(100, sc_core::SC_NS));
    }
    for (uint64_t address = 0; address < map::kBytes; address += 4)
      reads.push_back(made({"a register", tlm::TLM_READ_COMMAND, address}).value);
  }
};

template <class Accelerator>
struct Probed {
  Accelerator accelerator;
  Prober prober;
  sc_core::sc_signal<bool> line;
  sc::Memory memory;

  template <class... Options>
  explicit Probed(const std::string& name, const Options&... options)
      : accelerator(name.c_str(), machine(), 0, options...),
        prober((name + "_prober").c_str()),
        line((name + "_line").c_str()),
        memory((name + "_memory").c_str(), sc::Storage(4096), sc_core::sc_time(10, sc_core::SC_NS)) {
    prober.socket.bind(accelerator.registers);
    accelerator.interrupt(line);
    for (auto* socket : accelerator.memory_sockets("DRAM")) socket->bind(memory.in);
  }
};

TEST(RegisterTable, ModelAndRtlAnswerTheSame) {
  sim::sc::Kernel kernel;
  Probed<sc::Accelerator> model("model");
  Probed<sc::RtlAccelerator> rtl("rtl",
                                 rtl::DeviceOptions{.cache = rtl_models_folder(), .quick = true, .checked = true});
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS));
  ASSERT_EQ(model.prober.seen.size(), accesses().size());
  ASSERT_EQ(rtl.prober.seen.size(), accesses().size());
  for (size_t k = 0; k < accesses().size(); ++k) {
    const Access& access = accesses()[k];
    SCOPED_TRACE(access.what);
    EXPECT_EQ(model.prober.seen[k].status, access.expected);
    EXPECT_EQ(rtl.prober.seen[k].status, access.expected);
    EXPECT_EQ(model.prober.seen[k].value, rtl.prober.seen[k].value);
    EXPECT_EQ(model.prober.seen[k].looks, rtl.prober.seen[k].looks);
  }
  ASSERT_EQ(rtl.prober.reads.size(), map::kBytes / 4);
  EXPECT_EQ(rtl.prober.reads, model.prober.reads);
  const std::vector<std::optional<uint32_t>> looks = rtl.prober.look_at_all();
  for (size_t k = 0; k < looks.size(); ++k) {
    if (k < rtl.prober.reads.size()) {
      EXPECT_EQ(looks[k], rtl.prober.reads[k]) << 4 * k;
    } else {
      EXPECT_EQ(looks[k], std::nullopt) << 4 * k;
    }
  }
  EXPECT_EQ(rtl.prober.reads[map::kProgramLow / 4], 0x1234U) << "something has changed since the beginning";
  EXPECT_NE(rtl.prober.reads[map::kInterruptStatus / 4], 0U) << "and a look has cleared nothing";
}

}  // namespace
}  // namespace covenant::driver::testing
