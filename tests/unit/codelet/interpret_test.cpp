#include "compiler/codelet/interpret.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

#include "acg/lang/load.h"
#include "compiler/codelet/parse.h"
#include "compiler/codelet/print.h"
#include "compiler/library/library.h"

namespace covenant::compiler::codelet {
namespace {

template <typename T>
std::vector<uint8_t> bytes_of(const std::vector<T>& values) {
  std::vector<uint8_t> result(values.size() * sizeof(T));
  std::memcpy(result.data(), values.data(), result.size());
  return result;
}

template <typename T>
std::vector<T> values_of(const std::vector<uint8_t>& data) {
  std::vector<T> result(data.size() / sizeof(T));
  std::memcpy(result.data(), data.data(), data.size());
  return result;
}

Codelet parsed(const std::string& text) {
  const Result<Codelet> made = parse(text, "test.cdlt");
  if (!made) throw std::runtime_error(render(made.error()));
  return *made;
}

Bindings run(const std::string& text, Bindings tensors, const acg::Machine* machine = nullptr) {
  const Status done = interpret(parsed(text), machine, tensors);
  if (!done) throw std::runtime_error(render(done.error()));
  return tensors;
}

acg::Machine genesys(const char* rows, const char* columns) {
  const Result<acg::Machine> machine = acg::load_machine("genesys", {{"M", rows}, {"N", columns}});
  if (!machine) throw std::runtime_error(render(machine.error()));
  return *machine;
}

/// Three windows of three elements, one every two: element [o, r] is element 2 * o + r of memory.
TEST(Interpret, ViewsShowMemorySeveralTimesOver) {
  const std::string text =
      "cdlt c { x=inp([3,3],i8,null,fill=7,strides=[2,1]); y=out([4,3],i8,null);"
      "loop o(4) { loop r(3) { y[o,r]=compute(null,\"MOVE\",x[o,r]); } } }";
  const Bindings made = run(text, {{"x", bytes_of<int8_t>({0, 1, 2, 3, 4, 5, 6, 99})}});
  EXPECT_EQ(values_of<int8_t>(made.at("y")), (std::vector<int8_t>{0, 1, 2, 2, 3, 4, 4, 5, 6, 7, 7, 7}));
  Bindings few{{"x", bytes_of<int8_t>({0, 1, 2, 3, 4, 5})}};
  EXPECT_EQ(interpret(parsed(text), nullptr, few).error().code, "CDL0021");
}

/// Eight lanes as four rows of two: those of y side by side, of x every third one, of b all the same.
TEST(Interpret, VectorsMayHaveRows) {
  const acg::Machine machine = genesys("8", "8");
  const std::string text =
      "cdlt c { x=inp([1,12,2],i32,null); b=inp([2],i32,null); y=out([1,4,2],i32,null);"
      "y[0,0,0]=compute(\"SIMD\",\"ADD\",x[0,1,0],b[0],rows=4,step0=3,step1=0); }";
  std::vector<int32_t> x(24);
  std::iota(x.begin(), x.end(), 0);
  const Bindings made = run(text, {{"x", bytes_of(x)}, {"b", bytes_of<int32_t>({100, 200})}}, &machine);
  EXPECT_EQ(values_of<int32_t>(made.at("y")), (std::vector<int32_t>{102, 203, 108, 209, 114, 215, 120, 221}));
}

TEST(Interpret, AddsScalars) {
  const Bindings made =
      run("cdlt add { a=inp([3],i8,null); b=inp([3],u8,null); c=out([3],i32,null);"
          "loop n(3) { c[n]=compute(null,\"ADD\",a[n],b[n]); } }",
          {{"a", bytes_of<int8_t>({-1, 2, 3})}, {"b", bytes_of<uint8_t>({255, 1, 0})}});
  EXPECT_EQ(values_of<int32_t>(made.at("c")), (std::vector<int32_t>{254, 3, 3}));
}

TEST(Interpret, ReadsFillOutsideAndDropsWritesOutside) {
  const Bindings made =
      run("cdlt c { x=inp([2],i8,null,fill=-7); y=out([2],i8,null);"
          "loop n(6) { y[n-2]=compute(null,\"MOVE\",x[n-3]); } }",
          {{"x", bytes_of<int8_t>({5, 6})}});
  EXPECT_EQ(values_of<int8_t>(made.at("y")), (std::vector<int8_t>{-7, 5}));
}

TEST(Interpret, CutsToTheDestination) {
  const Bindings made =
      run("cdlt c { x=inp([2],i32,null); y=out([2],u8,null);"
          "loop n(2) { y[n]=compute(null,\"MOVE\",x[n]); } }",
          {{"x", bytes_of<int32_t>({258, -1})}});
  EXPECT_EQ(values_of<uint8_t>(made.at("y")), (std::vector<uint8_t>{2, 255}));
}

TEST(Interpret, TheScopeOfALocalSaysWhatIsReduced) {
  // Made anew for each n: only m is reduced. The output would otherwise hold the sum over both.
  const Bindings made =
      run("cdlt c { x=inp([2,3],i8,null); y=out([2],i32,null);"
          "loop n(2) { t=transfer(i32(0),null,[1]);"
          "  loop m(3) { t[0]=compute(null,\"REDUCE_SUM\",x[n,m]); }"
          "  transfer(t,y[n],[1]); } }",
          {{"x", bytes_of<int8_t>({1, 2, 3, 10, 20, 30})}});
  EXPECT_EQ(values_of<int32_t>(made.at("y")), (std::vector<int32_t>{6, 60}));
}

TEST(Interpret, TransfersCopyBlocks) {
  const Bindings made =
      run("cdlt c { x=inp([2,3],u8,null,fill=9); y=out([3,3],u8,null);"
          "t=transfer(x[1,-1],null,[2,3]); transfer(t,y[1,1],[2,3]); }",
          {{"x", bytes_of<uint8_t>({1, 2, 3, 4, 5, 6})}});
  // t is [[9,4,5],[9,9,9]]; its last column falls off y.
  EXPECT_EQ(values_of<uint8_t>(made.at("y")), (std::vector<uint8_t>{0, 0, 0, 0, 9, 4, 0, 9, 9}));
}

TEST(Interpret, AConstantFillsANewLocal) {
  const Bindings made = run("cdlt c { y=out([3],i32,null); t=transfer(i32(-4),null,[2]); transfer(t,y,[2]); }", {});
  EXPECT_EQ(values_of<int32_t>(made.at("y")), (std::vector<int32_t>{-4, -4, 0}));
}

TEST(Interpret, LocatedComputesWorkOnVectors) {
  const acg::Machine machine = genesys("2", "4");
  const Bindings made =
      run("cdlt c { a=inp([6],i32,\"DRAM\"); y=out([6],i32,\"DRAM\");"
          "loop n(0,6,4) { y[n]=compute(\"SIMD\",\"ADD\",a[n],i32(10)); } }",
          {{"a", bytes_of<int32_t>({1, 2, 3, 4, 5, 6})}}, &machine);
  EXPECT_EQ(values_of<int32_t>(made.at("y")), (std::vector<int32_t>{11, 12, 13, 14, 15, 16}));
}

TEST(Interpret, LocatedGemmReadsMatrices) {
  const acg::Machine machine = genesys("2", "3");
  const Bindings made =
      run("cdlt c { x=inp([2],u8,\"DRAM\"); w=inp([2,3],i8,\"DRAM\"); b=inp([3],i32,\"DRAM\");"
          "y=out([3],i32,\"DRAM\"); y[0]=compute(\"SA\",\"GEMM\",x[0],w[0,0],b[0]); }",
          {{"x", bytes_of<uint8_t>({255, 2})},
           {"w", bytes_of<int8_t>({-128, 1, 2, 3, 4, 5})},
           {"b", bytes_of<int32_t>({1, 2, 3})}},
          &machine);
  EXPECT_EQ(values_of<int32_t>(made.at("y")), (std::vector<int32_t>{1 - 255 * 128 + 6, 2 + 255 + 8, 3 + 510 + 10}));
}

TEST(Interpret, ReadsBoundParams) {
  const Bindings made =
      run("cdlt c { N=param(i32(2)); K=param(i32(40)); x=inp([N],i8,null); y=out([N],i32,null);"
          "loop n(N) { y[n]=compute(null,\"MUL\",x[n*1],K); } }",
          {{"x", bytes_of<int8_t>({3, -4})}});
  EXPECT_EQ(values_of<int32_t>(made.at("y")), (std::vector<int32_t>{120, -160}));
}

/// A convolution as a textbook writes it: nothing shared with the interpreter.
struct DirectConv {
  int n, ih, iw, ic, oh, ow, oc, kh, kw, stride_h, stride_w, top, left;
  int x_zero_point, y_zero_point, lowest, highest;

