// CDL0030..CDL0070: layers and machines that do not go together.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "compiler/codelet/parse.h"
#include "compiler/families/stream/double_buffer.h"
#include "compiler/library/folder.h"
#include "compiler/library/library.h"
#include "compiler/mapping/sequence.h"
#include "compiler/passes/bind.h"
#include "compiler/passes/fuse.h"
#include "compiler/passes/map.h"
#include "compiler/passes/pack.h"
#include "tests/support/acg/apart.h"
#include "tests/support/pipeline/searched.h"

namespace covenant::compiler {
namespace {

using codelet::Codelet;

Codelet parsed(const std::string& text) {
  const Result<Codelet> made = codelet::parse("cdlt bad { " + text + " }", "bad.cdlt");
  if (!made) throw std::runtime_error(render(made.error()));
  return *made;
}

acg::Machine genesys(const std::vector<std::pair<std::string, std::string>>& set = {}) {
  const Result<acg::Machine> machine = acg::load_machine("genesys", set);
  if (!machine) throw std::runtime_error(render(machine.error()));
  return *machine;
}

template <typename T>
void expect_error(const Result<T>& made, const std::string& code, const std::string& offending,
                  const std::string& subject = "bad") {
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, code) << render(made.error());
  EXPECT_EQ(made.error().offending, offending) << render(made.error());
  EXPECT_EQ(made.error().subject, subject);
  EXPECT_FALSE(made.error().fix.empty());
}

TEST(BindError, ParamsAndDtypes) {
  const Codelet source = parsed("N=param(); x=inp([N],null,null,fill=N); y=out([N],i8,null);");
  expect_error(bind(source, {"relu", {}, {{"x", DType::kI8}}}), "CDL0030", "N", "relu");
  expect_error(bind(source, {"relu", {{"N", int64_t{1}}, {"M", int64_t{1}}}, {}}), "CDL0031", "M", "relu");
  expect_error(bind(source, {"relu", {{"N", int64_t{1}}}, {{"z", DType::kI8}}}), "CDL0031", "z", "relu");
  expect_error(bind(source, {"relu", {{"N", int64_t{1}}, {"x", int64_t{1}}}, {}}), "CDL0031", "x", "relu");
  expect_error(bind(source, {"relu", {{"N", int64_t{1}}}, {}}), "CDL0032", "x", "relu");
  expect_error(bind(source, {"relu", {{"N", codelet::Constant{DType::kF32, 0, 3}}}, {{"x", DType::kI8}}}), "CDL0033",
               "N", "relu");
  expect_error(bind(source, {"relu", {{"N", int64_t{0}}}, {{"x", DType::kI8}}}), "CDL0033",
               "x=inp([0],i8,null,fill=0);", "relu");
  expect_error(bind(source, {"relu", {{"N", int64_t{1} << 31}}, {{"x", DType::kI8}}}), "CDL0033", "2147483648", "relu");
}

/// Which stage there is last, the compiler knows: another one is a mistake of its own.
TEST(MapError, NoPassMakesAnUnknownStage) {
  const Codelet bound = parsed("x=inp([4],i8,null); y=out([4],i8,null);");
  EXPECT_THROW(static_cast<void>(map_to_machine(bound, genesys(), "planned")), InternalError);
}

TEST(BindError, IndicesOutOfRange) {
  const Codelet source = parsed(
      "N=param(); x=inp([N],i8,null); y=out([N],i8,null);"
      "loop n(N) { y[n]=compute(null,\"MOVE\",x[n+1]); }");
  expect_error(bind(source, {"shift", {{"N", int64_t{4}}}, {}}), "CDL0024", "x[n + 1]", "shift");
}

TEST(BindError, ResultsThatAreNotWhole) {
  const auto bound = [](const std::string& declared, const std::string& body) {
    return bind(parsed("x=inp([4,6],i8,null); y=out([4,6],i8,null);" + declared + body), {"part", {}, {}});
  };
  const auto moved = [&](const std::string& loops, const std::string& to) {
    return bound("", loops + "y[" + to + "]=compute(null,\"MOVE\",x[0,0]);" +
                         std::string(static_cast<size_t>(std::ranges::count(loops, '{')), '}'));
  };
  EXPECT_TRUE(moved("loop a(4) { loop b(6) { ", "a,b"));
  EXPECT_TRUE(moved("loop a(4) { loop b(2) { loop c(3) { ", "a,b*3+c"));
  EXPECT_TRUE(moved("loop a(0,4,2) { loop d(2) { loop b(6) { ", "a+d,b"));
  EXPECT_TRUE(moved("loop a(4) { loop b(6) { ", "a,5-b"));
  EXPECT_TRUE(moved("loop a(1,5,1) { loop b(6) { loop k(3) { ", "a-1,b"));
  expect_error(bound("", ""), "CDL0026", "y, which no compute writes", "part");
  expect_error(moved("loop a(3) { loop b(6) { ", "a,b"), "CDL0026", "y[a,b]", "part");
  expect_error(moved("loop a(4) { loop b(0,6,2) { ", "a,b"), "CDL0026", "y[a,b]", "part");
  expect_error(moved("loop a(4) { loop b(2) { loop c(2) { ", "a,b*3+c"), "CDL0026", "y[a,b*3 + c]", "part");
  expect_error(moved("loop a(4) { loop b(2) { ", "a,a+b"), "CDL0026", "y[a,a + b]", "part");
  expect_error(moved("loop a(0) { loop b(6) { ", "a,b"), "CDL0026", "y, which no compute writes", "part");
  expect_error(bound("u=local([4,6],i8,null);",
                     "loop a(4) { loop b(6) { u[a,b]=compute(null,\"MOVE\",x[a,b]);"
                     "y[a,b]=compute(null,\"MOVE\",x[a,b]); } }"),
               "CDL0026", "u[a,b]", "part");
}

TEST(BindError, AttributesOutOfRange) {
  const auto bound = [](const std::string& attributes) {
    return bind(parsed("x=inp([4],i32,null); y=out([4],u8,null);"
                       "loop n(4) { y[n]=compute(null,\"REQUANT\",x[n],f32(1)," +
                       attributes + "); }"),
                {"quantise", {}, {}});
  };
  expect_error(bound("zero_point=256,lowest=0,highest=255"), "CDL0025", "256", "quantise");
  expect_error(bound("lowest=-1,highest=255"), "CDL0025", "-1", "quantise");
  expect_error(bound("lowest=9,highest=8"), "CDL0025", "8", "quantise");
  EXPECT_TRUE(bound("zero_point=255,lowest=9,highest=9"));
  expect_error(bound("lowest=0,highest=255,shift=16"), "CDL0025", "16", "quantise");
  EXPECT_TRUE(bound("lowest=0,highest=255,shift=-16"));
}

TEST(BindError, OtherDtypes) {
  expect_error(bind(parsed("x=inp([4],i8,null);"), {"move", {}, {{"x", DType::kU8}}}), "CDL0034", "u8", "move");
}

TEST(MapError, NoNodeCanDoIt) {
  expect_error(map(parsed("x=inp([4],i16,\"DRAM\"); y=out([4],i16,\"DRAM\");"
                          "loop n(4) { y[n]=compute(null,\"ADD\",x[n],i16(3)); }"),
                   genesys()),
               "CDL0040", "i16=ADD(i16,i16)");
}

TEST(MapError, OneElementWhereTheCodeletHasMany) {
  acg::Machine machine = genesys();
  for (acg::Compute& node : machine.computes) {
    std::erase_if(node.capabilities, [](const acg::Capability& capability) {
      return capability.name == "REQUANT" && capability.inputs[1].shape != std::vector<uint64_t>{1};
    });
  }
  expect_error(
      map(parsed("x=inp([64],i32,\"DRAM\"); s=inp([64],f32,\"DRAM\"); y=out([64],i8,\"DRAM\");"
                 "loop n(64) { y[n]=compute(null,\"REQUANT\",x[n],s[n],zero_point=0,lowest=-128,highest=127); }"),
          machine),
      "CDL0040", "s[n]");
}

TEST(MapError, CannotVectorise) {
  const auto mapped = [](const std::string& body) {
    return map(parsed("x=inp([8,8],i32,\"DRAM\"); y=out([8,8],i32,\"DRAM\"); loop n(8) { loop m(8) { " + body + " } }"),
               genesys());
  };
  expect_error(mapped("y[n,m]=compute(null,\"MOVE\",x[n,m*2]);"), "CDL0041", "x[n,m*2]");
  expect_error(mapped("y[n,m]=compute(null,\"MOVE\",x[m,m]);"), "CDL0041", "x[m,m]");
  expect_error(mapped("y=compute(null,\"MOVE\",x[n,m]);"), "CDL0041", "y");
  // An array of 3 rows and 5 columns cannot take the same loop for both.
  expect_error(
      map(parsed("x=inp([8],i8,\"DRAM\"); w=inp([8,8],i8,\"DRAM\"); b=inp([8],i32,\"DRAM\"); y=out([8],i32,\"DRAM\");"
                 "loop n(8) { y[n]=compute(null,\"GEMM\",x[n],w[n,n],b[n]); }"),
          genesys({{"M", "3"}, {"N", "5"}})),
      "CDL0041", "n");
  expect_error(
      map(parsed(
              "x=inp([8],i32,\"DRAM\"); y=out([8],i32,\"DRAM\"); loop n(2,8,1) { y[n]=compute(null,\"MOVE\",x[n]); }"),
          genesys()),
      "CDL0041", "n");
}

TEST(PackError, ReadInTwoWays) {
  expect_error(pack(parsed("x=inp([16],i8,\"DRAM\"); w=inp([16,16],i8,\"DRAM\"); b=inp([16],i32,\"DRAM\");"
                           "y=out([16],i32,\"DRAM\"); z=out([16,16],i8,\"DRAM\");"
                           "y[0]=compute(\"SA\",\"GEMM\",x[0],w[0,0],b[0]);"
                           "loop n(16) { z[n,0]=compute(\"SIMD\",\"MAX\",w[n,0],i32(0)); }"),
                    genesys()),
               "CDL0042", "w");
}

TEST(PackError, AViewEndsWithinAMatrix) {
  const auto packed = [](const std::string& shape) {
    return pack(parsed("x=inp([16],i8,\"DRAM\"); w=inp(" + shape +
                       ",i8,\"DRAM\",strides=[64,1]);"
                       "b=inp([16],i32,\"DRAM\"); y=out([16],i32,\"DRAM\");"
                       "y[0]=compute(\"SA\",\"GEMM\",x[0],w[0,0],b[0]);"),
                genesys());
  };
  EXPECT_TRUE(packed("[32,16]"));
  expect_error(packed("[24,16]"), "CDL0043", "w=inp([24,16],i8,\"DRAM\",strides=[64,1]);");
  expect_error(packed("[16,20]"), "CDL0043", "w=inp([16,20],i8,\"DRAM\",strides=[64,1]);");
}

const char* const kTensors = "x=inp([4,16],i32,\"DRAM\"); y=out([4,16],i32,\"DRAM\"); z=out([4,16],i32,\"DRAM\"); ";

TEST(TileError, OtherShapesOfCodelets) {
  const auto tiled = [](const std::string& body) { return test::tile(parsed(kTensors + body), genesys()); };
  expect_error(tiled("loop n(4) { loop m(2) { y[n,0]=compute(\"SIMD\",\"MOVE\",x[n,0]); "
                     "z[n,m]=compute(\"SIMD\",\"MOVE\",x[n,0]); } }"),
               "CDL0050", "m");
  expect_error(tiled("loop n(4) { y[n,0]=compute(\"SIMD\",\"MOVE\",x[3-n,0]); }"), "CDL0050", "-n + 3");
  expect_error(
      tiled("loop n(4) { y[n,0]=compute(\"SIMD\",\"MOVE\",x[n,0]); y[n,0]=compute(\"SIMD\",\"MOVE\",x[n,0]); }"),
      "CDL0050", "y");
  expect_error(
      tiled("loop n(4) { y[n,0]=compute(\"SIMD\",\"MOVE\",x[n,0]); z[n,0]=compute(\"SIMD\",\"MOVE\",y[n,0]); }"),
      "CDL0050", "y");
  expect_error(tiled("loop n(1,4) { y[n,0]=compute(\"SIMD\",\"MOVE\",x[n,0]); }"), "CDL0050", "n");
  expect_error(tiled("t=transfer(x,\"VMEM1\",[4,16]); y[0,0]=compute(\"SIMD\",\"MOVE\",t[0,0]);"), "CDL0050",
               "transfer");
  expect_error(tiled("loop n(4) { y[n,0]=compute(\"SIMD\",\"MOVE\",x[n,-1]); }"), "CDL0050", "x[n,-1]");
  expect_error(tiled("loop n(4) { x[n,0]=compute(\"SIMD\",\"MOVE\",x[n,0]); }"), "CDL0050", "x");
}

TEST(TileError, RowsWrittenOverOneAnotherInAnotherOrder) {
  Codelet codelet = parsed(
      "x=inp([4,4,16],i32,\"DRAM\"); y=out([4,4,16],i32,\"DRAM\"); "
      "loop n(4) { loop m(4) { y[n,m,0]=compute(\"SIMD\",\"MOVE\",x[n,m,0]); } }");
  codelet.surrogates[1].logical_shape = {4, 4, 2};
  codelet.surrogates[1].strides = {8, 2, 1};
  EXPECT_TRUE(tile_problem(codelet, genesys(), 0));
  codelet.surrogates[1].strides = {2, 8, 1};
  expect_error(tile_problem(codelet, genesys(), 0), "CDL0050", "y[n,m,0]");
}

TEST(TileError, ABufferTooSmallForTheSmallestTile) {
  // Two vectors of 16 sums lie in one memory; one element of 32 bits per lane has 64 bytes.
  const Codelet sum = parsed(
      "a=inp([9,16],i32,\"DRAM\"); b=inp([9,16],i32,\"DRAM\"); y=out([9,16],i32,\"DRAM\"); loop n(9) {"
      "y[n,0]=compute(\"SIMD\",\"ADD\",a[n,0],b[n,0]); }");
  const Result<Codelet> made = test::tile(sum, genesys({{"vector_depth", "1"}}));
  expect_error(made, "CDL0051", "VMEM1");
  EXPECT_EQ(made.error().message, "one buffer of VMEM1 has 64 bytes, the smallest tiles need 128");
  EXPECT_EQ(made.error().allowed, std::vector<std::string>{"128 bytes or more"});
  EXPECT_TRUE(test::tile(sum, genesys({{"vector_depth", "2"}})));
}

TEST(TileError, NoMemoryOnTheWay) {
  // OBUF feeds the SIMD array, which cannot write it: the systolic array cannot read what the SIMD array made.
  expect_error(test::tile(parsed("x=inp([4,16],i8,\"DRAM\"); w=inp([1,1,16,16],i8,\"DRAM\"); b=inp([16],i32,\"DRAM\");"
                                 "y=out([4,16],i32,\"DRAM\"); t=local([4,16],i8,null); loop n(4) {"
                                 "t[n,0]=compute(\"SIMD\",\"MAX\",x[n,0],i32(0));"
                                 "y[n,0]=compute(\"SA\",\"GEMM\",t[n,0],w[0,0,0,0],b[0]); }"),
                          genesys()),
               "CDL0052", "t, 16 bytes at once");
}

TEST(TileError, NoWayBetweenATensorAndItsNode) {
  const acg::Machine machine = test::moved_from_dram(genesys(), "ROM", {"IMEM"});
  const auto moved = [&](const std::string& from, const std::string& to) {
    return test::tile(parsed("x=inp([4,16],i32,\"" + from + "\"); y=out([4,16],i32,\"" + to +
                             "\"); loop n(4) { y[n,0]=compute(\"SIMD\",\"MOVE\",x[n,0]); }"),
                      machine);
  };
  EXPECT_TRUE(moved("DRAM", "DRAM"));
  const Result<Codelet> read = moved("ROM", "DRAM");
  expect_error(read, "CDL0054", "x");
  EXPECT_EQ(read.error().message, "no way leads from ROM to the input of SIMD");
  EXPECT_EQ(read.error().allowed, (std::vector<std::string>{"ROM -> OBUF", "ROM -> VMEM1", "ROM -> VMEM2"}));
  const Result<Codelet> written = moved("DRAM", "ROM");
  expect_error(written, "CDL0054", "y");
  EXPECT_EQ(written.error().message, "no way leads from the output of SIMD to ROM, where results lie");
}

TEST(TileError, LimitsOfTheHardware) {
  stream::ExpressionLimits limits{.max_tile_loops = 0, .max_simd_loops = 1};
  const Codelet move = parsed(
      "x=inp([4,4,16],i32,\"DRAM\"); y=out([4,4,16],i32,\"DRAM\");"
      "loop n(4) { loop m(4) { y[n,m,0]=compute(\"SIMD\",\"MOVE\",x[n,m,0]); } }");
  const Result<Codelet> made = test::tile(move, genesys(), {}, limits);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, "CDL0053") << render(made.error());
  limits.max_tile_loops = 1;
  EXPECT_TRUE(test::tile(move, genesys(), {}, limits));
}

