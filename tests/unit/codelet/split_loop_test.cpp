// A split loop covers the same elements.
#include "compiler/codelet/split_loop.h"

#include <gtest/gtest.h>

#include "compiler/codelet/interpret.h"
#include "compiler/codelet/parse.h"
#include "compiler/codelet/print.h"
#include "compiler/codelet/rewrite.h"

namespace covenant::compiler {
namespace {

using codelet::Codelet;

Codelet greatest(const std::string& index) {
  return *codelet::parse(
      "cdlt greatest { a=inp([6,2],u8,null); b=inp([6,2],u8,null,strides=[3,1],offset=1); "
      "y=out([6,2],u8,null); loop p(6) { loop c(2) { y[p,c]=compute(null,\"MAX\",a[" +
          index + ",c],b[p,c]); } } }",
      "test.cdlt");
}

std::vector<uint8_t> result_of(const Codelet& one) {
  codelet::Bindings tensors;
  for (uint8_t i = 0; i < 12; ++i) tensors["a"].push_back(static_cast<uint8_t>(37 * i));
  for (uint8_t i = 0; i < 18; ++i) tensors["b"].push_back(static_cast<uint8_t>(91 * i));
  const Status done = codelet::interpret(one, nullptr, tensors);
  EXPECT_TRUE(done) << (done ? "" : render(done.error()));
  return tensors["y"];
}

TEST(SplitLoop, KeepsWhatIsComputed) {
  const Codelet whole = greatest("p");
  const std::optional<Codelet> split = with_split_loop(whole, "p", {3, 2});
  ASSERT_TRUE(split.has_value());
  EXPECT_EQ(result_of(*split), result_of(whole));
  EXPECT_EQ(constants(find_surrogate(*split, "y")->shape), (std::vector<int64_t>{3, 2, 2}));
  EXPECT_EQ(constants(find_surrogate(*split, "b")->strides), (std::vector<int64_t>{6, 3, 1}));
}

TEST(SplitLoop, DimensionsThatItDoesNotIndexAloneStay) {
  EXPECT_FALSE(with_split_loop(greatest("5 - p"), "p", {3, 2})) << "backwards";
  EXPECT_FALSE(with_split_loop(greatest("p"), "p", {2, 2})) << "of another size";
}

}  // namespace
}  // namespace covenant::compiler
