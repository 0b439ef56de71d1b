#include "sim/sc/common/kernel.h"

#include <gtest/gtest.h>

namespace covenant::sim::sc {
namespace {

TEST(Kernel, ErrorsItReportsBecomeDiagnostics) {
  const Kernel kernel;
  Diagnostic diagnostic;
  try {
    SC_REPORT_ERROR("a kind", "a text");
  } catch (const sc_core::sc_report& report) {
    diagnostic = diagnostic_of(report);
  }
  EXPECT_EQ(diagnostic.code, "SIM0070");
  EXPECT_EQ(diagnostic.offending, "a kind: a text");
}

}  // namespace
}  // namespace covenant::sim::sc
