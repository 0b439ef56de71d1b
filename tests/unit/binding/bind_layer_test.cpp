/// Codelets of layers whose tensors lie as views: what of a tensor is left where it repeats its elements.
#include "compiler/binding/bind_layer.h"

#include <gtest/gtest.h>
#include <sstream>

#include "compiler/codelet/parse.h"
#include "compiler/codelet/print.h"

namespace covenant::compiler {
namespace {

using Strides = std::vector<uint64_t>;
using Lines = std::vector<std::string>;

/// [2,3,4]
Storage view(const Strides& strides) {
  const std::vector<uint64_t> shape{2, 3, 4};
  Storage storage;
  storage.memory = "DRAM";
  for (size_t d = 0; d < shape.size(); ++d) storage.dimensions.push_back({shape[d], 0, 0, {{shape[d], strides[d]}}});
  return storage;
}

/// One compute for each element of y, of `tensors` with their strides: those, and what is computed, once they are
/// bound.
Lines bound(const std::string& compute, const std::vector<std::pair<std::string, Strides>>& tensors) {
  std::string text = "cdlt sum {\n  A=param(); B=param(); C=param(); LOWEST=param();\n";
  NetworkLayer layer{.layer = {"layer", {}}, .operation = "sum"};
  layer.layer.params = {{"A", int64_t{2}}, {"B", int64_t{3}}, {"C", int64_t{4}}, {"LOWEST", int64_t{0}}};
  for (const auto& [name, strides] : tensors) {
    text += "  " + name + "=" + (name == "y" ? "out" : "inp") + "([A,B,C],null,null);\n";
    layer.layer.dtypes[name] = DType::kU8;
    layer.views[name] = view(strides);
  }
  text += "  loop a(A) { loop b(B) { loop c(C) { " + compute + " } } }\n}\n";
  const Result<codelet::Codelet> codelet = codelet::parse(text, "sum.cdlt");
  if (!codelet) return {render(codelet.error())};
  const Result<codelet::Codelet> made = bind_layer(*codelet, layer);
  if (!made) return {made.error().code + " " + made.error().subject};
  std::istringstream stream(codelet::print(*made));
  Lines lines;
  for (std::string line; std::getline(stream, line);) {
    if (line.find('=') != std::string::npos) lines.push_back(line.substr(line.find_first_not_of(' ')));
  }
  return lines;
}

TEST(BindLayer, ATensorHasNoDimensionWhereItRepeatsItsElements) {
  const Lines lines = bound("y[a,b,c]=compute(null,\"MAX\",p[a,b,c],LOWEST);", {{"p", {4, 0, 1}}, {"y", {12, 4, 1}}});
  EXPECT_EQ(lines, (Lines{"p=inp([2,4],u8,null,strides=[4,1]);", "y=out([2,3,4],u8,null,strides=[12,4,1]);",
                          "y[a,b,c]=compute(null,\"MAX\",p[a,c],i32(0));"}));
}

TEST(BindLayer, OtherTensorsKeepTheirs) {
  const std::string sum = "y[a,b,c]=compute(null,\"ADD\",p[a,b,c],q[a,b,c]);";
  EXPECT_EQ(bound(sum, {{"p", {0, 4, 1}}, {"q", {12, 4, 1}}, {"y", {12, 4, 1}}}),
            (Lines{"p=inp([3,4],u8,null,strides=[4,1]);", "q=inp([2,3,4],u8,null,strides=[12,4,1]);",
                   "y=out([2,3,4],u8,null,strides=[12,4,1]);", "y[a,b,c]=compute(null,\"ADD\",p[b,c],q[a,b,c]);"}));
  EXPECT_EQ(bound(sum, {{"p", {12, 4, 1}}, {"q", {0, 0, 1}}, {"y", {12, 4, 1}}}),
            (Lines{"p=inp([2,3,4],u8,null,strides=[12,4,1]);", "q=inp([4],u8,null,strides=[1]);",
                   "y=out([2,3,4],u8,null,strides=[12,4,1]);", "y[a,b,c]=compute(null,\"ADD\",p[a,b,c],q[c]);"}));
}

TEST(BindLayer, AVectorOfOneElementIsRefused) {
  const Lines lines = bound("y[a,b,c]=compute(null,\"MAX\",p[a,b,c],LOWEST);", {{"p", {3, 1, 0}}, {"y", {12, 4, 1}}});
  EXPECT_EQ(lines, (Lines{"NET0020 p"}));
}

}  // namespace
}  // namespace covenant::compiler
