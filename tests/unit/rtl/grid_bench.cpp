// covenant_systolic_grid against a plain matrix product: every sum in the cycle that
// docs/reference/units/systolic_array.md states, and nothing of it one cycle earlier. Steps come with random gaps and
// any weights.
#include <Vcovenant_systolic_grid.h>
#include <cstdio>
#include <cstring>
#include <map>
#include <random>
#include <vector>
#include <verilated.h>

namespace {

constexpr unsigned kRows = ROWS, kColumns = COLUMNS, kUnits = 6, kWriteBytes = 4;

template <class Port>
uint8_t* bytes(Port& port) {
  return reinterpret_cast<uint8_t*>(&port);
}

}  // namespace

int main() {
  Vcovenant_systolic_grid top;
  std::mt19937 random(1);
  std::vector<int8_t> weights(kUnits * kRows * kColumns);
  for (int8_t& weight : weights) weight = static_cast<int8_t>(random() % 5 == 0 ? 0x80 : random());
  const auto tick = [&] {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
  };
  top.rst_ni = 0;
  tick();
  top.rst_ni = 1;
  for (uint32_t at = 0; at < weights.size(); at += kWriteBytes) {
    top.write_valid_i = 1;
    top.write_byte_i = at;
    top.write_strobe_i = 0;
    for (uint32_t i = 0; i < kWriteBytes && at + i < weights.size(); ++i) {
      top.write_strobe_i |= static_cast<uint8_t>(1U << i);
      bytes(top.write_data_i)[i] = static_cast<uint8_t>(weights[at + i]);
    }
    tick();
  }
  top.write_valid_i = 0;

  std::map<std::pair<uint64_t, unsigned>, uint32_t> expected;  // sums by cycle and column
  std::map<uint64_t, std::vector<uint8_t>> inputs;             // by the cycle in which they are due
  unsigned failures = 0, checked = 0;
  for (uint64_t cycle = 0; cycle < 5000; ++cycle) {
    top.step_valid_i = random() % 4 != 0;
    if (top.step_valid_i != 0) {
      const uint32_t unit = random() % kUnits;
      const bool is_unsigned = random() % 2 != 0;
      std::vector<uint8_t> vector(kRows);
      for (uint8_t& value : vector) value = static_cast<uint8_t>(random() % 4 == 0 ? 0x80 : random());
      top.weight_unit_i = unit;
      top.input_unsigned_i = is_unsigned;
      top.first_i = random() % 2;
      for (unsigned j = 0; j < kColumns; ++j) {
        uint32_t sum = top.first_i != 0 ? 1000 + j : 5000000 + j;
        for (unsigned i = 0; i < kRows; ++i) {
          const int32_t x = is_unsigned ? vector[i] : static_cast<int8_t>(vector[i]);
          sum += static_cast<uint32_t>(x * weights[(unit * kRows + i) * kColumns + j]);
        }
        expected[{cycle + kRows + 2 + j, j}] = sum;
      }
      inputs[cycle + 2] = vector;
    }
    for (unsigned i = 0; i < kRows; ++i) {
      bytes(top.input_data_i)[i] = inputs.contains(cycle) ? inputs[cycle][i] : static_cast<uint8_t>(random());
    }
    for (uint32_t j = 0; j < kColumns; ++j) {
      const uint32_t bias = 1000 + j, old = 5000000 + j;
      std::memcpy(bytes(top.bias_i) + j * 4, &bias, 4);
      std::memcpy(bytes(top.old_i) + j * 4, &old, 4);
    }
    top.clk_i = 0;
    top.eval();
    for (unsigned j = 0; j < kColumns; ++j) {
      const auto due = expected.find({cycle, j});
      uint32_t sum = 0;
      std::memcpy(&sum, bytes(top.sum_o) + j * 4, 4);
      if (due == expected.end()) continue;
      ++checked;
      if (sum != due->second && failures++ < 10) {
        std::printf("cycle %llu column %u: %u, not %u\n", static_cast<unsigned long long>(cycle), j, sum, due->second);
      }
    }
    top.clk_i = 1;
    top.eval();
  }
  std::printf("%u sums checked, %u wrong\n", checked, failures);
  return failures == 0 && checked > 1000 ? 0 : 1;
}
