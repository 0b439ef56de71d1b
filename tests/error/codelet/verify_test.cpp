// CDL0010..CDL0022: inconsistent codelets, and tensors that do not fit.
#include "compiler/codelet/verify.h"

#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "compiler/codelet/indices.h"
#include "compiler/codelet/interpret.h"
#include "compiler/codelet/parse.h"

namespace covenant::compiler::codelet {
namespace {

Codelet parsed(const std::string& text) {
  const Result<Codelet> made = parse("cdlt bad { " + text + " }", "bad.cdlt");
  if (!made) throw std::runtime_error(render(made.error()));
  return *made;
}

const acg::Machine& genesys() {
  static const Result<acg::Machine> machine = acg::load_machine("genesys");
  return *machine;
}

void expect_error(const std::string& text, const std::string& code, const std::string& offending,
                  const acg::Machine* machine = &genesys()) {
  const Status verified = verify(parsed(text), machine);
  ASSERT_FALSE(verified) << text;
  EXPECT_EQ(verified.error().code, code) << render(verified.error());
  EXPECT_EQ(verified.error().offending, offending) << render(verified.error());
  EXPECT_EQ(verified.error().subject, "bad");
  EXPECT_EQ(verified.error().where.file, "bad.cdlt");
  EXPECT_FALSE(verified.error().fix.empty());
}

TEST(VerifyError, UndefinedNames) {
  expect_error("x=inp([N],i8,null);", "CDL0010", "N");
  expect_error("x=inp([4],i8,null); loop n(4) { x[n]=compute(null,\"MOVE\",y[n]); }", "CDL0010", "y");
  expect_error("x=inp([4],i8,null); x[n]=compute(null,\"MOVE\",x[0]);", "CDL0010", "n");
  expect_error("x=inp([4],i8,null); x[x]=compute(null,\"MOVE\",x[0]);", "CDL0010", "x");
  expect_error("x=inp([4],i8,null); loop n(4) { t=transfer(x,null,[4]); } transfer(t,x,[4]);", "CDL0010", "t");
}

TEST(VerifyError, NamesDefinedTwice) {
  expect_error("x=inp([4],i8,null); x=out([4],i8,null);", "CDL0011", "x");
  expect_error("loop n(4) { loop n(4) { } }", "CDL0011", "n");
  expect_error("x=inp([4],i8,null); loop x(4) { }", "CDL0011", "x");
  expect_error("i8=inp([4],i8,null);", "CDL0011", "i8");
}

TEST(VerifyError, NumberOfIndices) {
  expect_error("x=inp([4,4],i8,null); x[0]=compute(null,\"MOVE\",x[0,0]);", "CDL0012", "x[0]");
  expect_error("x=inp([4,4],i8,null,strides=[4]);", "CDL0012", "x=inp([4,4],i8,null,strides=[4]);");
  expect_error("y=out([4],i8,null,strides=[2,1]);", "CDL0012", "y=out([4],i8,null,strides=[2,1]);");
  expect_error("x=inp([4],i8,null,offset=2);", "CDL0012", "x=inp([4],i8,null,offset=2);");
  expect_error("x=inp([4],i8,null,strides=[1],offset=0-2);", "CDL0019", "-2");
  expect_error("x=inp([4],i8,null,strides=[0]);", "CDL0019", "0");
  expect_error("w=inp([4,4],i8,null,packing=[p0],logical_shape=[4,4]);", "CDL0012",
               "w=inp([4,4],i8,null,packing=[p0],logical_shape=[4,4]);");
  expect_error(
      "x=inp([16],u8,\"DRAM\"); w=inp([256],i8,\"DRAM\"); b=inp([16],i32,\"DRAM\"); y=out([16],i32,\"DRAM\");"
      "y[0]=compute(\"SA\",\"GEMM\",x[0],w[0],b[0]);",
      "CDL0012", "w[0]");
}

TEST(VerifyError, UnknownLocations) {
  expect_error("x=inp([4],i8,\"SRAM\");", "CDL0013", "SRAM");
  expect_error("x=inp([4],i8,null); t=transfer(x,\"SIMD\",[4]);", "CDL0013", "SIMD");
  expect_error("x=inp([4],i32,null); x[0]=compute(\"DRAM\",\"ADD\",x[0],x[0]);", "CDL0013", "DRAM");
  expect_error("x=inp([4],i32,null); x[0]=compute(\"SIMD\",\"ADD\",x[0],x[0]);", "CDL0013", "SIMD", nullptr);
}

TEST(VerifyError, MissingCapabilities) {
  expect_error("x=inp([4],i32,null); x[0]=compute(\"SA\",\"ADD\",x[0],x[0]);", "CDL0014", "ADD");
  expect_error("x=inp([4],i16,null); x[0]=compute(\"SIMD\",\"ADD\",x[0],x[0]);", "CDL0014", "ADD");
  expect_error("x=inp([4],i32,null); x[0]=compute(\"SIMD\",\"ADD\",x[0],x[0],rows=2);", "CDL0012", "x[0]");
  for (const char* rows : {"3", "0", "-2", "x"}) {
    expect_error("x=inp([4,4],i32,null); n=param(); x[0,0]=compute(\"SIMD\",\"ADD\",x[0,0],x[0,0],rows=" +
                     std::string(rows == std::string("x") ? "n" : rows) + ");",
                 "CDL0014", rows == std::string("x") ? "n" : rows);
  }
  expect_error("x=inp([4],i32,null); x[0]=compute(null,\"REQUANT\",x[0],x[0],lowest=0);", "CDL0014", "none");
}

TEST(VerifyError, TransfersWithoutAnEdge) {
  expect_error("x=inp([4],i8,\"DRAM\"); t=transfer(x,\"OBUF\",[4]);", "CDL0015", "DRAM -> OBUF");
  expect_error("x=inp([4],i8,\"DRAM\"); t=transfer(x,\"IBUF\",[4]); transfer(t,x,[4]);", "CDL0015", "IBUF -> DRAM");
}

TEST(VerifyError, OperandsOutOfReach) {
  expect_error("y=out([16],u8,\"DRAM\"); t=transfer(u8(0),\"IBUF\",[16]); y[0]=compute(\"SIMD\",\"MAX\",t[0],i32(3));",
               "CDL0016", "IBUF -> SIMD");
  expect_error("x=inp([16],u8,\"DRAM\"); t=transfer(u8(0),\"OBUF\",[16]); t[0]=compute(\"SIMD\",\"MAX\",x[0],i32(3));",
               "CDL0016", "SIMD -> OBUF");
}

TEST(VerifyError, LoopsThatDoNotAdvance) {
  expect_error("loop n(0,4,0) { }", "CDL0017", "0");
  expect_error("loop n(4,0,-1) { }", "CDL0017", "-1");
}

TEST(VerifyError, Transfers) {
  expect_error("x=inp([4,4],i8,null); t=transfer(x,null,[4]);", "CDL0018", "1");
  expect_error("x=inp([4],i8,null); y=out([4],u8,null); transfer(x,y,[4]);", "CDL0018", "i8");
  expect_error("y=out([4],u8,null); transfer(u8(3),y,[4]);", "CDL0018", "u8(3)");
}

TEST(VerifyError, WrittenInputs) {
  expect_error("x=inp([4],i8,null); loop n(4) { x[n]=compute(null,\"MOVE\",x[n]); }", "CDL0023", "x");
  expect_error("x=inp([4],i8,null); y=out([4],i8,null); transfer(y,x,[4]);", "CDL0023", "x");
}

TEST(VerifyError, PointsAtTheReference) {
  const auto place = [](const std::string& text) {
    const Status verified = verify(parsed("\n  x=inp([4],i8,null); y=out([4],i8,null);\n" + text), &genesys());
    EXPECT_FALSE(verified) << text;
    return verified ? SourceLocation{} : verified.error().where;
  };
  const auto at = [](uint32_t line, uint32_t column) { return SourceLocation{"bad.cdlt", line, column}; };
  EXPECT_EQ(place("  loop n(4) {\n    y[n]=compute(null,\"ADD\",x[n],z[n]); }"), at(4, 34));
  EXPECT_EQ(place("  y[0]=compute(null,\"ADD\",x[0],x[0,1]);"), at(3, 32));
  EXPECT_EQ(place("  transfer(y,x,[4]);"), at(3, 14));
  EXPECT_EQ(place("  t=transfer(u,\"VMEM1\",[4]);"), at(3, 14));
  EXPECT_EQ(place("  y[k]=compute(null,\"MOVE\",x[0]);"), at(3, 3));
}

TEST(VerifyError, Sizes) {
  expect_error("x=inp([4,0],i8,null);", "CDL0019", "0");
  expect_error("x=inp([4],i8,null); t=transfer(x,null,[-4]);", "CDL0019", "-4");
}

TEST(IndexError, LeavesItsTensor) {
  const auto expect = [](const std::string& text, uint32_t column, const std::string& message,
                         const std::string& allowed) {
    const Status checked = check_indices(parsed("x=inp([12],i8,null); y=out([12],i8,null);\n" + text));
    ASSERT_FALSE(checked) << text;
    EXPECT_EQ(checked.error().code, "CDL0024");
    EXPECT_EQ(checked.error().where, (SourceLocation{"bad.cdlt", 2, column}));
    EXPECT_EQ(checked.error().message, message);
    EXPECT_EQ(checked.error().allowed, std::vector<std::string>{allowed});
    EXPECT_FALSE(checked.error().fix.empty());
  };
  expect("loop n(13) { y[n]=compute(null,\"MOVE\",i8(0)); }", 14, "index 'n' takes values from 0 to 12", "0 to 11");
  expect("loop n(12) { y[n]=compute(null,\"MOVE\",x[n+1]); }", 39, "index 'n + 1' takes values from 1 to 12",
         "0 to 11");
  expect("loop n(12) { y[n]=compute(null,\"MOVE\",x[n-2]); }", 39, "index 'n - 2' takes values from -2 to 9",
         "0 to 11");
  expect("loop n(1,7,3) { loop m(3) { y[n*3-m]=compute(null,\"MOVE\",i8(0)); } }", 29,
         "index '-m + n*3' takes values from 1 to 12", "0 to 11");
  // The last value of a loop with a stride, loops that never run, and reads outside that are meant.
  for (const char* fine : {"loop n(0,14,3) { y[n-1*n]=compute(null,\"MOVE\",i8(0)); }",
                           "loop n(0,13,4) { y[n-1+1]=compute(null,\"MOVE\",i8(0)); }"}) {
    EXPECT_EQ(static_cast<bool>(check_indices(parsed("y=out([13],i8,null); " + std::string(fine)))), true) << fine;
  }
  EXPECT_TRUE(check_indices(parsed("y=out([3],i8,null); loop n(5,5) { y[n]=compute(null,\"MOVE\",i8(0)); }")));
  EXPECT_TRUE(
      check_indices(parsed("x=inp([3],i8,null,fill=0); y=out([3],i8,null);"
                           "loop n(3) { y[n]=compute(null,\"MOVE\",x[n-1]); }")));
}

void expect_interpret_error(const std::string& text, Bindings tensors, const std::string& code,
                            const std::string& offending) {
  const Status done = interpret(parsed(text), nullptr, tensors);
  ASSERT_FALSE(done) << text;
  EXPECT_EQ(done.error().code, code) << render(done.error());
  EXPECT_EQ(done.error().offending, offending) << render(done.error());
  EXPECT_FALSE(done.error().fix.empty());
}

TEST(InterpretError, NotBound) {
  expect_interpret_error("N=param(); x=inp([N],i8,null);", {}, "CDL0020", "N");
  expect_interpret_error("x=inp([4],null,null);", {}, "CDL0020", "dtype of x");
  expect_interpret_error("x=out([4],i8,null); loop n(4) { loop m(n) { x[n]=compute(null,\"MOVE\",i8(1)); } }", {},
                         "CDL0020", "n");
  expect_interpret_error("x=out([4],i8,null); loop n(4) { x[n*n]=compute(null,\"MOVE\",i8(1)); }", {}, "CDL0020",
                         "n*n");
}

TEST(InterpretError, Tensors) {
  expect_interpret_error("x=inp([4],i32,null);", {}, "CDL0021", "none");
  expect_interpret_error("x=inp([4],i32,null);", {{"x", std::vector<uint8_t>(4)}}, "CDL0021", "4 bytes");
}

TEST(InterpretError, SizesThatDoNotFit) {
  Result<acg::Machine> machine = acg::parse_machine(
      "acg small { memory M { kind = offchip; depth = 1M; } memory S { data_width = 8; banks = 4; depth = 16; }"
      "compute P { unit = described; (i32,2) = ADD((i32,2),(i32,2)); (i32,2) = MMUL((i8,2),(i8,2,2)); }"
      "edge M <-> S { bandwidth = 32; } edge S <-> P; }",
      "small.acg");
  ASSERT_TRUE(machine) << render(machine.error());
  // No text says so: ACG0067.
  for (acg::Capability& capability : machine->computes.at(0).capabilities) capability.output.shape = {3};
  for (const auto& [compute, what] :
       {std::pair{"\"ADD\",a[0],a[0]", "3 = ADD(2,2)"}, {"\"MMUL\",x[0],w[0,0]", "3 = MMUL(2,4)"}}) {
    Bindings tensors{{"a", std::vector<uint8_t>(8)}, {"x", std::vector<uint8_t>(2)}, {"w", std::vector<uint8_t>(4)}};
    const Status done = interpret(parsed("a=inp([2],i32,\"S\"); x=inp([2],i8,\"S\"); w=inp([2,2],i8,\"S\");"
                                         "y=out([3],i32,\"S\"); y[0]=compute(\"P\"," +
                                         std::string(compute) + ");"),
                                  &*machine, tensors);
    ASSERT_FALSE(done) << compute;
    EXPECT_EQ(done.error().code, "CDL0022") << render(done.error());
    EXPECT_EQ(done.error().offending, what);
  }
}

TEST(InterpretError, UnknownArithmetic) {
  expect_interpret_error("y=out([4],i32,null); y[0]=compute(null,\"COMPARE\",i32(3));", {}, "CDL0022", "COMPARE");
  expect_interpret_error("y=out([4],i32,null); y[0]=compute(null,\"SIGMOID\",i32(3));", {}, "CDL0022", "i32");
  expect_interpret_error("y=out([4],i32,null); y[0]=compute(null,\"TANH\",f32(3));", {}, "CDL0022", "i32");
  expect_interpret_error("y=out([4],f32,null); y[0]=compute(null,\"DIV\",f32(3),i32(1));", {}, "CDL0022", "i32");
  expect_interpret_error("y=out([4],u32,null); y[0]=compute(null,\"DIV\",u32(3),u32(1));", {}, "CDL0022", "u32");
  expect_interpret_error("y=out([4],u32,null); y[0]=compute(null,\"MAX\",u32(3),i32(1));", {}, "CDL0022", "u32");
  expect_interpret_error("y=out([4],f32,null); y[0]=compute(null,\"MAC\",f32(3),f32(1),f32(0));", {}, "CDL0022", "f32");
  expect_interpret_error("y=out([4],i32,null); y[0]=compute(null,\"ADD\",i32(3));", {}, "CDL0022", "1");
  expect_interpret_error("y=out([4],i32,null); y[0]=compute(null,\"ADD\",i32(3),f32(1));", {}, "CDL0022", "f32");
  expect_interpret_error("y=out([4],f32,null); y[0]=compute(null,\"ADD\",i32(3),i32(1));", {}, "CDL0022", "i32");
  expect_interpret_error("y=out([4],i8,null); y[0]=compute(null,\"REQUANT\",i32(3),i32(1),lowest=0,highest=1);", {},
                         "CDL0022", "i32");
  expect_interpret_error(
      "s=inp([1],f32,null); y=out([4],i8,null);"
      "y[0]=compute(null,\"REQUANT_ADD\",i8(3),i8(1),s[0],f32(0),f32(0),lowest=0,highest=1);",
      {{"s", std::vector<uint8_t>(4)}}, "CDL0022", "a tensor");
}

}  // namespace
}  // namespace covenant::compiler::codelet
