// Runs one program on the Verilated top and compares what it leaves behind: every byte of the off-chip memory, and the
// cycle in which the last block is done.
//
//   self_test [FOLDER] [--wave FILE]     FOLDER (default: test) holds before.hex, after.hex and run.txt
//
// Exit code: 0 equal, 1 a comparison differs or the run does not end, 2 the files of the test cannot be read.
#include <covenant_ports.h>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <offchip.h>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>
#include <verilated.h>
#ifdef COVENANT_WAVE
#include <verilated_fst_c.h>
#endif

namespace {

namespace ports = covenant_ports;
using covenant::rtl::OffchipMemories;

/// The part of the images that an off-chip memory holds.
struct Part {
  unsigned memory = 0;
  std::uint64_t first = 0;
  std::uint64_t bytes = 0;
};

struct Test {
  std::string name;
  std::uint32_t entry = 0;
  std::uint64_t cycles = 0;
  std::vector<Part> memories;
  std::vector<std::uint8_t> before;
  std::vector<std::uint8_t> after;
};

std::ifstream opened(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  return file;
}

std::vector<std::uint8_t> read_image(const std::string& path, std::uint64_t bytes) {
  std::vector<std::uint8_t> image(bytes, 0);
  std::ifstream file = opened(path);
  std::string token;
  std::uint64_t at = 0;
  while (file >> token) {
    if (token[0] == '@') {
      at = std::stoull(token.substr(1), nullptr, 16);
    } else {
      if (at >= bytes) throw std::runtime_error(path + " has bytes past its end");
      image[at++] = static_cast<std::uint8_t>(std::stoul(token, nullptr, 16));
    }
  }
  return image;
}

Test read_test(const std::string& folder) {
  Test test;
  std::uint64_t bytes = 0;
  std::ifstream file = opened(folder + "/run.txt");
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string key;
    words >> key;
    if (key == "name") std::getline(words >> std::ws, test.name);
    if (key == "entry") words >> test.entry;
    if (key == "bytes") words >> bytes;
    if (key == "cycles") words >> test.cycles;
    if (key == "memory") {
      Part part;
      words >> part.memory >> part.first >> part.bytes;
      test.memories.push_back(part);
    }
  }
  test.before = read_image(folder + "/before.hex", bytes);
  test.after = read_image(folder + "/after.hex", bytes);
  return test;
}

/// The clock of the top, with waveforms if the bench was built with them.
class Clock {
 public:
  Clock(VerilatedContext& context, Vcovenant_top& top, const std::string& wave) : context_(context), top_(top) {
#ifdef COVENANT_WAVE
    if (!wave.empty()) {
      context_.traceEverOn(true);
      top_.trace(&wave_, 99);
      wave_.open(wave.c_str());
    }
#else
    if (!wave.empty()) throw std::runtime_error("built without waveforms: make WAVE=1 test");
#endif
  }
  void half(std::uint8_t level) {
    top_.clk_i = level;
    top_.eval();
    context_.timeInc(1);
#ifdef COVENANT_WAVE
    if (wave_.isOpen()) wave_.dump(context_.time());
#endif
  }
  void finish() {
#ifdef COVENANT_WAVE
    if (wave_.isOpen()) wave_.close();
#endif
  }

 private:
  VerilatedContext& context_;
  Vcovenant_top& top_;
#ifdef COVENANT_WAVE
  VerilatedFstC wave_;
#endif
};

/// Connects off-chip memories and the top's ports for one cycle. False if a write is past the end.
bool serve(OffchipMemories& offchip, Vcovenant_top& top, std::uint64_t cycle) {
  if (!offchip.settle(cycle)) return false;
  ports::each_read(top, [&](const ports::ReadPort& port) { offchip[port.memory].serve(port); });
  ports::each_store(top, [&](const ports::WritePort& port) {
    port.is_written = 1;  // in time for the last beat
    if (port.valid) offchip[port.memory].write(port.latency, port.address, port.data, port.strobe, port.bytes);
  });
  return true;
}

bool has_fault(const Vcovenant_top& top) {
  std::uint64_t faults = 0;
  std::memcpy(&faults, &top.fault_o, sizeof(top.fault_o) < sizeof(faults) ? sizeof(top.fault_o) : sizeof(faults));
  return faults != 0;
}

/// Starts the top and runs it until it is done. Returns the cycle in which its last block is done. `memory` holds the
/// off-chip memories, one after the other.
std::uint64_t run(Vcovenant_top& top, Clock& clock, const Test& test, std::vector<std::uint8_t>& memory) {
  OffchipMemories offchip;
  for (const Part& part : test.memories) {
    offchip.add(part.memory, memory.data() + part.first, part.bytes, ports::kPorts);
  }
  const auto tick = [&] {
    clock.half(0);
    clock.half(1);
  };
  top.rst_ni = 0;
  top.start_i = 0;
  ports::open(top);
  tick();
  tick();
  top.rst_ni = 1;
  tick();
  top.start_i = 1;
  top.entry_i = test.entry;
  tick();
  top.start_i = 0;
  std::uint64_t done = 0;
  for (std::uint64_t cycle = 0; top.done_o == 0; ++cycle) {
    const bool in_memory = serve(offchip, top, cycle);
    clock.half(0);
    done = cycle;  // its last block was done in the last of these cycles
    if (!in_memory || has_fault(top)) throw std::runtime_error("a fault in cycle " + std::to_string(cycle));
    if (cycle > test.cycles + 1000) throw std::runtime_error("not done in cycle " + std::to_string(cycle));
    clock.half(1);
  }
  if (!offchip.drain()) throw std::runtime_error("a write past the end of the memory");
  return done;
}

int compare(const Test& test, const std::vector<std::uint8_t>& memory, std::uint64_t cycles) {
  constexpr unsigned kShown = 8;
  std::uint64_t differences = 0;
  for (std::size_t at = 0; at < memory.size(); ++at) {
    if (memory[at] == test.after[at]) continue;
    if (++differences <= kShown) std::printf("byte %zu: %02x, expected %02x\n", at, memory[at], test.after[at]);
  }
  if (cycles != test.cycles) {
    std::printf("done in cycle %llu, expected %llu\n", static_cast<unsigned long long>(cycles),
                static_cast<unsigned long long>(test.cycles));
  }
  const bool same = differences == 0 && cycles == test.cycles;
  std::printf("%s: %s: %llu cycles, %zu bytes compared, %llu different\n", same ? "PASS" : "FAIL", test.name.c_str(),
              static_cast<unsigned long long>(cycles), memory.size(), static_cast<unsigned long long>(differences));
  return same ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::string folder = "test";
  std::string wave;
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--wave" && i + 1 < argc) {
      wave = argv[++i];
    } else {
      folder = argv[i];
    }
  }
  Test test;
  try {
    test = read_test(folder);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  VerilatedContext context;
  Vcovenant_top top(&context);
  try {
    Clock clock(context, top, wave);
    std::vector<std::uint8_t> memory = test.before;
    const std::uint64_t cycles = run(top, clock, test, memory);
    clock.finish();
    top.final();
    return compare(test, memory, cycles);
  } catch (const std::exception& error) {
    std::printf("FAIL: %s: %s\n", test.name.c_str(), error.what());
    return 1;
  }
}
