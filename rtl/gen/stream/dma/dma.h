/// The RTL of a DMA engine (docs/reference/units/dma.md), the engine of an edge: covenant_dma, which issues the beats
/// of a tile, and a data path that moves them in one direction.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "acg/graph/queries.h"
#include "rtl/gen/common/unit_row.h"

namespace covenant::rtl {

/// The part that all directions share. Each direction (directions.h) names the ports of memories that it uses, and has
/// its own data path.
class Dma : public Unit {
 public:
  std::string stalled() const override;
  std::string instance(const Plan& plan) const override;
  Observed observe(ObserverPart& part, const Plan& plan) const final;

 protected:
  /// A data path: its module, the parameters and ports that not all data paths have.
  struct Path {
    std::string module;
    std::string parameters;
    std::string ports;
  };

  Dma(const acg::Machine& machine, const acg::Engine& engine, UnitPlan plan);

  virtual bool stores() const = 0;
  virtual std::string far_parameters(const Plan& /*plan*/) const { return ""; }
  virtual void add_path(Path& path, const Plan& plan) const = 0;
  virtual void observe_writes(ObserverPart& part, const Plan& plan, Observed& observed) const = 0;

  /// Adds a port of a memory.
  void claim_read(Plan& plan, uint32_t memory) const;
  void claim_write(Plan& plan, uint32_t memory) const;
  /// Bytes of the elements in which a beat lies.
  uint64_t bytes_at_once(const Plan& plan, uint32_t memory) const;
  /// Connects ports of the data path to nets: of the same name after the unit's, or without the suffix of direction.
  void connect(Path& path, std::string_view port, std::string_view net) const;
  void connect_stems(Path& path, std::initializer_list<std::string_view> ports) const;
  void connect_offchip(Path& path) const;
  void connect_read(Path& path) const;
  void connect_write(Path& path) const;
  void connect_fill(Path& path, const Plan& plan) const;
  /// Shows the write port of the near memory.
  Observed::Writes show_writes(ObserverPart& part, const Plan& plan) const;

  std::string last_step() const { return "u_" + signal + ".last_step"; }

  uint32_t near_ = 0;  ///< the scratchpad
  uint32_t far_ = 0;   ///< the memory at the other end
  uint32_t latency_ = 0;
  uint32_t beat_bytes_ = 0;

 private:
  std::string path(const Plan& plan) const;
};

std::unique_ptr<Unit> make_dma(const acg::Machine& machine, const acg::Engine& engine, UnitPlan plan);
PackagePart dma_package(const Plan& plan);

}  // namespace covenant::rtl
