#include "compiler/families/vliw/schedule.h"

#include <algorithm>
#include <numeric>

#include "acg/base/check.h"
#include "compiler/families/vliw/delay_loads.h"

namespace covenant::compiler::vliw {
namespace {

constexpr size_t kTriesPerInstruction = 12;  // attempts to place instructions before a longer interval is tried

/// Packets from an instruction to the end of everything that depends on it, with trips `interval` packets apart.
/// Nothing if no placement satisfies the dependences.
std::optional<std::vector<int64_t>> heights(size_t count, std::span<const Dependence> dependences, uint32_t interval) {
  std::vector<int64_t> height(count);
  for (size_t round = 0; round <= count; ++round) {
    bool any = false;
    for (const Dependence& entry : dependences) {
      const int64_t wanted = height[entry.to] + entry.packets - int64_t{interval} * entry.distance;
      if (wanted <= height[entry.from]) continue;
      height[entry.from] = wanted;
      any = true;
    }
    if (!any) return height;
  }
  return std::nullopt;
}

/// Instructions by height, highest first; ties in their given order.
std::vector<size_t> by_height(const std::vector<int64_t>& height) {
  std::vector<size_t> order(height.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t left, size_t right) { return height[left] > height[right]; });
  return order;
}

/// One attempt at one interval.
class Attempt {
 public:
  Attempt(std::span<const CodeInstruction> body, std::span<const Dependence> dependences, const ReservationTable& space,
          uint32_t interval, const std::vector<int64_t>& height)
      : body_(body),
        space_(space),
        interval_(interval),
        order_(by_height(height)),
        at_(body.size()),
        last_(body.size(), -1),
        rows_(interval),
        before_(body.size()),
        after_(body.size()) {
    for (const Dependence& entry : dependences) {
      if (entry.from == entry.to) continue;
      before_[entry.to].push_back(entry);
      after_[entry.from].push_back(entry);
    }
  }

  bool succeeds() {
    for (size_t tries = kTriesPerInstruction * body_.size(); tries > 0; --tries) {
      const auto next = std::find_if(order_.begin(), order_.end(), [&](size_t i) { return !at_[i]; });
      if (next == order_.end()) return true;
      place(*next);
    }
    return std::all_of(at_.begin(), at_.end(), [](const std::optional<int64_t>& at) { return at.has_value(); });
  }

  std::vector<uint32_t> packets() const {
    std::vector<uint32_t> packets;
    for (const std::optional<int64_t>& at : at_) packets.push_back(static_cast<uint32_t>(at.value()));
    return packets;
  }

 private:
  std::vector<size_t>& row_of(int64_t packet) { return rows_[static_cast<size_t>(packet % interval_)]; }

  int64_t earliest(size_t instruction) const {
    int64_t packet = 0;
    for (const Dependence& entry : before_[instruction]) {
      if (!at_[entry.from]) continue;
      packet = std::max(packet, at_[entry.from].value() + entry.packets - interval_ * entry.distance);
    }
    return packet;
  }

  bool fits(const std::vector<size_t>& row, size_t instruction) const { return space_.fits(body_, row, instruction); }

  /// Places an instruction in the first packet with room; if there is none, it displaces others, at a later place than
  /// before.
  void place(size_t instruction) {
    const int64_t first = earliest(instruction);
    int64_t packet = first;
    while (packet < first + interval_ && !fits(row_of(packet), instruction)) ++packet;
    if (packet == first + interval_) packet = std::max(first, last_[instruction] + 1);
    std::vector<size_t>& row = row_of(packet);
    while (!fits(row, instruction)) remove(row.front());
    row.push_back(instruction);
    at_[instruction] = packet;
    last_[instruction] = packet;
    remove_too_early(instruction);
  }

  void remove(size_t instruction) {
    std::erase(row_of(at_[instruction].value()), instruction);
    at_[instruction].reset();
  }

  /// Removes instructions that depend on this one and are placed too early.
  void remove_too_early(size_t instruction) {
    for (const Dependence& entry : after_[instruction]) {
      if (!at_[entry.to]) continue;
      const int64_t wanted = at_[instruction].value() + entry.packets - interval_ * entry.distance;
      if (at_[entry.to].value() < wanted) remove(entry.to);
    }
  }

