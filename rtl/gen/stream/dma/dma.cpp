#include "rtl/gen/stream/dma/dma.h"

#include <fmt/format.h>

#include "acg/isa/word_limits.h"
#include "rtl/gen/common/sv_text.h"

namespace covenant::rtl {
namespace {

/// Bits of the numbers up to `highest`, at least one.
uint32_t bits_for(uint64_t highest) {
  uint32_t bits = 1;
  while ((uint64_t{1} << bits) <= highest) ++bits;
  return bits;
}

std::string_view stem(std::string_view port) { return port.substr(0, port.size() - 2); }

}  // namespace

Dma::Dma(const acg::Machine& machine, const acg::Engine& engine, UnitPlan plan) : Unit(std::move(plan)) {
  const acg::Edge& edge = machine.edges.at(engine.edge.value());
  const acg::TransferEnds ends = acg::transfer_ends(machine, edge).value();
  near_ = ends.near.value;
  far_ = ends.far.value;
  latency_ = get(machine, ends.far).latency + edge.latency;
  beat_bytes_ = static_cast<uint32_t>(acg::beat_bytes(machine, engine));
  bus = edge.bus;
  burst = edge.burst;
  if (ends.has_offchip) offchip = OffchipPort{!ends.loads, far_, latency_, places_for(latency_), beat_bytes_, 0};
}

void Dma::claim_read(Plan& plan, uint32_t memory) const {
  for (MemoryPlan& one : plan.memories) {
    if (one.index != memory) continue;
    one.reads.push_back({index, 0, elements_for(beat_bytes_, one.data_bytes), signal + "_read_valid",
                         signal + "_read_element", signal + "_read_data"});
  }
}

void Dma::claim_write(Plan& plan, uint32_t memory) const {
  for (MemoryPlan& one : plan.memories) {
    if (one.index != memory) continue;
    one.writes.push_back({index, elements_for(beat_bytes_, one.data_bytes), signal + "_write_valid"});
  }
}

uint64_t Dma::bytes_at_once(const Plan& plan, uint32_t memory) const {
  const uint32_t data_bytes = data_bytes_of(plan.machine->memories[memory]);
  return uint64_t{elements_for(beat_bytes_, data_bytes)} * data_bytes;
}

std::string Dma::stalled() const {
  if (!offchip) return Unit::stalled();
  return stores() ? fmt::format("{0}_written_ready_o && !{0}_written_i", signal)
                  : fmt::format("{0}_answer_ready_o && !{0}_answer_valid_i", signal);
}

std::string Dma::instance(const Plan& plan) const {
  const acg::Memory& memory = plan.machine->memories[near_];
  std::string text;
  for (const std::string_view net :
       {"beat_valid", "beat_ready", "beat_inside", "beat_last", "beat_begins", "beat_ends"})
    text += wire(1, fmt::format("{}_{}", signal, net));
  text += wire(5, signal + "_beat_burst");
  text += wire(1, signal + "_bus_request") + wire(1, signal + "_bus_grant");
  if (bus.empty()) text += fmt::format("  assign {}_bus_grant = 1'b1;\n", signal);
  text += wire(32, signal + "_beat_address") + wire(bits_for(beat_bytes_ - 1), signal + "_beat_offset") +
          wire(bits_for(beat_bytes_), signal + "_beat_count");
  text += wire(32, signal + "_beat_onchip") + wire(8 * acg::fill_bytes(*plan.machine), signal + "_beat_fill");
  text += fmt::format(R"(
  covenant_dma #(
    .Stores   (1'b{stores}),
    .BeatBytes({beat}),
    .Memory   ({memory}),
    .Buffers  ({buffers}),
    .BufferUnits({buffer}),
    .UnitBytes({unit}){far}
  ) u_{s} (
{common}    .bus_request_o    ({s}_bus_request),
    .bus_grant_i      ({s}_bus_grant),
    .beat_valid_o     ({s}_beat_valid),
    .beat_ready_i     ({s}_beat_ready),
    .beat_inside_o    ({s}_beat_inside),
    .beat_address_o   ({s}_beat_address),
    .beat_offset_o    ({s}_beat_offset),
    .beat_count_o     ({s}_beat_count),
    .beat_onchip_o    ({s}_beat_onchip),
    .beat_fill_o      ({s}_beat_fill),
    .beat_last_o      ({s}_beat_last),
    .beat_begins_o    ({s}_beat_begins),
    .beat_burst_o     ({s}_beat_burst),
    .beat_ends_o      ({s}_beat_ends)
  );
)",
                      fmt::arg("stores", stores() ? 1 : 0), fmt::arg("beat", beat_bytes_), fmt::arg("memory", near_),
                      fmt::arg("buffers", memory.buffers), fmt::arg("buffer", memory.buffer_units()),
                      fmt::arg("unit", memory.unit_bytes()), fmt::arg("far", far_parameters(plan)),
                      fmt::arg("s", signal), fmt::arg("common", unit_ports(signal)));
  if (!offchip) text += fmt::format("  assign {}_beat_ready = 1'b1;\n", signal);
  return text + path(plan);
}

