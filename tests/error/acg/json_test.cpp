// JSON that describes no machine: ACG0029, and the codes of the text form.
#include "acg/lang/json.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/unit/acg/small_machine.h"

namespace covenant::acg {
namespace {

using Json = nlohmann::json;

Diagnostic refused(const std::string& text) {
  const Result<Machine> machine = from_json(text, "m.json");
  if (!machine) return machine.error();
  ADD_FAILURE() << "accepted";
  return {};
}

template <typename Change>
Diagnostic refused_after(Change change) {
  Json json = Json::parse(to_json(testing::parsed(testing::kSmallMachine)));
  change(json);
  return refused(json.dump());
}

TEST(JsonErrors, NotJson) {
  for (const char* text : {"", "{", "acg m { }", "{\"name\": 1,}", "[1, 2"}) {
    const Diagnostic said = refused(text);
    EXPECT_EQ(said.code, "ACG0029");
    EXPECT_EQ(said.where.file, "m.json");
    EXPECT_EQ(said.fix, "write it as `covenant show --json` does");
  }
  EXPECT_EQ(refused(std::string(1'000'000, '[')).code, "ACG0029") << "depth is no danger";
}

TEST(JsonErrors, WrongForm) {
  EXPECT_EQ(refused("[]").code, "ACG0029");
  const Diagnostic missing = refused_after([](Json& json) { json["memories"][2].erase("banks"); });
  EXPECT_EQ(missing.code, "ACG0029");
  EXPECT_EQ(missing.subject, "/memories/2");
  EXPECT_EQ(missing.offending, "banks");
  const Diagnostic unknown = refused_after([](Json& json) { json["memories"][2]["bank"] = 1; });
  EXPECT_EQ(unknown.code, "ACG0029");
  EXPECT_EQ(unknown.offending, "bank");
  const Diagnostic type = refused_after([](Json& json) { json["memories"][2]["banks"] = "four"; });
  EXPECT_EQ(type.subject, "/memories/2/banks");
  EXPECT_EQ(type.offending, "\"four\"");
  EXPECT_EQ(refused_after([](Json& json) { json["memories"][2]["banks"] = 1.5; }).code, "ACG0029");
  EXPECT_EQ(refused_after([](Json& json) { json["memories"][2]["banks"] = -1; }).code, "ACG0029");
  EXPECT_EQ(refused_after([](Json& json) { json["word_bits"] = 4294967328; }).code, "ACG0029") << "32 modulo 2^32";
  EXPECT_EQ(refused_after([](Json& json) { json["memories"] = Json::object(); }).code, "ACG0029");
  EXPECT_EQ(refused_after([](Json& json) { json["mnemonics"][0]["fields"][0]["signed"] = 1; }).code, "ACG0029");
  EXPECT_EQ(refused_after([&](Json& json) { json["memories"][2]["banks"] = Json::array(); }).offending, "array");
}

TEST(JsonErrors, UnknownNames) {
  EXPECT_EQ(refused_after([](Json& json) { json["memories"][0]["kind"] = "disk"; }).code, "ACG0003");
  EXPECT_EQ(refused_after([](Json& json) { json["computes"][0]["unit"] = "gpu"; }).code, "ACG0003");
  EXPECT_EQ(refused_after([](Json& json) { json["computes"][0]["attributes"]["colour"] = 1; }).code, "ACG0003");
  EXPECT_EQ(refused_after([](Json& json) { json["computes"][0]["capabilities"][0]["output"]["dtype"] = "i9"; }).code,
            "ACG0003");
  EXPECT_EQ(refused_after([](Json& json) { json["mnemonics"][0]["does"] = "add"; }).code, "ACG0003");
  EXPECT_EQ(refused_after([](Json& json) { json["mnemonics"][0]["fields"][0]["kind"] = "field"; }).code, "ACG0003");
  const Diagnostic node = refused_after([](Json& json) { json["edges"][0]["to"] = "IMEMM"; });
  EXPECT_EQ(node.code, "ACG0015");
  EXPECT_EQ(node.subject, "/edges/0/to");
}

TEST(JsonErrors, MachinesThatTheTextFormWouldRefuse) {
  EXPECT_EQ(refused_after([](Json& json) {
              json["memories"][1]["name"] = "DRAM";
              json["edges"] = Json::array();
            }).code,
            "ACG0004");
  EXPECT_EQ(refused_after([](Json& json) { json["mnemonics"][1]["name"] = "GROUP"; }).code, "ACG0004");
  EXPECT_EQ(refused_after([](Json& json) { json["name"] = "two words"; }).code, "ACG0013");
  EXPECT_EQ(refused_after([](Json& json) { json["parameters"]["a b"] = 1; }).code, "ACG0013");
  EXPECT_EQ(refused_after([](Json& json) { json["preset"] = "a\"b"; }).code, "ACG0013");
  EXPECT_EQ(refused_after([](Json& json) { json["memories"][2]["banks"] = 5; }).code, "ACG0017");
  EXPECT_EQ(refused_after([](Json& json) { json["computes"][0]["attributes"]["input"] = 3; }).code, "ACG0015");
  EXPECT_EQ(refused_after([](Json& json) { json["computes"][0]["attributes"]["rows"] = "IN"; }).code, "ACG0013");
  EXPECT_EQ(refused_after([](Json& json) { json["computes"][1]["capabilities"][0]["inputs"] = Json::array(); }).code,
            "ACG0027");
  EXPECT_EQ(refused_after([](Json& json) { json["mnemonics"][2]["fields"][0]["operand"] = "value"; }).code, "ACG0024");
}

}  // namespace
}  // namespace covenant::acg