  std::span<const CodeInstruction> body_;
  const ReservationTable& space_;
  int64_t interval_;
  std::vector<size_t> order_;
  std::vector<std::optional<int64_t>> at_;               ///< packet of each instruction that is placed
  std::vector<int64_t> last_;                            ///< packet in which it was placed last
  std::vector<std::vector<size_t>> rows_;                ///< instructions of each packet modulo the interval
  std::vector<std::vector<Dependence>> before_, after_;  ///< dependences of each instruction
};

/// Every instruction in the first packet that its operands and the packets' space allow.
std::optional<std::vector<uint32_t>> as_early(std::span<const CodeInstruction> body,
                                              std::span<const Dependence> dependences, const ReservationTable& space,
                                              uint32_t interval) {
  const std::optional<std::vector<int64_t>> height = heights(body.size(), dependences, interval);
  if (!height) return std::nullopt;
  Attempt attempt(body, dependences, space, interval, *height);
  if (!attempt.succeeds()) return std::nullopt;
  return attempt.packets();
}

std::vector<Dependence> turned_round(std::span<const Dependence> dependences) {
  std::vector<Dependence> turned(dependences.begin(), dependences.end());
  for (Dependence& entry : turned) std::swap(entry.from, entry.to);
  return turned;
}

/// Reverses the order of packets.
void turn_round(std::vector<uint32_t>& packets) {
  const uint32_t last = packets.empty() ? 0 : *std::max_element(packets.begin(), packets.end());
  for (uint32_t& packet : packets) packet = last - packet;
}

/// Every instruction in the last packet before its results are needed: like `as_early` in reverse time.
std::optional<std::vector<uint32_t>> as_late(std::span<const CodeInstruction> body,
                                             std::span<const Dependence> dependences, const ReservationTable& space,
                                             uint32_t interval) {
  std::optional<std::vector<uint32_t>> packets = as_early(body, turned_round(dependences), space, interval);
  if (packets) turn_round(*packets);
  return packets;
}

/// Total number of packets for which results are kept alive.
int64_t held(std::span<const Dependence> dependences, uint32_t interval, const std::vector<uint32_t>& packets) {
  std::vector<int64_t> kept(packets.size());
  for (const Dependence& entry : dependences) {
    const int64_t end = int64_t{packets[entry.to]} + int64_t{interval} * entry.distance;
    kept[entry.from] = std::max(kept[entry.from], end - packets[entry.from]);
  }
  return std::accumulate(kept.begin(), kept.end(), int64_t{0});
}

/// Packet by packet; instructions with the longest dependent chains first.
std::vector<uint32_t> in_turn(std::span<const CodeInstruction> instructions, std::span<const Dependence> dependences,
                              const ReservationTable& space) {
  const std::optional<std::vector<int64_t>> height = heights(instructions.size(), dependences, 0);
  check(height.has_value(), "straight code that depends on itself");
  const std::vector<size_t> order = by_height(height.value());
  std::vector<uint32_t> packets(instructions.size(), UINT32_MAX);
  std::vector<std::vector<Dependence>> before(instructions.size());
  for (const Dependence& entry : dependences) before[entry.to].push_back(entry);
  const auto is_free = [&](size_t instruction, uint32_t packet) {
    return std::all_of(before[instruction].begin(), before[instruction].end(), [&](const Dependence& entry) {
      return packets[entry.from] != UINT32_MAX && packets[entry.from] + entry.packets <= packet;
    });
  };
  size_t left = instructions.size();
  for (uint32_t packet = 0; left > 0; ++packet) {
    std::vector<size_t> together;
    for (const size_t i : order) {
      if (packets[i] != UINT32_MAX || !is_free(i, packet) || !space.fits(instructions, together, i)) continue;
      together.push_back(i);
      packets[i] = packet;
      --left;
    }
  }
  return packets;
}

}  // namespace

uint32_t PacketSchedule::length() const {
  return packets.empty() ? 0 : *std::max_element(packets.begin(), packets.end()) + 1;
}

uint32_t PacketSchedule::stages() const { return interval == 0 ? 0 : (length() + interval - 1) / interval; }

std::optional<PacketSchedule> schedule_loop(std::span<const CodeInstruction> body,
                                            std::span<const Dependence> dependences, const ReservationTable& space,
                                            uint32_t least) {
  const auto longest = static_cast<uint32_t>(4 * body.size());
  for (uint32_t interval = std::max(least, space.least_packets(body)); interval <= longest; ++interval) {
    std::optional<std::vector<uint32_t>> early = as_early(body, dependences, space, interval);
    if (early) delay_loads(body, dependences, space, interval, *early);
    std::optional<std::vector<uint32_t>> late = as_late(body, dependences, space, interval);
    if (!early && !late) continue;
    const bool is_late = !early || (late && held(dependences, interval, *late) < held(dependences, interval, *early));
    return PacketSchedule{interval, std::move(is_late ? late : early).value()};
  }
  return std::nullopt;
}

PacketSchedule schedule_once(std::span<const CodeInstruction> instructions, std::span<const Dependence> dependences,
                             const ReservationTable& space) {
  PacketSchedule schedule{0, in_turn(instructions, dependences, space)};
  schedule.interval = schedule.length();
  delay_loads(instructions, dependences, space, schedule.interval, schedule.packets);
  return schedule;
}

PacketSchedule schedule_late(std::span<const CodeInstruction> instructions, std::span<const Dependence> dependences,
                             const ReservationTable& space) {
  PacketSchedule schedule{0, in_turn(instructions, turned_round(dependences), space)};
  turn_round(schedule.packets);
  schedule.interval = schedule.length();
  return schedule;
}

PacketSchedule schedule_in_order(std::span<const CodeInstruction> instructions, std::span<const Dependence> dependences,
                                 const ReservationTable& space) {
  std::vector<uint32_t> earliest(instructions.size());
  std::vector<std::vector<Dependence>> after(instructions.size());
  for (const Dependence& entry : dependences) after[entry.from].push_back(entry);
  PacketSchedule schedule;
  std::vector<CodeInstruction> together;
  uint32_t packet = 0;
  for (size_t i = 0; i < instructions.size(); ++i) {
    if (earliest[i] > packet || !space.fits(together, instructions[i])) {
      packet = std::max(packet + 1, earliest[i]);
      together.clear();
    }
    together.push_back(instructions[i]);
    schedule.packets.push_back(packet);
    for (const Dependence& entry : after[i]) earliest[entry.to] = std::max(earliest[entry.to], packet + entry.packets);
  }
  schedule.interval = schedule.length();
  return schedule;
}

}  // namespace covenant::compiler::vliw