/// All five are alive at a time.
TEST(DoubleBufferError, Channels) {
  std::string text = "x=inp(\"DRAM\",[16],i32); y=out(\"DRAM\",[16],i32); ";
  const std::vector<std::string> locals{"a", "b", "c", "d", "e"};
  for (const std::string& local : locals) text += local + "=transfer(x[0],\"VMEM1\",[16]); ";
  for (const std::string& local : locals) text += "transfer(" + local + "[0],y[0],[16]); ";
  expect_error(stream::double_buffer(parsed(text), genesys()), "CDL0060", "5 locals");
}

TEST(DoubleBufferError, Capacity) {
  expect_error(stream::double_buffer(parsed("a=transfer(i32(0),\"OBUF\",[3,16]);"), genesys({{"output_depth", "2"}})),
               "CDL0061", "192 bytes");
}

/// A maker that goes over columns first, as a copy that turns its tensor, and a reader that counts elements row by row.
TEST(FuseError, DimensionsOfTheJointTensorLieInAnotherOrder) {
  const auto maker = [&](const char* strides) {
    return parsed(std::string("x=inp([2,3,4],i32,null); y=out([2,3,4],i32,null,strides=") + strides +
                  "); loop i(2) { loop j(3) { loop k(4) { y[i,j,k]=compute(null,\"MAX\",x[i,j,k],i32(3)); } } }");
  };
  const Codelet reader = parsed(
      "y=inp([6,4],i32,null); z=out([6,4],i32,null); loop p(6) { loop c(4) { "
      "z[p,c]=compute(null,\"MIN\",y[p,c],i32(9)); } }");
  ASSERT_TRUE(fuse(maker("[12,4,1]"), reader, {"y", {"y"}}));
  const Result<FusedCodelet> fused = fuse(maker("[4,8,1]"), reader, {"y", {"y"}});
  ASSERT_FALSE(fused);
  EXPECT_EQ(fused.error().code, "CDL0080");
  EXPECT_NE(fused.error().message.find("in another order"), std::string::npos) << fused.error().message;
}

