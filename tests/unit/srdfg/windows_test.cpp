/// Elements of windows that are inside of an image.
#include "compiler/srdfg/windows.h"

#include <gtest/gtest.h>

namespace covenant::compiler::srdfg {
namespace {

TEST(Windows, ElementsInsideAreThoseThatCountingFinds) {
  for (int64_t first = -12; first <= 12; ++first) {
    for (int64_t kernel = 1; kernel <= 6; ++kernel) {
      for (int64_t gap = 1; gap <= 4; ++gap) {
        for (int64_t extent = 1; extent <= 7; ++extent) {
          int64_t inside = 0;
          for (int64_t k = 0; k < kernel; ++k) {
            const int64_t at = first + k * gap;
            inside += at >= 0 && at < extent ? 1 : 0;
          }
          EXPECT_EQ(elements_inside(first, kernel, gap, extent), inside)
              << first << " " << kernel << " " << gap << " " << extent;
        }
      }
    }
  }
}

}  // namespace
}  // namespace covenant::compiler::srdfg
