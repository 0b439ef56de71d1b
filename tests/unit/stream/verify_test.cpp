/// The verifier finds what is wrong with broken code, and nothing with sound code.
#include "compiler/families/stream/verify.h"

#include "compiler/families/stream/operand_values.h"
#include "listing.h"

namespace covenant::compiler::stream {
namespace {

using acg::Operation;

class Verify : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string text = R"(cdlt copy {
      x=inp([4,16],u8,"DRAM"); y=out([4,16],u8,"DRAM");
      loop p(0,4,1) {
        x1=transfer(x[p,0],"VMEM1",[1,16],slot=0,offset=0);
        y1=transfer(u8(0),"VMEM2",[1,16],slot=0,offset=0);
        loop i(1) { y1[i,0]=compute("SIMD","MAX",x1[i,0],i32(3)); }
        transfer(y1,y[p,0],[1,16]);
      } })";
    code_ = *generate(parsed(text), machine_, {{"x", 0}, {"y", 256}}, "copy");
  }

  std::vector<acg::Instruction>& engine(const std::string& name) {
    return code_[acg::find_engine(acg::engines(machine_), name).value()];
  }

  /// Position of the first word that does `operation`.
  static size_t first(const std::vector<acg::Instruction>& words, Operation operation) {
    for (size_t i = 0; i < words.size(); ++i) {
      if (words[i].operation == operation) return i;
    }
    ADD_FAILURE() << "no such word";
    return 0;
  }

  static void erase(std::vector<acg::Instruction>& words, size_t position) {
    words.erase(words.begin() + static_cast<int64_t>(position));
  }

  /// The problem found, or "".
  std::string problem(uint64_t memory_bytes = 512) const {
    return find_problem(code_, machine_, [&](acg::MemoryId) { return memory_bytes; }).value_or("");
  }

  acg::Machine machine_ = machine_of();
  BlockCode code_;
};

TEST_F(Verify, SoundCodeHasNoProblem) { EXPECT_EQ(problem(), ""); }

TEST_F(Verify, FindsAMissingWait) {
  std::vector<acg::Instruction>& simd = engine("SIMD");
  erase(simd, first(simd, Operation::kWait));
  EXPECT_NE(problem(), "");
}

TEST_F(Verify, FindsARace) {
  // The producer neither waits nor posts: tokens balance, the order is gone.
  for (const std::string name : {"DRAM->VMEM1", "SIMD"}) {
    std::vector<acg::Instruction>& words = engine(name);
    std::erase_if(words, [&](const acg::Instruction& word) {
      const bool is_token = word.operation == Operation::kWait || word.operation == Operation::kPost;
      return is_token && word.operands[0] == static_cast<int32_t>(acg::find_memory(machine_, "VMEM1")->value);
    });
  }
  EXPECT_NE(problem().find("race for bytes of VMEM1"), std::string::npos) << problem();
}

TEST_F(Verify, FindsWaitingForEver) {
  std::vector<acg::Instruction>& load = engine("DRAM->VMEM1");
  erase(load, first(load, Operation::kPost));
  EXPECT_NE(problem().find("waits for ever"), std::string::npos) << problem();
}

TEST_F(Verify, FindsTokensLeftOver) {
  std::vector<acg::Instruction>& load = engine("DRAM->VMEM1");
  const acg::Instruction wait = load[first(load, Operation::kWait)];
  load.push_back(wait);
  EXPECT_NE(problem().find("tokens instead of"), std::string::npos) << problem();
}

TEST_F(Verify, FindsAddressesOutOfBounds) {
  EXPECT_NE(problem(300).find("outside the program's memory"), std::string::npos) << problem(300);
  engine("DRAM->VMEM1")
      .insert(engine("DRAM->VMEM1").begin(),
              instruction(Operation::kBase, {{"operand", 5}, {"half", 0}, {"value", 4096}}));
  EXPECT_NE(problem().find("lie outside a buffer"), std::string::npos) << problem();
}

TEST_F(Verify, FindsTensorsReadAndWrittenInOneBlock) {
  std::vector<acg::Instruction>& store = engine("VMEM2->DRAM");
  store[first(store, Operation::kBase)].operands[acg::operand_index(Operation::kBase, "value")] = 0;
  EXPECT_NE(problem().find("race for bytes of DRAM"), std::string::npos) << problem();
}

TEST_F(Verify, FindsLoopsThatDoNotNest) {
  std::vector<acg::Instruction>& store = engine("VMEM2->DRAM");
  erase(store, first(store, Operation::kEnd));
  EXPECT_NE(problem(), "");
}

}  // namespace
}  // namespace covenant::compiler::stream
