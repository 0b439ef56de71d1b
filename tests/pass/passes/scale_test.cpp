// REQUANT becomes the operation that the machine offers, with the shift that suits the greatest scale.
#include "compiler/passes/scale.h"

#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "compiler/codelet/parse.h"
#include "compiler/codelet/print.h"

namespace covenant::compiler {
namespace {

/// `machine`: a name, or one and a way of scaling.
acg::Machine machine_of(const std::string& machine) {
  const size_t comma = machine.find(',');
  return *acg::load_machine(machine.substr(0, comma), comma == std::string::npos
                                                          ? std::vector<std::pair<std::string, std::string>>{}
                                                          : std::vector<std::pair<std::string, std::string>>{
                                                                {"requant", machine.substr(comma + 1)}});
}

codelet::Codelet scaled(const std::string& compute, const GreatestScales& greatest, const char* machine = "hvx") {
  const auto bound = codelet::parse(
      "cdlt one { x=inp([4],i32,null); z=inp([4],i8,null); s=inp([4],f32,null); "
      "y=out([4],i8,null); loop c(4) { y[c]=compute(null," +
          compute + ",highest=127,lowest=-128); } }",
      "test.cdlt");
  EXPECT_TRUE(bound) << (bound ? "" : render(bound.error()));
  return scale(*bound, greatest, machine_of(machine));
}

bool has(const codelet::Codelet& one, const std::string& text) {
  return codelet::print(one).find(text) != std::string::npos;
}

TEST(Scale, TheGreatestScaleDecidesTheShift) {
  const std::string requant = "\"REQUANT\",x[c],s[c],zero_point=3";
  EXPECT_TRUE(has(scaled(requant, {{"s", 0.01F}}), "\"REQUANT_FIXED\",x[c],s[c],highest=127,lowest=-128,shift=6,"));
  EXPECT_TRUE(has(scaled(requant, {{"s", 3.0F}}), "shift=-2,"));
  EXPECT_TRUE(has(scaled(requant, {{"s", 1e-9F}}), "shift=15,"));
  EXPECT_TRUE(has(scaled(requant, {{"s", 1e9F}}), "shift=-16,"));
  EXPECT_TRUE(has(scaled("\"REQUANT\",x[c],f32(0.25)", {}), "shift=1"));
}

TEST(Scale, WhatIsNotKnownOrNotWantedStays) {
  EXPECT_TRUE(has(scaled("\"REQUANT\",x[c],s[c]", {}), "\"REQUANT\","));
  EXPECT_TRUE(has(scaled("\"REQUANT\",x[c],s[c]", {{"s", 0.01F}}, "genesys"), "\"REQUANT\","));
}

TEST(Scale, SumsOfTwoAreInFixedPointToo) {
  const std::string add = "\"REQUANT_ADD\",z[c],z[c],f32(1),f32(1),f32(0)";
  EXPECT_TRUE(has(scaled(add, {}), "\"REQUANT_ADD_FIXED\","));
  EXPECT_TRUE(has(scaled(add, {}, "genesys"), "\"REQUANT_ADD\","));
}

/// Also that of the result: the sign of what is rounded decides.
TEST(Scale, HalvesAwayFromZeroAreSaidAndTakeTheZeroPointOut) {
  const char* const tflite = "genesys,fixed_tflite";
  EXPECT_TRUE(has(scaled("\"REQUANT\",x[c],f32(0.25),zero_point=3", {}, tflite), "half_away=1,"));
  EXPECT_TRUE(has(scaled("\"REQUANT_MUL\",z[c],z[c],f32(0.01),f32(-7),i32(3),i32(-4)", {}, tflite), "half_away=1,"));
  const std::string add = "\"REQUANT_ADD\",z[c],z[c],f32(1),f32(1),f32(5.5),zero_point=3";
  EXPECT_TRUE(has(scaled(add, {}, tflite),
                  "\"REQUANT_ADD_FIXED\",z[c],z[c],f32(0x1p+0),f32(0x1p+0),f32(0x1.4p+1),half_away=1,highest=127,"
                  "lowest=-128,zero_point=3)"));
  for (const char* up : {"genesys,fixed", "hvx"}) {
    const codelet::Codelet made = scaled(add, {}, up);
    EXPECT_TRUE(has(made, "f32(0x1.6p+2),highest=127,lowest=-128)")) << codelet::print(made);
  }
  EXPECT_TRUE(has(scaled(add, {}, "genesys"), "f32(0x1.6p+2),highest=127,lowest=-128,zero_point=3)"));
  EXPECT_FALSE(has(scaled("\"ADD\",z[c],z[c]", {}, tflite), "half_away"));
}

TEST(Scale, ProductsOfTwoHaveTheirZeroPointBesideThem) {
  const auto product = [](const char* scale, const char* offset, const char* machine = "hvx") {
    return scaled("\"REQUANT_MUL\",z[c],z[c]," + std::string(scale) + "," + offset + ",i32(3),i32(-4)", {}, machine);
  };
  EXPECT_TRUE(has(product("f32(0.01)", "f32(-7)"),
                  "\"REQUANT_MUL_FIXED\",z[c],z[c],f32(0x1.47ae14p-7),i32(3),i32(-4),highest=127,lowest=-128,shift=6,"
                  "zero_point=-7)"));
  EXPECT_TRUE(has(product("f32(3)", "f32(0)"), "shift=-2,zero_point=0)"));
  EXPECT_TRUE(has(product("f32(0.01)", "f32(0.5)"), "\"REQUANT_MUL\",")) << "half a step is no zero point";
  EXPECT_TRUE(has(product("f32(0.01)", "f32(0x1p40)"), "\"REQUANT_MUL\","));
  EXPECT_TRUE(has(product("f32(0.01)", "f32(3)", "genesys"), "\"REQUANT_MUL\","));
}

}  // namespace
}  // namespace covenant::compiler
