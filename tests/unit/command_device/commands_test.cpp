// Streams of commands through transactions, beside the evaluator: answers, cycles, times, the line and all state.
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>

#include "acg/behaviour/evaluator.h"
#include "runtime/commands/native_build.h"
#include "runtime/commands/native_engine.h"
#include "tests/support/seed.h"
#include "tests/unit/command_device/platform.h"
#include "tests/unit/command_device/reference.h"

namespace covenant::sc::testing {
namespace {

using acg::behaviour::Behaviour;
using acg::behaviour::Command;
using acg::behaviour::Evaluator;

struct Sent {
  std::string port;
  Command command;
  sc_core::sc_time pause{};  ///< before it
};

void expect_same_state(const acg::behaviour::Engine& got, const Evaluator& wanted, const std::string& what) {
  for (size_t state = 0; state < wanted.behaviour().states.size(); ++state) {
    const auto &a = got.elements(state), &b = wanted.elements(state);
    for (int64_t i = 0; i < b.size(); ++i) {
      ASSERT_EQ(a.is_written(i), b.is_written(i)) << what << wanted.behaviour().states[state].name << " " << i;
      ASSERT_EQ(a.get(i), b.get(i)) << what << wanted.behaviour().states[state].name << " " << i;
    }
  }
}

/// Sends a stream, and compares after every command. Returns the number of commands that were carried out.
size_t expect_same(const Behaviour& behaviour, const std::vector<Sent>& stream, const std::string& what,
                   size_t compared_every = 1, const CommandAccelerator::MakeEngine& make = {}) {
  Bench bench(behaviour, {}, make);
  Reference reference(behaviour);
  std::map<std::string, size_t> hosts;
  for (const acg::behaviour::Port& port : behaviour.ports) {
    if (!port.is_stream) hosts.emplace(port.name, hosts.size());
  }
  size_t done = 0, number = 0;
  const uint64_t period = bench.npu.period().value();
  const auto sends = [&] {
    for (const Sent& sent : stream) {
      sc_core::wait(sent.pause);
      const uint64_t edge = (sc_core::sc_time_stamp().value() + period - 1) / period;
      Access access{.writes = sent.command.writes, .address = sent.command.address, .data = sent.command.data};
      const tlm::tlm_response_status status = bench.send(access, hosts.at(sent.port));
      const Result<std::vector<uint8_t>> wanted = reference.command(sent.port, sent.command, edge);
      const std::string at = fmt::format("{}, command {}: ", what, number++);
      ASSERT_EQ(status == tlm::TLM_OK_RESPONSE, static_cast<bool>(wanted))
          << at << (wanted ? "" : render(wanted.error()));
      if (!wanted) {
        ASSERT_EQ(bench.npu.error()->code, wanted.error().code) << at;
      }
      if (wanted && !sent.command.writes) {
        ASSERT_EQ(access.data, *wanted) << at;
      }
      ASSERT_EQ(sc_core::sc_time_stamp().value(),
                wanted || reference.is_stopped() ? std::max(reference.edge(), edge) * period : edge * period)
          << at;
      ASSERT_EQ(bench.npu.engine().cycles(), reference.machine.cycles()) << at;
      if (!reference.is_stopped()) {
        ASSERT_EQ(bench.line.read(), *reference.machine.is_interrupted()) << at;
      }
      if (number % compared_every == 0) expect_same_state(bench.npu.engine(), reference.machine, at);
      done += wanted ? 1 : 0;
    }
    expect_same_state(bench.npu.engine(), reference.machine, what);
  };
  bench.run([&] {
    sends();
    sc_core::sc_stop();  // some machines run for ever
  });
  return done;
}

using Draw = std::mt19937_64;
uint64_t below(Draw& draw, uint64_t end) { return draw() % end; }

/// A machine with a port of drawn width: registers, a memory, commands of several cycles, and processes that take what
/// commands push, of which one runs all the time in some machines.
std::string drawn_machine(Draw& draw) {
  const uint64_t bytes = uint64_t{4} << below(draw, 4);
  const uint64_t depth = 1 + below(draw, 3), work = 1 + below(draw, 5), turns = 1 + below(draw, 6);
  const bool is_restless = below(draw, 2) == 0;
  std::string text = fmt::format(
      "acg drawn {{ clock = {} MHz; port bus {{ address = 12; data = {}; }} port side {{ address = 8; data = 32; }}\n"
      "state x : i16 = 0; state y : i16 = 3; state m : u8[8]; state count : u8 = 0; state done : bool = 0;\n"
      "queue q : i16 {{ depth = {}; }} queue r : i16 {{ depth = {}; }} interrupt = done;\n",
      100 + below(draw, 900), 8 * bytes, depth, depth);
  text +=
      "instruction set on bus { fields { v : i16 at 0; } decode = write and address == 0; update { x = v; } }\n"
      "instruction get on bus { decode = read and address in 0..7; update { reply = wrap(i16, x + y + count); } }\n"
      "instruction put on bus { fields { v : i16 at 0; } decode = write and address == 1; update { push(q, v); } }\n"
      "instruction clear on side { decode = write and address == 1; update { done = 0; } }\n"
      "instruction poke on side { fields { v : u8 at 8; i : u4 at address; } decode = write and address in 16..31;"
      " update { if i == 9 { fault \"nine\"; } m[i] = v; } }\n"
      "instruction peek on side { fields { i : u3 at address; } decode = read and address in 0..7;"
      " update { reply = m[i]; } }\n";
  text += fmt::format(
      "instruction slow on bus {{ fields {{ n : u4 at 8; }} decode = write and address == 2;"
      " update {{ for i in 0..n - 1 {{ step {{ cycles = {}; y = wrap(i16, y + i * x); }} }} }} }}\n",
      work);
  text += fmt::format(
      "process a {{ let v = pop(q); for i in 1..{} {{ step {{ cycles = {}; y = wrap(i16, y + v); }} }}"
      " push(r, wrap(i16, v * 3)); }}\n"
      "process b {{ let v = pop(r); x = v; step {{ done = 1; count = wrap(u8, count + 1); }} }}\n",
      turns, work);
  if (is_restless) text += "state free : u8 = 0; process c { free = wrap(u8, free + 1); y = wrap(i16, y + free); }\n";
  return text + "}";
}

Sent drawn_command(Draw& draw, uint64_t bytes, bool is_wild) {
  Sent sent;
  const bool is_side = below(draw, 4) == 0;
  sent.port = is_side ? "side" : "bus";
  sent.command.writes = below(draw, 3) != 0;
  sent.command.data.resize(is_side ? 4 : bytes);
  if (sent.command.writes) std::generate(sent.command.data.begin(), sent.command.data.end(), [&] { return draw(); });
  if (is_side) {
    const uint64_t i = is_wild ? below(draw, 16) : below(draw, 8);
    sent.command.address = sent.command.writes && below(draw, 4) == 0 ? 1
                           : sent.command.writes                      ? 16 + i
                                                                      : below(draw, 8);
  } else {
    sent.command.address = below(draw, is_wild ? 5 : 3);
  }
  const uint64_t pause = below(draw, 4);  // often none
  sent.pause = sc_core::sc_time::from_value(pause == 1 ? below(draw, 20'000) : pause == 2 ? below(draw, 400'000) : 0);
  return sent;
}

TEST(CommandStreams, DrawnMachinesDoWhatTheEvaluatorDoes) {
  Draw draw(test::seed());
  size_t done = 0, sent = 0;
  for (int machine = 0; machine < 60; ++machine) {
    const std::string text = drawn_machine(draw);
    const Behaviour behaviour = behaviour_of(text);
    const auto bytes = static_cast<uint64_t>(behaviour.ports.front().data_bits / 8);
    std::vector<Sent> stream;
    for (uint8_t i = 0; i < 8; ++i) {  // most memories are written before they are read
      if (machine % 4 != 0) stream.push_back({"side", {true, uint64_t{16} + i, {0, i, 0, 0}}});
    }
    for (int i = 0; i < 150; ++i) stream.push_back(drawn_command(draw, bytes, machine % 4 == 0 && i > 100));
    done += expect_same(behaviour, stream, fmt::format("seed {}, machine {}: {}", test::seed(), machine, text));
    sent += stream.size();
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(done, sent / 2);
  EXPECT_LT(done, sent);
}

/// Programs of VTA, put together from drawn words.
class Vta {
 public:
  Vta() {
    Result<Behaviour> read = acg::behaviour::load_behaviour("vta", {{"dram_bytes", "64K"}});
    check(static_cast<bool>(read), read ? "" : render(read.error()));
    behaviour = *std::move(read);
  }

  std::vector<uint8_t> word(std::string_view name, const std::map<std::string, uint64_t>& values) const {
    const auto found = std::find_if(behaviour.instructions.begin(), behaviour.instructions.end(),
                                    [&](const auto& one) { return one.name == name; });
    std::vector<uint8_t> bytes(16);
    const auto put = [&](int64_t at, int64_t bits, uint64_t value) {
      for (int64_t i = 0; i < bits; ++i)
        bytes[static_cast<size_t>(at + i) / 8] |= static_cast<uint8_t>((value >> i & 1) << (at + i) % 8);
    };
    for (const auto& test : found->decode) put(test.at, test.bits, test.low);
    for (const auto& field : found->fields) {
      const auto value = values.find(field.variable.name);
      if (value != values.end()) put(field.at, field.variable.type.bits, value->second);
    }
    return bytes;
  }

  /// A few loads, products or sums, and a store; one program of four has a mistake.
  std::vector<Sent> program(Draw& draw) const {
    std::vector<std::vector<uint8_t>> words;
    const uint64_t rows = 1 + below(draw, 3);
    const auto load = [&](std::string_view name, uint64_t base, uint64_t size, uint64_t more) {
      words.push_back(word(name, {{"base", base},
                                  {"y_size", 1},
                                  {"x_size", size},
                                  {"x_stride", size},
                                  {"y_pad0", below(draw, 2)},
                                  {"x_pad1", below(draw, 2)},
                                  {"push_next", more}}));
    };
    load("load_uop", 0, 2, 0);
    load("load_acc", 0, 4, 0);
    load("load_inp", 0, 4, 0);
    load("load_wgt", 0, 2, 1);
    const std::string_view kind = below(draw, 2) == 0 ? "gemm" : "alu";
    words.push_back(word(kind, {{"pop_prev", 1},
                                {"push_next", 1},
                                {"reset", below(draw, 4) == 0 ? 1U : 0U},
                                {"uop_end", 1},
                                {"iter_out", rows},
                                {"iter_in", 1},
                                {"dst_out", 1},
                                {"src_out", 1},
                                {"use_imm", below(draw, 2)},
                                {"imm", below(draw, 65536)}}));
    words.push_back(
        word("store",
             {{"pop_prev", 1}, {"push_prev", 1}, {"y_size", 1}, {"x_size", rows}, {"base", 64}, {"x_stride", rows}}));
    words.push_back(word("finish", {{"pop_next", 1}}));
    if (below(draw, 4) == 0)
      words[below(draw, words.size())][below(draw, 16)] ^= static_cast<uint8_t>(1U << below(draw, 8));
    std::vector<Sent> stream;
    const auto write = [&](uint64_t address, std::vector<uint8_t> data) {
      data.resize(16);
      stream.push_back({"bus", {true, address, std::move(data)}});
    };
    for (uint64_t at = 0; at < 2048; at += 16) {
      std::vector<uint8_t> bytes(16);
      if (at >= 32) std::generate(bytes.begin(), bytes.end(), [&] { return draw(); });
      write(0x8000'0000 + at, bytes);
    }
    for (size_t i = 0; i < words.size(); ++i) write(0x8000'2000 + 16 * i, words[i]);
    write(0x8, {static_cast<uint8_t>(words.size())});
    write(0xC, {0x00, 0x20});
    write(0x0, {1});
    for (int i = 0; i < 6; ++i) {  // while it runs, and after it has ended
      stream.push_back({"bus", {false, i % 2 == 0 ? 0x0U : 0x4U, std::vector<uint8_t>(16)}, ns(10.0 * (i + 1) * i)});
    }
    stream.push_back({"bus", {false, 0x8000'0000 + 16 * 64, std::vector<uint8_t>(16)}, ns(3000)});
    return stream;
  }

  Behaviour behaviour;
};

TEST(CommandStreams, CompiledMachinesStandBehindTheSameSockets) {
  if (!runtime::has_machine_compiler()) GTEST_SKIP() << "no compiler";
  const Vta vta;
  const Result<runtime::NativeLibrary> library = runtime::build_native(vta.behaviour, {});
  ASSERT_TRUE(library) << render(library.error());
  const auto make = [&] { return std::make_unique<runtime::NativeEngine>(vta.behaviour, *library); };
  Draw draw(test::seed());
  for (int program = 0; program < 20; ++program) {
    const std::vector<Sent> stream = vta.program(draw);
    expect_same(vta.behaviour, stream, fmt::format("seed {}, program {}: ", test::seed(), program), stream.size(),
                make);
    if (HasFatalFailure()) return;
  }
}

TEST(CommandStreams, ProgramsOfVtaDoWhatTheEvaluatorDoes) {
  const Vta vta;
  Draw draw(test::seed());
  int stored = 0;
  for (int program = 0; program < 40; ++program) {
    const std::vector<Sent> stream = vta.program(draw);
    const size_t done =
        expect_same(vta.behaviour, stream, fmt::format("seed {}, program {}: ", test::seed(), program), stream.size());
    stored += done == stream.size() ? 1 : 0;
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(stored, 20);
  EXPECT_LT(stored, 40);
}

}  // namespace
}  // namespace covenant::sc::testing
