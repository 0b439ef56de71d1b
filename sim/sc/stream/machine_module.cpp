#include "sim/sc/stream/machine_module.h"

#include <algorithm>
#include <string>
#include <utility>

#include "acg/graph/queries.h"
#include "platform/latency_extension.h"
#include "sim/common/fault.h"

namespace covenant::sim::sc {

namespace {

/// A name that SystemC takes: no arrows, no dots.
std::string name_in_kernel(std::string name) {
  std::replace_if(name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
}

bool has_offchip(const acg::Machine& machine, const acg::Engine& engine) {
  return engine.edge && acg::transfer_ends(machine, machine.edges[*engine.edge]).value().has_offchip;
}

}  // namespace

MachineModule::MachineModule(const sc_core::sc_module_name& name, const acg::Machine& machine, uint32_t first_port)
    : sc_core::sc_module(name), machine_(machine), progress_("progress") {
  std::vector<uint32_t> scratchpads;
  for (uint32_t memory = 0; memory < machine.memories.size(); ++memory) {
    if (machine.memories[memory].kind != acg::MemoryKind::kScratchpad) continue;
    scratchpads.push_back(memory);
    const std::string channel = name_in_kernel("tokens_" + machine.memories[memory].name);
    tokens_.push_back(std::make_unique<TokenChannel>(channel.c_str(), memory));
  }
  const std::vector<acg::Engine> engines = acg::engines(machine);
  for (uint32_t k = 0; k < engines.size(); ++k) {
    const std::optional<uint32_t> port =
        has_offchip(machine, engines[k]) ? std::optional(first_port + k) : std::nullopt;
    engines_.push_back(std::make_unique<EngineModule>(name_in_kernel(engines[k].name).c_str(), k, scratchpads, port));
    for (const auto& channel : tokens_) engines_.back()->tokens(*channel);
    engines_.back()->control(*this);
  }
  for (const SharedBus& bus : shared_buses(machine)) {
    buses_.push_back(std::make_unique<BusChannel>(name_in_kernel("bus_" + bus.name()).c_str(), bus.members()));
    for (const SharedBus::Member& member : bus.members()) engines_[member.engine]->bus(*buses_.back());
  }
  const auto unit = static_cast<uint32_t>(engines.size());
  fetch_ = std::make_unique<FetchModule>("fetch", unit, first_port + unit);
  fetch_->control(*this);
  SC_METHOD(next_block);
  sensitive << progress_;
  dont_initialize();
}

std::vector<covenant::sc::MemorySocket*> MachineModule::sockets_of(uint32_t memory) {
  std::vector<covenant::sc::MemorySocket*> sockets;
  const std::vector<acg::Engine> engines = acg::engines(machine_);
  for (uint32_t k = 0; k < engines.size(); ++k) {
    if (engines_[k]->memory() == nullptr) continue;
    const acg::TransferEnds ends = acg::transfer_ends(machine_, machine_.edges[engines[k].edge.value()]).value();
    if (ends.far.value == memory) sockets.push_back(engines_[k]->memory());
  }
  if (acg::instruction_source(machine_).value == memory) sockets.push_back(&fetch_->memory);
  return sockets;
}

std::vector<bool> MachineModule::timed_memories(const CycleTime& time) {
  std::vector<bool> is_timed(machine_.memories.size());
  for (uint32_t memory = 0; memory < machine_.memories.size(); ++memory) {
    const sc_core::sc_time promised =
        sc_core::sc_time::from_value(machine_.memories[memory].latency * time.period.value());
    for (covenant::sc::MemorySocket* socket : sockets_of(memory)) {
      const auto known = covenant::sc::ask_latency(socket->socket, 0);
      if (!known || known->latency > promised) is_timed[memory] = true;
    }
  }
  return is_timed;
}

void MachineModule::start(Simulation& simulation, const CycleTime& time) {
  simulation_ = &simulation;
  time_ = time;
  failure_ = nullptr;
  failed_in_.reset();
  failed_at_.reset();
  fetches_ = running_ = finished_ = false;
  for (const auto& channel : tokens_) channel->attach(simulation.channels(), time_);
  for (size_t i = 0; i < buses_.size(); ++i) buses_[i]->attach(simulation.buses()[i], time_);
  for (uint32_t k = 0; k < engines_.size(); ++k) engines_[k]->attach(simulation.engine(k), time_);
  fetch_->attach(simulation, time_);
  guarded(static_cast<uint32_t>(engines_.size()), [this] { plan_fetch(); });
  progressed();
}

void MachineModule::detach() {
  simulation_ = nullptr;
  for (const auto& engine : engines_) engine->detach();
  fetch_->detach();
}

bool MachineModule::guarded(std::optional<uint32_t> engine, const std::function<void()>& body) {
  if (failure_) return false;
  try {
    body();
    return true;
  } catch (const PlacedFailure& failure) {
    failure_ = std::current_exception();
    failed_in_ = failure.engine ? failure.engine : engine;
    failed_at_ = failure.address;
  } catch (...) {
    failure_ = std::current_exception();
    failed_in_ = engine;
  }
  if (ended) ended();
  return false;
}

void MachineModule::progressed() { progress_.notify(sc_core::SC_ZERO_TIME); }

/// Closes the running block if it is done, and begins the next one if it has been fetched.
void MachineModule::next_block() {
  if (simulation_ == nullptr || finished_) return;
  // Errors at the boundary between blocks are those of the fetch unit, except errors of tokens.
  guarded(static_cast<uint32_t>(engines_.size()), [this] {
    if (running_ && !simulation_->block_done()) return;
    if (running_) simulation_->end_block();
    running_ = false;
    while (!running_ && begin_next()) {
      if (!simulation_->block_done()) return;
      simulation_->end_block();  // a block without words is done when it begins
      running_ = false;
    }
  });
}

/// Returns false if there is no next block, or if it has not been fetched yet.
bool MachineModule::begin_next() {
  std::vector<uint64_t> beats;
  if (fetches_) {
    if (fetch_->arrivals() == nullptr) return false;
    beats = *fetch_->arrivals();
  }
  const std::optional<uint64_t> start = simulation_->begin_block(std::move(beats));
  if (!start) {
    finished_ = true;
    if (ended) ended();
    return false;
  }
  plan_fetch();
  running_ = true;
  for (uint32_t k = 0; k < engines_.size(); ++k) {
    if (!simulation_->engine(k).is_finished()) engines_[k]->start(*start);
  }
  return true;
}

/// Starts fetching the next block, if that takes transactions.
void MachineModule::plan_fetch() {
  fetches_ = false;
  if (!simulation_->fetch_is_timed()) return;
  const std::optional<Simulation::Fetch> next = simulation_->next_fetch();
  if (!next) return;
  fetches_ = true;
  fetch_->begin(*next);
}

}  // namespace covenant::sim::sc