TEST(FuseError, NoElementOfTheJointTensorIsMadeWhereItIsRead) {
  const Codelet maker =
      parsed("x=inp([4],i32,null); y=out([4],i32,null); loop i(4) { y[i]=compute(null,\"MAX\",x[i],i32(3)); }");
  const Codelet reader =
      parsed("y=inp([4],i32,null); z=out([1],i32,null); loop i(4) { z[0]=compute(null,\"REDUCE_SUM\",y[i]); }");
  const Result<FusedCodelet> fused = fuse(maker, reader, {"y", {"y"}});
  ASSERT_FALSE(fused);
  EXPECT_EQ(fused.error().code, "CDL0080");
  EXPECT_FALSE(fused.error().message.empty());
}

TEST(LibraryError, FoldersOfCodelets) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "covenant_error_codelets";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const auto loaded = [&] { return load_codelets(folder.string(), {"Add"}); };
  const auto write = [&](const char* file, const char* text) { std::ofstream(folder / file) << text; };
  expect_error(loaded(), "CDL0071", folder.string(), "");
  write("a.cdlt", "cdlt maximum { }");
  expect_error(loaded(), "CDL0072", "none", "maximum");
  write("a.cdlt", "cdlt maximum implements \"Add\" { }");
  expect_error(loaded(), "CDL0072", "Add", "maximum");
  write("a.cdlt", "cdlt conv implements \"Max\" { }");
  expect_error(loaded(), "CDL0072", "conv", "conv");
  write("a.cdlt", "cdlt maximum implements \"Max\" { x=inp([4],null,null); y=out([4],null,null); }");
  write("b.cdlt", "cdlt other implements \"Max\" { }");
  const auto twice = loaded();
  expect_error(twice, "CDL0072", "Max", "other");
  EXPECT_EQ(twice.error().where, (SourceLocation{(folder / "b.cdlt").string(), 1, 1}));
  write("a.cdlt", "cdlt maximum implements \"Max\" { x=inp([4],null,null); }");
  expect_error(loaded(), "CDL0073", "1 inp, 0 out", "maximum");
  write("a.cdlt", "cdlt maximum implements \"Max\" {\n x=inp([4],null,null); y=out([4],null,\"DRAM\"); }");
  expect_error(loaded(), "CDL0073", "DRAM", "maximum");
  write("a.cdlt", "cdlt maximum implements \"Max\" { x=inp([4],null,null); y=out([4],null,null); }");
  write("b.cdlt", "cdlt other implements \"Min\" { x=inp([4],null,null); y=out([4],null,null); }");
  EXPECT_TRUE(loaded());
  std::filesystem::remove_all(folder);
}

TEST(LibraryError, UnknownCodelet) {
  const Result<Codelet> made = library_codelet("softmax");
  expect_error(made, "CDL0070", "softmax", "");
  EXPECT_EQ(made.error().allowed, library_names());
}

}  // namespace
}  // namespace covenant::compiler
