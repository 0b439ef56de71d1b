/// Tables of LOOKUP become tensors, which are loaded where sums leave them registers.
#include "compiler/families/vliw/lookup_tables.h"

#include <numeric>
#include <set>

#include "compiler/codelet/parse.h"
#include "compiler/codelet/print.h"
#include "tests/unit/vliw/build.h"

namespace covenant::compiler::vliw {
namespace {

using testing::hvx;

/// A table of 256 times the same byte.
std::string table(const std::string& digits) {
  std::string text;
  for (int i = 0; i < 256; ++i) text += digits;
  return "u8(\"" + text + "\")";
}

TablesInMemory made_of(const std::string& text) {
  const Result<codelet::Codelet> parsed = codelet::parse(text, "one.cdlt");
  EXPECT_TRUE(parsed) << (parsed ? "" : render(parsed.error()));
  return with_tables_in_memory(*parsed, hvx());
}

size_t place(const TablesInMemory& made, const std::string& text) {
  const std::string printed = codelet::print(made.codelet);
  EXPECT_NE(printed.find(text), std::string::npos) << text << " in " << printed;
  return printed.find(text);
}

TEST(LookupTables, HalvesOfAVectorAreInterleaved) {
  std::vector<uint8_t> bytes(256);
  std::iota(bytes.begin(), bytes.end(), uint8_t{0});
  const std::vector<uint8_t> lanes = lanes_of_table(bytes);
  EXPECT_EQ(std::vector(lanes.begin(), lanes.begin() + 4), (std::vector<uint8_t>{0, 64, 1, 65}));
  EXPECT_EQ(lanes[127], 127);
  EXPECT_EQ(lanes[128], 128);
  EXPECT_EQ(lanes[129], 192);
  EXPECT_EQ(std::set(lanes.begin(), lanes.end()).size(), 256U);
}

TEST(LookupTables, LieInFrontOfLoopsWithoutSums) {
  const TablesInMemory made = made_of(R"(cdlt one {
  x=inp([8,128],u8,"DRAM");
  y=out([8,128],u8,"DRAM");
  loop p(8) {
    x1=transfer(x[p,0],"VRF",[1,128]);
    y1=transfer(u8(0),"VRF",[1,128]);
    y1[0,0]=compute("HVX","LOOKUP",x1[0,0],)" +
                                      table("07") + R"();
    transfer(y1,y[p,0],[1,128]);
  }
}
)");
  ASSERT_EQ(made.tables.size(), 1U);
  EXPECT_EQ(made.tables[0].bytes, std::vector<uint8_t>(256, 7));
  EXPECT_LT(place(made, "table.0.held=transfer(table.0[0],\"VRF\",[256]);"), place(made, "loop p(8)"));
  place(made, "\"LOOKUP\",x1[0,0],table.0.held[0]");
}

TEST(LookupTables, LieWithinLoopsOfSumsAndOnlyOnce) {
  const std::string one = "    y1[0,0]=compute(\"HVX\",\"LOOKUP\",m1[0,0]," + table("07") + ");\n";
  const std::string other = "    y1[0,0]=compute(\"HVX\",\"LOOKUP\",y1[0,0]," + table("08") + ");\n";
  const TablesInMemory made = made_of(R"(cdlt one {
  x=inp([8,4,128],u8,"DRAM");
  y=out([8,128],u8,"DRAM");
  loop p(8) {
    m1=transfer(u8(0),"VRF",[1,128]);
    y1=transfer(u8(0),"VRF",[1,128]);
    loop k(4) {
      x1=transfer(x[p,k,0],"VRF",[1,1,128]);
      m1[0,0]=compute("HVX","REDUCE_MAX",x1[0,0,0]);
    }
)" + one + other + one + R"(    transfer(y1,y[p,0],[1,128]);
  }
}
)");
  EXPECT_EQ(made.tables.size(), 2U);
  EXPECT_GT(place(made, "table.0.held=transfer("), place(made, "\"REDUCE_MAX\""));
  EXPECT_LT(place(made, "table.0.held=transfer("), place(made, "\"LOOKUP\",m1[0,0],table.0.held[0]"));
  EXPECT_LT(place(made, "table.1.held=transfer("), place(made, "\"LOOKUP\",y1[0,0],table.1.held[0]"));
}

}  // namespace
}  // namespace covenant::compiler::vliw
