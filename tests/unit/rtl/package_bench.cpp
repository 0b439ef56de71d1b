// Words and what they mean, from a file, against the functions of a generated package: package_bench CASES.
//
// A line is a word, its operation (0: it does not decode), and pairs of an operand's place and value.
#include <Vpackage_bench.h>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  VerilatedContext context;
  Vpackage_bench bench(&context);
  std::ifstream cases(argv[1]);
  uint64_t compared = 0;
  int failures = 0;
  for (std::string line; std::getline(cases, line) && failures < 20; ++compared) {
    std::istringstream fields(line);
    std::string word;  // hexadecimal, as many digits as it has
    uint32_t operation = 0;
    fields >> word >> operation;
    auto* bytes = reinterpret_cast<uint8_t*>(&bench.word_i);
    for (size_t i = 0; i < word.size() / 2; ++i) {
      bytes[i] = static_cast<uint8_t>(std::stoul(word.substr(word.size() - 2 * i - 2, 2), nullptr, 16));
    }
    bench.eval();
    if (bench.operation_o != operation) {
      std::printf("word %s: operation %u, not %u\n", word.c_str(), static_cast<unsigned>(bench.operation_o), operation);
      ++failures;
      continue;
    }
    for (uint32_t place = 0, value = 0; fields >> place >> value;) {
      const uint32_t found = bench.operands_o[place];
      if (found == value) continue;
      std::printf("word %s: operand %u is %08x, not %08x\n", word.c_str(), place, found, value);
      ++failures;
    }
  }
  bench.final();
  std::printf("%llu words\n", static_cast<unsigned long long>(compared));
  return failures == 0 && compared > 0 ? 0 : 1;
}
