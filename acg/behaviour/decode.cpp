#include "acg/behaviour/decode.h"

#include <algorithm>
#include <bit>
#include <bitset>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "acg/base/failure.h"

namespace covenant::acg::behaviour {
namespace {

constexpr size_t kMostBits = 384;  // of data, address and direction
using Bits = std::bitset<kMostBits>;

/// Commands whose bits under the mask are those of the value.
struct Cube {
  Bits mask, value;
};

/// The numbers between two as numbers that share their highest bits: at most two for each bit.
std::vector<Cube> cubes_of(const BitTest& test) {
  std::vector<Cube> cubes;
  const uint64_t all = test.bits > 63 ? ~uint64_t{0} : (uint64_t{1} << test.bits) - 1;
  uint64_t low = test.low;
  while (low <= test.high) {
    // The largest aligned block that begins at `low` and ends within the range.
    uint64_t rest = low == 0 ? all : (uint64_t{1} << std::countr_zero(low)) - 1;
    while (rest > test.high - low) rest >>= 1U;
    Cube cube;
    for (int64_t i = 0; i < test.bits; ++i) {
      if (((rest >> i) & 1U) != 0) continue;
      cube.mask.set(static_cast<size_t>(test.at + i));
      cube.value.set(static_cast<size_t>(test.at + i), ((low >> i) & 1U) != 0);
    }
    cubes.push_back(cube);
    if (rest >= all - low) break;
    low += rest + 1;
  }
  return cubes;
}

std::optional<Cube> both(const Cube& a, const Cube& b) {
  if (((a.value ^ b.value) & a.mask & b.mask).any()) return std::nullopt;
  return Cube{a.mask | b.mask, a.value | b.value};
}

/// The bits that all tests of an instruction leave no choice for: those in which the ends of a range agree. A test that
/// contradicts another adds nothing: no command passes both, which `passing` finds.
Cube fixed_of(const Instruction& instruction) {
  Cube fixed;
  for (const BitTest& test : instruction.decode) {
    for (auto i = static_cast<int64_t>(std::bit_width(test.low ^ test.high)); i < test.bits; ++i) {
      fixed.mask.set(static_cast<size_t>(test.at + i));
      fixed.value.set(static_cast<size_t>(test.at + i), ((test.low >> i) & 1U) != 0);
    }
  }
  return fixed;
}

/// Blocks of commands that are looked at for one pair of instructions, and for all pairs of a machine.
constexpr int kMostCubes = 1 << 20, kMostCubesOfAll = 1 << 23;

/// A command that passes all tests from `next` on and lies in `so_far`; none after `left` blocks.
std::optional<Cube> passing(const std::vector<BitTest>& tests, size_t next, const Cube& so_far, int& left) {
  if (next == tests.size()) return so_far;
  for (const Cube& cube : cubes_of(tests[next])) {
    if (--left < 0) return std::nullopt;
    const std::optional<Cube> narrowed = both(so_far, cube);
    if (!narrowed) continue;
    if (std::optional<Cube> found = passing(tests, next + 1, *narrowed, left)) return found;
  }
  return std::nullopt;
}

Diagnostic too_many_ranges(const Instruction& one, const Instruction& other) {
  return {"BEH0007",
          one.where,
          one.name,
          fmt::format("ranges of too many fields to tell it from {}", other.name),
          fmt::format("{} tests", one.decode.size()),
          {},
          "decode ranges of fewer fields"};
}

bool passes(const BitTest& test, const std::vector<uint8_t>& bits) {
  const uint64_t value = extracted(bits, test.at, test.bits);
  return test.low <= value && value <= test.high;
}

Command command_of(const Port& port, const Cube& cube) {
  Command command;
  command.data.resize(static_cast<size_t>(port.data_bits / 8));
  const auto is_set = [&](int64_t at) { return (cube.value & cube.mask).test(static_cast<size_t>(at)); };
  for (int64_t i = 0; i < port.data_bits; ++i) {
    if (is_set(i)) command.data[static_cast<size_t>(i / 8)] |= static_cast<uint8_t>(1U << (i % 8));
  }
  for (int64_t i = 0; i < port.address_bits; ++i) {
    if (is_set(port.data_bits + i)) command.address |= uint64_t{1} << i;
  }
  command.writes = port.is_stream || is_set(port.data_bits + port.address_bits);
  return command;
}

/// Commands that an instruction asks for: the numbers that are allowed of each group of bits, the bits that this fixes,
/// and the blocks that each test would make.
struct Asked {
  struct Numbers {
    BitTest test;
    size_t blocks = 0;
  };

  explicit Asked(const Instruction& instruction) : fixed(fixed_of(instruction)) {
    for (const BitTest& test : instruction.decode) add({test, cubes_of(test).size()});
  }

  void add(const Numbers& one) {
    const auto [known, is_new] = numbers.try_emplace({one.test.at, one.test.bits}, one);
    if (is_new) return;
    BitTest& test = known->second.test;
    test.low = std::max(test.low, one.test.low);
    test.high = std::min(test.high, one.test.high);
    known->second.blocks = std::min(known->second.blocks, one.blocks);
  }

  /// Tests of both, those of the fewest blocks first.
  std::vector<BitTest> with(const Asked& other) const {
    Asked all = *this;
    for (const auto& [bits, one] : other.numbers) all.add(one);
    std::vector<Numbers> sorted;
    for (const auto& [bits, one] : all.numbers) sorted.push_back(one);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Numbers& a, const Numbers& b) { return a.blocks < b.blocks; });
    std::vector<BitTest> tests;
    for (const Numbers& one : sorted) tests.push_back(one.test);
    return tests;
  }

