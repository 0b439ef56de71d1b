// Two accelerators of different machines share one DRAM. A host splits a network between them: the first layers of an
// image run on one while the other one is at the last layers of the image before.
//
//     two_accelerators FOLDER [MEMORY [MACHINE]] [--rtl]
//
// FOLDER is what prepare.py writes; MEMORY: ddr4_2400, ...; MACHINE runs the last layers: genesys:32x32, hvx, ... With
// --rtl the first one is its RTL, built by Verilator.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "acg/graph/queries.h"
#include "acg/lang/load.h"
#include "acg/program/packet_program.h"
#include "compiler/driver/pipeline.h"
#include "offchip/connect.h"
#include "platform.h"
#include "platform/host.h"
#include "platform/memory.h"
#include "platform/report.h"
#include "platform/router.h"
#include "report.h"
#include "rtl/sc/rtl_accelerator.h"
#include "runtime/driver/driver.h"
#include "runtime/session/boundary.h"
#include "runtime/session/image.h"
#include "runtime/session/run.h"
#include "sim/sc/accelerator.h"

namespace {

using sc_core::SC_NS;
using sc_core::sc_time;

constexpr uint64_t kDram = 0x8000'0000;
constexpr uint64_t kWindow = 1 << 24;             // bytes of it for each accelerator
constexpr uint64_t kApart = kWindow + (1 << 16);  // from window to window: they begin in other banks of the DRAM
constexpr uint64_t kDramBytes = 2 * kApart;
constexpr uint64_t kRegisters = 0x1000'0000;
constexpr uint64_t kRegisterBytes = 0x1000;
const sc_time kPathTime(500, sc_core::SC_PS);  // for kPathBytes on the path to the DRAM
constexpr uint32_t kPathBytes = 32;

Part part_of(const std::string& name, const std::string& machine_name, const std::string& model) {
  auto machine = need(covenant::acg::load_machine(machine_name));
  auto program = need<covenant::acg::Program>(covenant::compiler::compile(model, machine));
  return {name, std::move(machine), std::move(program)};
}

// An accelerator and what belongs to it: it sees its window of the DRAM from address 0 on.
class Node {
 public:
  // `made`: a model in SystemC, or the RTL behind the same sockets.
  template <typename Npu>
  Node(uint32_t index, const Part& part, std::unique_ptr<Npu> made)
      : ports(made->port_count()),
        registers((part.name + "_registers").c_str(), kRegisters + index * kRegisterBytes),
        memory((part.name + "_memory").c_str(),
               std::vector<uint64_t>(part.machine.memories.size(), kDram + index * kApart)),
        view((part.name + "_view").c_str(),
             need(covenant::sc::AddressMap::of(
                 {{.name = "dram", .bytes = kWindow, .target_base = kDram + index * kApart}}))),
        line((part.name + "_line").c_str()) {
    for (auto* socket : made->memory_sockets("DRAM")) socket->bind(view.in);
    made->interrupt(line);
    registers.interrupt(line);
    window = &made->registers;
    npu = std::move(made);
  }

