/// The port of an off-chip edge without a master: when it asks, and in which order bytes are written.
#include "sim/stream/offchip_port.h"

#include <gtest/gtest.h>
#include <vector>

namespace covenant::sim {
namespace {

constexpr uint64_t kBeatBytes = 4;

/// Two runs of a beat, the second one outside of the limits, into the same bytes.
TileTransfer two_runs(std::vector<uint8_t>& near) {
  TileTransfer transfer;
  transfer.loads = true;
  transfer.fill = {7, 0, 0, 0};
  transfer.counts = {1, 1, 2};
  transfer.far_strides = {0, 0, 4};
  transfer.far = 64;
  transfer.run_bytes = kBeatBytes;
  transfer.rows = {0, 1};
  transfer.columns = {0, 1};
  transfer.near_memory = near.data();
  return transfer;
}

/// A port with values, whose first beat has moved in cycle 100.
struct Asked {
  std::vector<uint8_t> near = std::vector<uint8_t>(kBeatBytes, 1);
  OffchipPort port{5, kBeatBytes, true};

  Asked() {
    port.begin(two_runs(near), 2);
    port.grant(100, 2);
    EXPECT_EQ(port.move(), OffchipPort::Next::kRequest);
  }
};

TEST(OffchipPort, AsksInTheCycleAfterTheFirstBeat) {
  Asked asked;
  EXPECT_EQ(asked.port.first_cycle(), 100U);
  EXPECT_EQ(asked.port.next_request(), std::optional<uint64_t>(101));
  EXPECT_EQ(asked.port.request().address, 64U);
  EXPECT_EQ(asked.port.request().bytes, kBeatBytes);
}

TEST(OffchipPort, WritesBytesInTheOrderOfTheirRuns) {
  Asked asked;
  asked.port.issued();
  EXPECT_EQ(asked.port.move(), OffchipPort::Next::kMoved);
  EXPECT_EQ(asked.near, std::vector<uint8_t>(kBeatBytes, 1)) << "the first run has not come";
  asked.port.answered(120, std::vector<uint8_t>{2, 3, 4, 5});
  EXPECT_EQ(asked.near, std::vector<uint8_t>(kBeatBytes, 7)) << "the second run is the last one";
}

}  // namespace
}  // namespace covenant::sim
