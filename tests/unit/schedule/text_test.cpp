/// The text form of schedules: what is printed is read again as it was.
#include <gtest/gtest.h>
#include <random>

#include "compiler/schedule/parse.h"
#include "compiler/schedule/print.h"

namespace covenant::compiler {
namespace {

void expect_equal(const LayerSchedule& a, const LayerSchedule& b) {
  EXPECT_EQ(a.layer, b.layer);
  EXPECT_EQ(a.lowering, b.lowering);
  EXPECT_EQ(a.order, b.order);
  ASSERT_EQ(a.tiles.size(), b.tiles.size());
  for (size_t i = 0; i < a.tiles.size(); ++i) {
    EXPECT_EQ(a.tiles[i].loop, b.tiles[i].loop);
    EXPECT_EQ(a.tiles[i].size, b.tiles[i].size);
    EXPECT_EQ(a.tiles[i].trips, b.tiles[i].trips);
  }
  ASSERT_EQ(a.split.has_value(), b.split.has_value());
  if (!a.split || !b.split) return;
  EXPECT_EQ(a.split->loop, b.split->loop);
  EXPECT_EQ(a.split->at, b.split->at);
  EXPECT_EQ(a.split->nodes, b.split->nodes);
  EXPECT_EQ(a.split->order, b.split->order);
  EXPECT_EQ(a.split->tiles.size(), b.split->tiles.size());
}

TEST(ScheduleText, Form) {
  LayerSchedule schedule{"conv1", "rows", {{"oh", 7, 28, {}}, {"kw", 3, 0, {}}}, {"ow", "oh"}, {}, "541 cycles", {},
                         {},      {}};
  EXPECT_EQ(print_schedules("digits on genesys", {schedule}),
            "# digits on genesys\n"
            "\n"
            "layer \"conv1\" {  # 541 cycles\n"
            "  lowering \"rows\";\n"
            "  tile oh 7 of 28;\n"
            "  tile kw 3;\n"
            "  order ow, oh;\n"
            "}\n");
}

TEST(ScheduleText, FormOfTwoParts) {
  LayerSchedule schedule;
  schedule.layer = "conv1";
  schedule.lowering = "plain";
  schedule.tiles = {{"oh", 16, 48, {}}};
  schedule.split = SplitSchedule{"oh", 48, {"SA2", "SIMD2"}, {{"oc", 2, 4, {}}}, {"oc", "ow"}, {}, {}, {}};
  EXPECT_EQ(print_schedules("", {schedule}),
            "layer \"conv1\" {\n"
            "  lowering \"plain\";\n"
            "  tile oh 16 of 48;\n"
            "  split oh at 48 on SA2, SIMD2 {\n"
            "    tile oc 2 of 4;\n"
            "    order oc, ow;\n"
            "  }\n"
            "}\n");
}

TEST(ScheduleText, PlacesAndComments) {
  const auto read = parse_schedules(
      "# by hand\nlayer \"a\" { # 1 cycle\n  lowering \"plain\";\n  tile oh 2; tile ow\n    3 of 4;\n order oh,ow; }",
      "my.schedule");
  ASSERT_TRUE(read) << render(read.error());
  ASSERT_EQ(read->size(), 1U);
  const LayerSchedule& schedule = read->front();
  EXPECT_EQ(schedule.where, (SourceLocation{"my.schedule", 2, 7}));
  EXPECT_EQ(schedule.lowering_where, (SourceLocation{"my.schedule", 3, 12}));
  EXPECT_EQ(schedule.tiles.at(0).where, (SourceLocation{"my.schedule", 4, 8}));
  EXPECT_EQ(schedule.tiles.at(1).where, (SourceLocation{"my.schedule", 4, 19}));
  EXPECT_EQ(schedule.tiles.at(1).trips, 4);
  EXPECT_EQ(schedule.order_where, (SourceLocation{"my.schedule", 6, 8}));
  EXPECT_EQ(schedule.note, "");
  EXPECT_TRUE(parse_schedules("", "")->empty());
}

TEST(ScheduleText, RoundTripOfAnyNames) {
  std::mt19937 random(5);
  const auto draw = [&](uint32_t most) { return static_cast<uint32_t>(random()) % (most + 1); };
  for (int round = 0; round < 500; ++round) {
    std::vector<LayerSchedule> schedules(draw(4));
    for (LayerSchedule& schedule : schedules) {
      for (uint32_t i = draw(12); i > 0; --i) schedule.layer += static_cast<char>(draw(255));
      for (uint32_t i = draw(12); i > 0; --i) schedule.lowering += R"("\#x {};)"[draw(8)];
      for (uint32_t i = draw(5); i > 0; --i) {
        const std::string loop = "l" + std::to_string(draw(9));
        schedule.tiles.push_back({loop, static_cast<int64_t>(1 + draw(70000)), static_cast<int64_t>(draw(2)), {}});
        schedule.order.push_back(loop);
      }
      if (draw(1) == 1)
        schedule.split = SplitSchedule{"l1", 1 + draw(9), schedule.order, schedule.tiles, schedule.order, {}, {}, {}};
      schedule.note = "line\n\"break\" }";
    }
    const std::string text = print_schedules("any\nname", schedules);
    const auto read = parse_schedules(text, "");
    ASSERT_TRUE(read) << text << render(read.error());
    ASSERT_EQ(read->size(), schedules.size());
    for (size_t i = 0; i < schedules.size(); ++i) expect_equal((*read)[i], schedules[i]);
  }
}

}  // namespace
}  // namespace covenant::compiler