  std::unique_ptr<sc_core::sc_module> npu;
  tlm::tlm_target_socket<>* window;  // its registers
  uint32_t ports;
  covenant::sc::HostRegisters registers;
  covenant::sc::HostMemory memory;
  covenant::sc::Router view;
  sc_core::sc_signal<bool> line;
};

// The processor: one thread.
class Host : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Host);
  Host(const sc_core::sc_module_name& name, const std::vector<Part>& parts, std::vector<std::unique_ptr<Node>>& nodes,
       const std::vector<Tensor>& images)
      : sc_module(name), parts_(parts), nodes_(nodes), images_(images) {
    SC_THREAD(run);
  }

  Phase first, second, together;
  std::string mistake;

 private:
  void run() {
    try {
      for (size_t part = 0; part < parts_.size(); ++part) open(part);
      first = alone(0, images_);
      second = alone(1, first.outputs);
      together = pipelined();
    } catch (const std::runtime_error& error) {
      mistake = error.what();
    }
    sc_core::sc_stop();
  }

  void open(size_t part) {
    Node& node = *nodes_[part];
    drivers_.push_back(need(covenant::driver::Driver::open(node.registers, node.memory, parts_[part].machine)));
    node.memory.set_access(covenant::sc::HostMemory::Access::kAtOnce);
    need(drivers_[part].load(parts_[part].program, covenant::runtime::initial_image(parts_[part].program)));
    node.memory.set_access(covenant::sc::HostMemory::Access::kTimed);
  }

  // Writes the input of a part where it belongs, in the way in which its machine stores it, and starts.
  void start(Phase& phase, size_t part, size_t image, Tensor input) {
    const covenant::acg::TensorBinding& binding = parts_[part].program.inputs.front();
    input.name = binding.name;
    const std::vector<uint8_t> stored = covenant::runtime::to_memory(binding, input);
    move(nodes_[part]->memory.write(memory_of(part), address_of(part, binding), stored));
    phase.runs.push_back({part, image, sc_core::sc_time_stamp(), {}, 0});
    need(drivers_[part].start(parts_[part].program));
  }

  // Waits for the interrupt, and reads what the part has made.
  Tensor wait_for(Phase& phase, size_t part) {
    const auto report = need(drivers_[part].wait(std::chrono::milliseconds(1)));
    const auto run = std::find_if(phase.runs.rbegin(), phase.runs.rend(), [&](Run& one) { return one.part == part; });
    run->cycles = report.cycles;
    run->end = run->begin + static_cast<double>(report.cycles) * period_of(part);
    const covenant::acg::TensorBinding& binding = parts_[part].program.outputs.front();
    std::vector<uint8_t> stored(covenant::acg::size_in_memory(binding).value());
    move(nodes_[part]->memory.read(memory_of(part), address_of(part, binding), stored));
    return covenant::runtime::from_memory(binding, stored);
  }

  uint32_t memory_of(size_t part) const {
    return covenant::acg::memory_ranges(parts_[part].program).front().memory.value;
  }
  // Address of a tensor in the window of its machine.
  uint64_t address_of(size_t part, const covenant::acg::TensorBinding& binding) const {
    return covenant::acg::image_address(parts_[part].program) + binding.address;
  }
  sc_time period_of(size_t part) const {
    return covenant::sc::time_of_picoseconds(covenant::offchip::connection_of(parts_[part].machine).clock.period);
  }
  static void move(covenant::driver::Response response) {
    expect(response == covenant::driver::Response::kOkay, "the DRAM takes what the host moves");
  }

  Phase alone(size_t part, const std::vector<Tensor>& inputs) {
    Phase phase;
    phase.begin = sc_core::sc_time_stamp();
    for (size_t image = 0; image < inputs.size(); ++image) {
      start(phase, part, image, inputs[image]);
      phase.outputs.push_back(wait_for(phase, part));
    }
    phase.end = sc_core::sc_time_stamp();
    return phase;
  }

  // The second part of an image and the first part of the next one run at the same time.
  Phase pipelined() {
    Phase phase;
    phase.begin = sc_core::sc_time_stamp();
    for (size_t image = 0; image < images_.size(); ++image) {
      start(phase, 0, image, images_[image]);
      Tensor between = wait_for(phase, 0);
      if (image > 0) phase.outputs.push_back(wait_for(phase, 1));
      start(phase, 1, image, std::move(between));
    }
    phase.outputs.push_back(wait_for(phase, 1));
    phase.end = sc_core::sc_time_stamp();
    return phase;
  }

  const std::vector<Part>& parts_;
  std::vector<std::unique_ptr<Node>>& nodes_;
  const std::vector<Tensor>& images_;
  std::vector<covenant::driver::Driver> drivers_;
};

std::vector<Tensor> read_images(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<Tensor> images;
  std::vector<uint8_t> bytes(64 * sizeof(float));
  while (file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()))) {
    images.push_back({"image", covenant::DType::kF32, {1, 1, 8, 8}, bytes});
  }
  expect(!images.empty(), "there are images");
  return images;
}

// Each image by the whole network, on the machine of the first part alone.
std::vector<Tensor> by_one(const Part& whole, const std::vector<Tensor>& images) {
  std::vector<Tensor> outputs;
  for (const Tensor& image : images) {
    outputs.push_back(need(covenant::runtime::run(whole.program, {image})).outputs.front());
  }
  return outputs;
}

// Ports of the DRAM: those of the host, then those of each accelerator.
covenant::offchip::Connection connection_of(const std::vector<Part>& parts) {
  auto connection = covenant::offchip::connection_of(parts.front().machine);
  connection.ports.assign(kHostPorts, {.latency_cycles = 40, .beat_bytes = kPathBytes});
  for (const Part& part : parts) {
    for (const auto& port : covenant::offchip::connection_of(part.machine).ports) connection.ports.push_back(port);
  }
  return connection;
}

std::vector<covenant::sc::Region> regions() {
  return {{.name = "dram", .base = kDram, .bytes = kDramBytes, .beat_bytes = kPathBytes, .beat_time = kPathTime},
          {.name = "first", .base = kRegisters, .bytes = kRegisterBytes},
          {.name = "second", .base = kRegisters + kRegisterBytes, .bytes = kRegisterBytes}};
}

