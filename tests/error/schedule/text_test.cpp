/// Texts that are no schedules: SCH0001 and SCH0002, at their places.
#include <gtest/gtest.h>

#include "compiler/schedule/parse.h"

namespace covenant::compiler {
namespace {

struct Case {
  std::string code;
  uint32_t line, column;
  std::string offending;
  std::string text;
};

class ScheduleTextError : public ::testing::TestWithParam<Case> {};

TEST_P(ScheduleTextError, IsToldWithItsPlace) {
  const auto read = parse_schedules(GetParam().text, "my.schedule");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, GetParam().code) << render(read.error());
  EXPECT_EQ(read.error().where, (SourceLocation{"my.schedule", GetParam().line, GetParam().column}));
  EXPECT_EQ(read.error().offending, GetParam().offending);
  EXPECT_FALSE(read.error().allowed.empty());
  EXPECT_FALSE(read.error().fix.empty());
}

INSTANTIATE_TEST_SUITE_P(
    All, ScheduleTextError,
    ::testing::Values(Case{"SCH0001", 1, 1, "layers", "layers \"a\" {}"},                                      //
                      Case{"SCH0001", 1, 7, "a", "layer a {}"},                                                //
                      Case{"SCH0001", 1, 7, "\"a", "layer \"a {\n}"},                                          //
                      Case{"SCH0001", 1, 7, "\"\\y41\"", "layer \"\\y41\" {"},                                 //
                      Case{"SCH0001", 1, 7, "\"\\x4\"", "layer \"\\x4\" {"},                                   //
                      Case{"SCH0001", 1, 10, "tile", "layer \"a\"tile oh 1;"},                                 //
                      Case{"SCH0001", 2, 3, "tile", "layer \"a\" {\n  tile oh 1;"},                            //
                      Case{"SCH0001", 2, 19, "}", "layer \"a\" {\n  lowering \"plain\"}"},                     //
                      Case{"SCH0001", 1, 34, "7", "layer \"a\" {lowering \"plain\";tile 7 oh;"},               //
                      Case{"SCH0001", 1, 36, ";", "layer \"a\" {lowering \"plain\";tile oh;"},                 //
                      Case{"SCH0001", 1, 39, "is", "layer \"a\" {lowering \"plain\";tile oh 1 is 2;"},         //
                      Case{"SCH0001", 1, 38, "tile", "layer \"a\" {lowering \"plain\";order oh;tile oh 1;}"},  //
                      Case{"SCH0001", 1, 38, ";", "layer \"a\" {lowering \"plain\";order oh,;}"},              //
                      Case{"SCH0001", 1, 40, "end of text", "layer \"a\" {lowering \"plain\"; tile oh 1;"},    //
                      Case{"SCH0001", 1, 30, "loop", "layer \"a\" {lowering \"plain\"; loop oh 1; }"},         //
                      Case{"SCH0002", 1, 37, "0", "layer \"a\" {lowering \"plain\";tile oh 0;}"},              //
                      Case{"SCH0002", 1, 37, "7of", "layer \"a\" {lowering \"plain\";tile oh 7of 8;}"},        //
                      Case{"SCH0002", 1, 42, "2147483648",
                           "layer \"a\" {lowering \"plain\";tile oh 1 of 2147483648;}"}));  //

}  // namespace
}  // namespace covenant::compiler
