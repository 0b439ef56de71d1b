/// Both models of a machine on one program: every record and every byte must be the same.
#pragma once

#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "acg/isa/encode.h"
#include "rtl/cosim/model.h"
#include "sim/simulate.h"
#include "tests/support/sim/assembly.h"

namespace covenant::rtl::testing {

/// The Verilated model of `machine`, built once and kept in the build tree.
inline Model model_of(const acg::Machine& machine) {
  auto model = build_model(
      machine,
      {.cache = COVENANT_RTL_CACHE, .quick = true, .progress = [&](const std::string& step, uint32_t, uint32_t) {
         fmt::print(stderr, "{}: {}\n", machine.name, step);
       }});
  if (!model) throw std::runtime_error(render(model.error()));
  return std::move(*model);
}

inline std::string shown(const acg::RetireRecord& r) {
  return fmt::format("issue {} retire {} ports {}..{} stall {} digest {:016x} word {:08x} index {} sequence {}",
                     r.issue, r.retire, r.first_port, r.last_port, r.stall, r.digest, r.word, r.word_index, r.sequence);
}

enum class Outcome { kSame, kDifferent, kRefused };

/// Runs `program` on both. kRefused: the SystemC model says that the program is wrong; nothing is compared then.
inline Outcome lockstep(const Model& model, const acg::Program& program, const std::vector<uint8_t>& image) {
  std::vector<uint8_t> expected = image;
  auto reference = sim::simulate(program, expected, {.records = true, .max_cycles = 2'000'000});
  if (!reference) return Outcome::kRefused;
  std::vector<uint8_t> memory = image;
  auto result = model.run(program, memory, {.records = true, .max_cycles = reference->cycles + 10'000});
  if (!result) {
    ADD_FAILURE() << render(result.error());
    return Outcome::kDifferent;
  }
  const acg::Codec codec(program.machine);
  size_t differences = 0;
  const size_t common = std::min(reference->records.size(), result->records.size());
  for (size_t i = 0; i < common && differences < 5; ++i) {
    const acg::RetireRecord& a = reference->records[i];
    const acg::RetireRecord& b = result->records[i];
    if (a == b) continue;
    ++differences;
    ADD_FAILURE() << "block " << a.block << " engine " << a.engine << " " << codec.disassemble(a.word) << "\n  systemc "
                  << shown(a) << "\n  rtl     " << shown(b);
  }
  EXPECT_EQ(reference->records.size(), result->records.size());
  EXPECT_EQ(reference->cycles, result->cycles);
  EXPECT_TRUE(expected == memory) << "off-chip bytes differ";
  const bool same = differences == 0 && reference->records.size() == result->records.size() &&
                    reference->cycles == result->cycles && expected == memory;
  return same ? Outcome::kSame : Outcome::kDifferent;
}

}  // namespace covenant::rtl::testing