void check_beats(const covenant::sc::RouterStatistics& statistics) {
  uint64_t requested = 0;
  uint64_t granted = 0;
  for (const auto& initiator : statistics.initiators) {
    requested += initiator.requested_beats;
    granted += initiator.granted_beats;
  }
  std::printf("beats of the router: %llu requested, %llu granted\n", number(requested), number(granted));
  expect(requested == granted, "all beats are granted");
}

void check_times(const Host& host) {
  const sc_time longer = std::max(host.first.took(), host.second.took());
  const sc_time sum = host.first.took() + host.second.took();
  std::printf("first alone %.0f ns, second alone %.0f ns, both together %.0f ns\n", nanoseconds(host.first.took()),
              nanoseconds(host.second.took()), nanoseconds(host.together.took()));
  expect(longer <= host.together.took(), "together they take at least as long as the longer one alone");
  expect(host.together.took() <= sum, "together they take at most as long as one after the other");
}

std::unique_ptr<Node> make_node(uint32_t index, const Part& part, uint32_t first_port, bool is_rtl) {
  using covenant::sc::Accelerator, covenant::sc::RtlAccelerator;
  const char* name = part.name.c_str();
  if (!is_rtl)
    return std::make_unique<Node>(index, part, std::make_unique<Accelerator>(name, part.machine, first_port));
  const covenant::rtl::DeviceOptions options{.cache = "rtl", .quick = true};
  return std::make_unique<Node>(index, part, std::make_unique<RtlAccelerator>(name, part.machine, first_port, options));
}

int run(const std::string& folder, const std::string& memory, const std::string& second, bool first_is_rtl) {
  const std::vector<Part> parts = {part_of("first", "genesys:16x16", folder + "/first.onnx"),
                                   part_of("second", second, folder + "/second.onnx")};
  const Part whole = part_of("whole", "genesys:16x16", folder + "/whole.onnx");
  const std::vector<Tensor> images = read_images(folder + "/images.f32");
  const std::vector<Tensor> expected = by_one(whole, images);

  covenant::offchip::Timeline timeline;
  covenant::sc::Memory dram("dram", covenant::sc::Storage(kDramBytes),
                            need(covenant::offchip::make_model(memory, connection_of(parts), &timeline)));
  covenant::sc::Router router("router", need(covenant::sc::AddressMap::of(regions())), {.keeps_slices = true});
  std::vector<std::unique_ptr<Node>> nodes;
  uint32_t port = kHostPorts;
  for (const Part& part : parts) {
    nodes.push_back(make_node(static_cast<uint32_t>(nodes.size()), part, port, first_is_rtl && nodes.empty()));
    port += nodes.back()->ports;
  }
  for (const auto& node : nodes) node->memory.out.bind(router.in);
  for (const auto& node : nodes) node->view.to("dram").bind(router.in);
  for (const auto& node : nodes) node->registers.out.bind(router.in);
  router.to("dram").bind(dram.in);
  for (size_t i = 0; i < parts.size(); ++i) router.to(parts[i].name).bind(*nodes[i]->window);
  Host host("host", parts, nodes, images);
  sc_core::sc_start();
  if (!host.mistake.empty()) throw std::runtime_error(host.mistake);

  std::printf("%zu images on genesys:16x16%s and %s, memory %s\n", images.size(), first_is_rtl ? " (RTL)" : "",
              second.c_str(), memory.c_str());
  print_timeline(host.together, parts);
  print_ports(dram.statistics(), parts);
  check_beats(router.statistics());
  check_times(host);
  expect(host.second.outputs == expected, "one part after the other gives the outputs of one accelerator alone");
  expect(host.together.outputs == expected, "both together give the outputs of one accelerator alone");
  std::puts("every output equals that of one accelerator alone");
  write_timeline("timeline.json", host.together, parts, router, memory, std::move(timeline));
  return 0;
}

}  // namespace

int sc_main(int count, char* arguments[]) {
  std::vector<std::string> words(arguments + 1, arguments + count);
  const bool first_is_rtl = !words.empty() && words.back() == "--rtl";
  if (first_is_rtl) words.pop_back();
  if (words.empty() || words.size() > 3) {
    std::fputs("two_accelerators FOLDER [MEMORY [MACHINE]] [--rtl]\n", stderr);
    return 2;
  }
  try {
    const std::string memory = words.size() > 1 ? words[1] : "ddr4_2400";
    return run(words[0], memory, words.size() > 2 ? words[2] : "genesys:32x32", first_is_rtl);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