  Cube fixed;
  std::map<std::pair<int64_t, int64_t>, Numbers> numbers;
};

/// A command that passes all tests. Throws Failure BEH0007 if that takes more than `left_of_all` blocks to tell.
std::optional<Cube> common(const std::vector<BitTest>& tests, const Instruction& one, const Instruction& other,
                           int& left_of_all) {
  const int allowed = std::min(kMostCubes, left_of_all);
  int left = allowed - static_cast<int>(tests.size());
  std::optional<Cube> found = passing(tests, 0, {}, left);
  if (left < 0) throw Failure{too_many_ranges(one, other)};
  left_of_all -= allowed - left;
  return found;
}

}  // namespace

std::vector<uint8_t> bits_of(const Port& port, const Command& command) {
  std::vector<uint8_t> bits = command.data;
  bits.resize(static_cast<size_t>((port.data_bits + port.address_bits + 8) / 8));
  const auto set = [&](int64_t at) { bits[static_cast<size_t>(at / 8)] |= static_cast<uint8_t>(1U << (at % 8)); };
  for (int64_t i = 0; i < port.address_bits; ++i) {
    if (((command.address >> i) & 1U) != 0) set(port.data_bits + i);
  }
  if (command.writes) set(port.data_bits + port.address_bits);
  return bits;
}

uint64_t extracted(const std::vector<uint8_t>& bytes, int64_t at, int64_t bits) {
  uint64_t value = 0;
  for (int64_t i = at / 8; i <= (at + bits - 1) / 8; ++i) {
    const uint64_t byte = bytes[static_cast<size_t>(i)];
    const int64_t place = 8 * i - at;
    value |= place < 0 ? byte >> -place : byte << place;
  }
  return bits > 63 ? value : value & ((uint64_t{1} << bits) - 1);
}

std::optional<uint32_t> decoded(const Behaviour& behaviour, const std::vector<uint32_t>& among,
                                const std::vector<uint8_t>& bits) {
  for (const uint32_t one : among) {
    const std::vector<BitTest>& tests = behaviour.instructions[one].decode;
    if (std::all_of(tests.begin(), tests.end(), [&](const BitTest& test) { return passes(test, bits); })) return one;
  }
  return std::nullopt;
}

/// Instructions that are named where none is a command, the nearest first.
constexpr size_t kMostNamed = 16;

Diagnostic not_decoded(const Behaviour& behaviour, const std::vector<uint32_t>& among, const Command& command,
                       const std::vector<uint8_t>& bits) {
  const auto failed = [&](uint32_t one) {
    const std::vector<BitTest>& tests = behaviour.instructions[one].decode;
    return std::count_if(tests.begin(), tests.end(), [&](const BitTest& test) { return !passes(test, bits); });
  };
  std::vector<uint32_t> nearest = among;
  std::stable_sort(nearest.begin(), nearest.end(), [&](uint32_t a, uint32_t b) { return failed(a) < failed(b); });
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(nearest.size(), kMostNamed); ++i) {
    names.push_back(behaviour.instructions[nearest[i]].name);
  }
  if (nearest.size() > kMostNamed) names.push_back(fmt::format("{} others", nearest.size() - kMostNamed));
  std::string fix = "give the port an instruction";
  if (!nearest.empty()) {
    const Instruction& instruction = behaviour.instructions[nearest.front()];
    const BitTest& test = *std::find_if(instruction.decode.begin(), instruction.decode.end(),
                                        [&](const BitTest& one) { return !passes(one, bits); });
    fix = fmt::format(
        "nearest is {}, whose bits {} to {} are {}", instruction.name, test.at, test.at + test.bits - 1,
        test.low == test.high ? fmt::format("{:#x}", test.low) : fmt::format("{:#x} to {:#x}", test.low, test.high));
  }
  return {"BEH0030",     {}, behaviour.machine, "no instruction is this command", text_of(command), std::move(names),
          std::move(fix)};
}

std::string text_of(const Command& command) {
  std::string text = fmt::format("{} {:#010x}", command.writes ? "write" : "read", command.address);
  if (!command.writes) return text;
  text += ' ';
  for (auto byte = command.data.rbegin(); byte != command.data.rend(); ++byte) text += fmt::format("{:02x}", *byte);
  return text;
}

void check_decodes(const Behaviour& behaviour) {
  std::vector<Asked> asked;
  for (const Instruction& one : behaviour.instructions) asked.emplace_back(one);
  int left_of_all = kMostCubesOfAll;
  for (size_t i = 0; i < asked.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      // Most pairs differ in a bit that both fix: a machine of thousands of instructions has millions of pairs.
      const Instruction &one = behaviour.instructions[i], &other = behaviour.instructions[j];
      if (one.port != other.port || !both(asked[i].fixed, asked[j].fixed)) continue;
      const std::optional<Cube> found = common(asked[i].with(asked[j]), one, other, left_of_all);
      if (!found) continue;
      throw Failure{{"BEH0007",
                     one.where,
                     one.name,
                     fmt::format("a command is this instruction and {}", other.name),
                     text_of(command_of(behaviour.ports[one.port], *found)),
                     {},
                     "let their decodes differ in a field"}};
    }
  }
}

}  // namespace covenant::acg::behaviour