std::string Dma::path(const Plan& plan) const {
  const uint32_t data_bytes = data_bytes_of(plan.machine->memories[near_]);
  Path path;
  path.parameters = fmt::format("    .BeatBytes({}),\n", beat_bytes_);
  if (offchip) {
    path.parameters += fmt::format("    .Latency  ({}),\n    .Places   ({}),\n", offchip->latency, offchip->places);
    connect_stems(path, {"beat_ready_o", "beat_last_i", "beat_begins_i", "beat_burst_i"});
    connect(path, "post_i", "command.post_issue");
    connect(path, "channel_i", "command.channel");
    connect(path, "retirement_o", "retirement");
  }
  add_path(path, plan);
  connect_stems(path,
                {"beat_valid_i", "beat_inside_i", "beat_address_i", "beat_offset_i", "beat_count_i", "beat_onchip_i"});
  return fmt::format("\n  {} #(\n{}    .DataBytes({})\n  ) u_{}_path (\n    .clk_i,\n    .rst_ni{}\n  );\n",
                     path.module, path.parameters, data_bytes, signal, path.ports);
}

void Dma::connect(Path& path, std::string_view port, std::string_view net) const {
  path.ports += fmt::format(",\n    .{}({}_{})", port, signal, net);
}

void Dma::connect_stems(Path& path, std::initializer_list<std::string_view> ports) const {
  for (const std::string_view port : ports) connect(path, port, stem(port));
}

void Dma::connect_offchip(Path& path) const {
  for (const std::string_view port : port_signals(offchip->writes)) connect(path, port, port);
}

void Dma::connect_read(Path& path) const { connect_stems(path, {"read_valid_o", "read_element_o", "read_data_i"}); }

void Dma::connect_write(Path& path) const {
  connect_stems(path, {"write_valid_o", "write_element_o", "write_data_o", "write_strobe_o"});
}

void Dma::connect_fill(Path& path, const Plan& plan) const {
  connect(path, "beat_fill_i", "beat_fill");
  const uint32_t fill_bytes = acg::fill_bytes(*plan.machine);
  if (fill_bytes > 1) path.parameters += fmt::format("    .FillBytes({}),\n", fill_bytes);
}

Observed Dma::observe(ObserverPart& part, const Plan& plan) const {
  Observed observed;
  // Transfers and posts leave the queue of the data path.
  if (offchip) observed.line = fmt::format("u_{0}_path.leaves && (u_{0}_path.is_post || u_{0}_path.is_last)", signal);
  observed.blocked =
      fmt::format("({} & ~{} & 1)", observer_net(index, "is_transfer_i"), observer_net(index, "beat_moves_i"));
  part.shown(1, "is_transfer", fmt::format("u_{}.is_transfer", signal));
  part.shown(1, "beat_moves", fmt::format("u_{}.moves", signal));
  observe_writes(part, plan, observed);
  return observed;
}

Observed::Writes Dma::show_writes(ObserverPart& part, const Plan& plan) const {
  const uint64_t bytes = bytes_at_once(plan, near_);
  part.shown(1, "write_valid", signal + "_write_valid");
  part.shown(32, "write_element", signal + "_write_element");
  part.shown(bytes * 8, "write_data", signal + "_write_data");
  part.shown(bytes, "write_strobe", signal + "_write_strobe");
  return {fmt::format("{}U", near_), observer_net(index, "write_tag"), bytes};
}

}  // namespace covenant::rtl
