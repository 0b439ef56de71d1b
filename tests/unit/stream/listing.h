/// Prints words as text, for the tests of code generation.
#pragma once

#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <vector>

#include "acg/graph/queries.h"
#include "acg/isa/encode.h"
#include "acg/lang/load.h"
#include "compiler/codelet/parse.h"
#include "compiler/codelet/verify.h"
#include "compiler/families/stream/block.h"
#include "compiler/families/stream/encode.h"

namespace covenant::compiler::stream {

inline acg::Machine machine_of(const std::vector<std::pair<std::string, std::string>>& set = {}) {
  Result<acg::Machine> machine = acg::load_machine("genesys", set);
  EXPECT_TRUE(machine) << render(machine.error());
  return *machine;
}

inline codelet::Codelet parsed(const std::string& text) {
  Result<codelet::Codelet> codelet = codelet::parse(text, "test.cdlt");
  EXPECT_TRUE(codelet) << render(codelet.error());
  return *codelet;
}

/// One instruction a line, every engine under a line with its name.
inline std::string listing(const codelet::Codelet& codelet, const acg::Machine& machine,
                           const std::map<std::string, uint64_t>& addresses) {
  const Status verified = codelet::verify(codelet, &machine);
  EXPECT_TRUE(verified) << render(verified.error());
  const Result<BlockCode> code = generate(codelet, machine, addresses, "layer");
  if (!code) return render(code.error());
  const acg::Codec codec(machine);
  const std::vector<acg::Engine> engines = acg::engines(machine);
  std::ostringstream text;
  for (size_t engine = 0; engine < code->size(); ++engine) {
    if (code->at(engine).empty()) continue;
    text << engines[engine].name << "\n";
    for (const acg::Instruction& instruction : code->at(engine)) {
      const Result<acg::InstructionWord> word = codec.encode(instruction);
      text << "  " << (word ? codec.disassemble(*word) : render(word.error())) << "\n";
    }
  }
  return text.str();
}

}  // namespace covenant::compiler::stream
