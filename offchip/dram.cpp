#include "offchip/dram.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "acg/base/check.h"
#include "offchip/bookkeeping.h"

namespace covenant::offchip {

namespace {

constexpr uint64_t kPart = 4096;  ///< bytes; a burst enters in parts that end at its multiples

}  // namespace

Dram::Dram(Parameters parameters, uint32_t ports, CommandHook hook)
    : parameters_(std::move(parameters)), hook_(std::move(hook)), map_(parameters_.organization), ports_(ports) {
  channels_.reserve(parameters_.organization.channels);
  for (uint32_t channel = 0; channel < parameters_.organization.channels; ++channel)
    channels_.emplace_back(parameters_, channel, hook_, statistics_);
  statistics_.ports.resize(ports);
}

void Dram::request(const Burst& burst) {
  check(burst.port < ports_.size() && burst.bytes > 0, "Dram: a burst of a port that is there");
  note_request(statistics_, burst);
  const uint64_t end = burst.address + burst.bytes;
  for (uint64_t at = burst.address; at < end;) {
    const uint64_t next = std::min(end, (at / kPart + 1) * kPart);
    request_part(burst, at, next);
    at = next;
  }
}

/// The bytes from `from` on and before `to`.
void Dram::request_part(const Burst& burst, uint64_t from, uint64_t to) {
  Port& port = ports_[burst.port];
  const uint64_t access_bytes = parameters_.organization.access_bytes;
  const uint64_t first = from / access_bytes;
  const uint64_t end = (to - 1) / access_bytes + 1;
  const uint64_t number = port.first_flight + port.flights.size();
  // A controller sees what was on its wires at a clock edge: the burst enters at the first edge after its time.
  const uint64_t clock = burst.time / parameters_.clock_ps + 1;
  if (port.entering.empty()) arrival_ = std::min(arrival_, clock);
  admit_ = std::min(admit_, arrival_);
  port.entering.push_back({number, first, first, end, clock, burst.writes});
  const bool is_last = to == burst.address + burst.bytes;
  port.flights.push_back({end - first, 0, is_last ? burst.bytes : 0, is_last});
}

void Dram::advance(uint64_t time, std::vector<Answer>& answers) {
  const uint64_t last = time / parameters_.clock_ps;
  for (uint64_t clock = next_clock(); clock <= last; clock = next_clock()) run(clock);
  const auto fresh = static_cast<std::ptrdiff_t>(answers.size());
  for (uint32_t number = 0; number < ports_.size(); ++number) {
    Port& port = ports_[number];
    for (uint64_t answer = answer_of(port); answer <= time; answer = answer_of(port)) {
      if (port.flights.front().is_last) {
        answers.push_back({number, answer});
        note_answer(statistics_, number, answer, port.flights.front().bytes);
      }
      port.last_answer = answer;
      port.flights.pop_front();
      ++port.first_flight;
    }
  }
  std::stable_sort(answers.begin() + fresh, answers.end(), comes_before);
}

uint64_t Dram::next() const {
  const Timing& time = parameters_.timing;
  // A queue of one access is empty while bursts wait for its place.
  uint64_t wake = is_blocked_ ? admit_ : kNever;
  for (const Channel& channel : channels_) wake = std::min(wake, channel.wake());
  // The data of a channel's next command comes later than the command. A burst that enters may join data that comes in
  // the next clock; a burst that waits for a place holds a line that could not join and waits for a channel.
  const uint64_t data = wake == kNever ? kNever : wake + std::min(time.cl, time.cwl) + time.burst;
  const uint64_t clock = std::min(data, arrival_);
  uint64_t next = clock == kNever ? kNever : clock * parameters_.clock_ps;
  for (const Port& port : ports_) next = std::min(next, answer_of(port));
  return next;
}

uint64_t Dram::next_clock() const {
  uint64_t clock = admit_;
  for (const Channel& channel : channels_) clock = std::min(clock, channel.wake());
  return clock;
}

/// Time of the answer to the port's oldest burst, or part of one; `kNever` as long as it is not known.
uint64_t Dram::answer_of(const Port& port) const {
  if (port.flights.empty() || port.flights.front().missing > 0) return kNever;
  const uint64_t own = port.flights.front().done * parameters_.clock_ps + parameters_.controller.latency_ps;
  return std::max(own, port.last_answer);
}

void Dram::run(uint64_t clock) {
  if (admit_ <= clock) admit(clock);
  for (Channel& channel : channels_) {
    if (channel.wake() > clock) continue;
    const std::optional<Channel::Served> served = channel.step(clock);
    if (!served) continue;
    finish(channel, *served);
    if (is_blocked_) admit_ = std::min(admit_, clock + 1);
  }
}

/// Port after port enters a burst, as long as any can.
void Dram::admit(uint64_t clock) {
  const auto count = static_cast<uint32_t>(ports_.size());
  for (uint32_t tried = 0; tried < count;) {
    const uint32_t number = (turn_ + tried) % count;
    if (admit_burst(ports_[number], number, clock)) {
      turn_ = (number + 1) % count;
      tried = 0;
    } else {
      ++tried;
    }
  }
  arrival_ = kNever;
  is_blocked_ = false;
  for (const Port& port : ports_) {
    if (port.entering.empty()) continue;
    const uint64_t due = port.entering.front().clock;
    if (due > clock) arrival_ = std::min(arrival_, due);
    is_blocked_ = is_blocked_ || due <= clock;
  }
  admit_ = arrival_;
}

/// Enters the port's next burst as far as there is room; true if that is all of it.
bool Dram::admit_burst(Port& port, uint32_t number, uint64_t clock) {
  if (port.entering.empty() || port.entering.front().clock > clock) return false;
  Entering& burst = port.entering.front();
  if (!burst.has_begun) {
    std::swap(port.previous, port.current);
    port.current.first = burst.first;
    port.current.writes = burst.writes;
    port.current.lines.clear();
    burst.has_begun = true;
  }
  while (burst.next < burst.end) {
    if (!admit_line(port, number, clock)) return false;
    ++burst.next;
  }
  port.entering.pop_front();
  return true;
}

/// Finds an access for the next line of the port's burst; false if there is no room for one.
bool Dram::admit_line(Port& port, uint32_t number, uint64_t clock) {
  const Entering& burst = port.entering.front();
  const Line* before = port.previous.writes == burst.writes ? port.previous.find(burst.next) : nullptr;
  if (before != nullptr && join(port, *before, clock)) {
    port.current.lines.push_back(*before);
    return true;
  }
  Access access;
  access.location = map_.locate(burst.next);
  Channel& channel = channels_[access.location.channel];
  if (!channel.has_room()) return false;
  access.line = burst.next;
  access.port = number;
  access.writes = burst.writes;
  access.burst = burst.number;
  port.current.lines.push_back({true, channel.add(std::move(access), clock), 0});
  return true;
}

/// Lets the port's burst share what the burst before it has requested: if that has not been issued yet, or if it is a
/// read whose data is still to come.
bool Dram::join(Port& port, const Line& line, uint64_t clock) {
  const Entering& burst = port.entering.front();
  if (line.waits) {
    channels_[map_.locate(burst.next).channel].access(line.access).joined.push_back(burst.number);
    return true;
  }
  if (burst.writes || line.end <= clock) return false;
  complete(port, burst.number, line.end);
  return true;
}

void Dram::complete(Port& port, uint64_t burst, uint64_t end) {
  Flight& flight = port.flights[burst - port.first_flight];
  --flight.missing;
  flight.done = std::max(flight.done, end);
}

void Dram::finish(Channel& channel, const Channel::Served& served) {
  const Access& access = channel.access(served.access);
  Port& port = ports_[access.port];
  complete(port, access.burst, served.end);
  for (const uint64_t burst : access.joined) complete(port, burst, served.end);
  for (Lines* lines : {&port.current, &port.previous}) {
    Line* line = lines->find(access.line);
    if (line != nullptr && line->waits && line->access == served.access) *line = {false, 0, served.end};
  }
  channel.release(served.access);
}

}  // namespace covenant::offchip