  template <typename X>
  std::vector<X> operator()(const std::vector<X>& x, const std::vector<int8_t>& w, const std::vector<int32_t>& bias,
                            const std::vector<float>& scale) const {
    std::vector<X> y;
    for (int in = 0; in < n; ++in)
      for (int r = 0; r < oh; ++r)
        for (int c = 0; c < ow; ++c)
          for (int o = 0; o < oc; ++o) {
            int64_t sum = bias[static_cast<size_t>(o)];
            for (int i = 0; i < kh; ++i)
              for (int j = 0; j < kw; ++j)
                for (int k = 0; k < ic; ++k) {
                  const int row = r * stride_h + i - top;
                  const int column = c * stride_w + j - left;
                  const bool inside = row >= 0 && row < ih && column >= 0 && column < iw;
                  const int x_at = ((in * ih + row) * iw + column) * ic + k;
                  const int w_at = ((i * kw + j) * ic + k) * oc + o;
                  const int value = inside ? x[static_cast<size_t>(x_at)] : x_zero_point;
                  sum += (value - x_zero_point) * w[static_cast<size_t>(w_at)];
                }
            const double scaled = static_cast<double>(static_cast<float>(sum) * scale[static_cast<size_t>(o)]);
            const double rounded = std::nearbyint(scaled) + y_zero_point;
            y.push_back(static_cast<X>(std::clamp<double>(rounded, lowest, highest)));
          }
    return y;
  }
};

template <typename X>
void compare_with_direct(const DirectConv& conv, uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto between = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  const auto size = [](auto... extents) { return (static_cast<size_t>(extents) * ...); };
  std::vector<X> x(size(conv.n, conv.ih, conv.iw, conv.ic));
  std::vector<int8_t> w(size(conv.kh, conv.kw, conv.ic, conv.oc));
  std::vector<int32_t> bias(static_cast<size_t>(conv.oc));
  std::vector<float> scale(bias.size());
  for (X& value : x) value = static_cast<X>(between(0, 255));
  for (int8_t& value : w) value = static_cast<int8_t>(between(-128, 127));
  for (int32_t& value : bias) value = between(-5000, 5000);
  for (float& value : scale) value = std::uniform_real_distribution<float>(0.0002F, 0.01F)(random);
  // The codelet wants the input's zero point folded into the bias.
  std::vector<int32_t> folded = bias;
  for (size_t i = 0; i < w.size(); ++i) folded[i % folded.size()] -= conv.x_zero_point * w[i];

  Codelet codelet = *library_codelet("conv");
  const std::map<std::string, int> params{{"N", conv.n},
                                          {"IH", conv.ih},
                                          {"IW", conv.iw},
                                          {"IC", conv.ic},
                                          {"OH", conv.oh},
                                          {"OW", conv.ow},
                                          {"OC", conv.oc},
                                          {"KH", conv.kh},
                                          {"KW", conv.kw},
                                          {"SH", conv.stride_h},
                                          {"SW", conv.stride_w},
                                          {"PT", conv.top},
                                          {"DH", 1},
                                          {"DW", 1},
                                          {"PL", conv.left},
                                          {"ZX", conv.x_zero_point},
                                          {"ZY", conv.y_zero_point},
                                          {"LOWEST", conv.lowest},
                                          {"HIGHEST", conv.highest}};
  const std::map<std::string, DType> dtypes{
      {"x", std::is_signed_v<X> ? DType::kI8 : DType::kU8}, {"w", DType::kI8},   {"b", DType::kI32}, {"s", DType::kF32},
      {"y", std::is_signed_v<X> ? DType::kI8 : DType::kU8}, {"acc", DType::kI32}};
  for (Surrogate& surrogate : codelet.surrogates) {
    if (surrogate.kind == SurrogateKind::kParam) {
      surrogate.value = Constant{DType::kI32, params.at(surrogate.name), 0};
    } else {
      surrogate.dtype = dtypes.at(surrogate.name);
    }
  }
  Bindings tensors{{"x", bytes_of(x)}, {"w", bytes_of(w)}, {"b", bytes_of(folded)}, {"s", bytes_of(scale)}};
  const Status done = interpret(codelet, nullptr, tensors);
  ASSERT_TRUE(done) << render(done.error());
  EXPECT_EQ(values_of<X>(tensors.at("y")), conv(x, w, bias, scale)) << "seed " << seed;
}

TEST(Interpret, ConvolutionEqualsTheDirectLoops) {
  compare_with_direct<uint8_t>({1, 5, 6, 3, 5, 6, 4, 3, 3, 1, 1, 1, 1, 7, 3, 0, 255}, 1);
  compare_with_direct<int8_t>({2, 7, 7, 2, 4, 4, 5, 3, 3, 2, 2, 1, 1, -9, -3, -128, 127}, 2);
  compare_with_direct<uint8_t>({1, 4, 4, 5, 4, 4, 3, 1, 1, 1, 1, 0, 0, 128, 0, 10, 200}, 3);
  compare_with_direct<int8_t>({1, 8, 5, 1, 2, 5, 2, 5, 2, 3, 1, 0, 1, 4, 1, -100, 100}, 4);
}

}  // namespace
}  // namespace covenant::compiler::codelet
