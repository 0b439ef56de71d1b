#include "compiler/families/vliw/packetize.h"

#include <algorithm>

#include "acg/base/check.h"
#include "acg/operations/vliw_traits.h"
#include "compiler/families/vliw/immediates.h"
#include "compiler/families/vliw/pipelined_loop.h"
#include "compiler/families/vliw/written_out.h"

namespace covenant::compiler::vliw {
namespace {

using acg::VliwOperation;

constexpr uint32_t kQuarters = 4;        // quarters of an interval, in which slack is counted
constexpr size_t kMostWrittenOut = 256;  // most instructions of a trip whose inner loops are written out

class Packing {
 public:
  Packing(const Code& code, const acg::Machine& machine, const PacketOptions& options, LoopSchedules& schedules)
      : options_(options),
        schedules_(schedules),
        accesses_(machine),
        immediates_(machine),
        space_(machine, options.pack ? 0 : 1),
        result_{code.registers, code.fixed, {}},
        uses_(uses_of(code.steps, accesses_, code.registers.size())) {
    check_fit(code.steps);
  }

  PacketCode pack(const std::vector<CodeStep>& steps) {
    append(steps, result_.steps);
    return std::move(result_);
  }

 private:
  void check_fit(const std::vector<CodeStep>& steps) const {
    for (const CodeStep& step : steps) {
      if (const auto* loop = std::get_if<CodeLoop>(&step)) {
        check_fit(loop->body);
      } else {
        check(space_.fits({}, std::get<CodeInstruction>(step)),
              "an instruction that no packet of the machine can hold");
      }
    }
  }

  void append(const std::vector<CodeStep>& steps, std::vector<PacketStep>& to) {
    std::vector<CodeInstruction> straight;
    for (const CodeStep& step : steps) {
      if (const auto* instruction = std::get_if<CodeInstruction>(&step)) {
        straight.push_back(*instruction);
      } else {
        append_loop(std::get<CodeLoop>(step), straight, to);
      }
    }
    append_straight(straight, to);
  }

  void append_straight(const std::vector<CodeInstruction>& straight, std::vector<PacketStep>& to) {
    const std::vector<Dependence> between = dependences(straight, accesses_, Piece::kOnce);
    const auto schedule_of = options_.straight == StraightOrder::kEarly  ? schedule_once
                             : options_.straight == StraightOrder::kLate ? schedule_late
                                                                         : schedule_in_order;
    const PacketSchedule schedule = schedule_of(straight, between, space_);
    for (uint32_t packet = 0; packet < schedule.length(); ++packet) {
      CodePacket together;
      for (size_t i = 0; i < straight.size(); ++i) {
        if (schedule.packets[i] == packet) together.instructions.push_back(straight[i]);
      }
      if (!together.instructions.empty()) to.emplace_back(std::move(together));
    }
  }

  /// `straight`: code before the loop that is not in packets yet; on return, code after it.
  void append_loop(const CodeLoop& loop, std::vector<CodeInstruction>& straight, std::vector<PacketStep>& to) {
    check(loop.trips > 0, "a loop that never runs");
    if (options_.pipeline && append_pipelined(loop, straight, to)) return;
    append_straight(straight, to);
    straight.clear();
    CountedPackets packed{loop.trips, {}};
    append(loop.body, packed.body);
    append_counted(std::move(packed), to);
  }

  bool append_pipelined(const CodeLoop& loop, std::vector<CodeInstruction>& straight, std::vector<PacketStep>& to) {
    const bool is_innermost = std::all_of(loop.body.begin(), loop.body.end(), [](const CodeStep& step) {
      return std::holds_alternative<CodeInstruction>(step);
    });
    if (!is_innermost && !(options_.write_out && options_.unroll)) return false;
    std::optional<std::vector<CodeInstruction>> written =
        written_out(loop, is_innermost ? SIZE_MAX : kMostWrittenOut, accesses_, uses_, result_.registers);
    if (!written) return false;
    std::vector<CodeInstruction> body = *std::move(written);
    for (CodeInstruction& one : body) one.delay = options_.await ? one.delay : 0;
    const std::vector<bool> carried = carried_in(loop, body);
    const std::vector<Dependence> between = dependences(body, accesses_, Piece::kLoop, carried);
    std::optional<PacketSchedule> schedule = schedules_.of(body, between, space_);
    if (schedule && options_.slack > 0) {
      schedule = schedules_.of(body, between, space_, schedule->interval * (kQuarters + options_.slack) / kQuarters);
    }
    if (!schedule) return false;
    PipelinedLoop done = pipelined(body, loop.trips, *schedule, carried, accesses_, result_.registers);
    straight.insert(straight.end(), done.before.begin(), done.before.end());
    if (!done.repeated.body.empty()) {
      append_straight(straight, to);
      straight.clear();
      append_counted(std::move(done.repeated), to);
    }
    // The last trips do not fill packets: words loaded early would occupy registers for long.
    for (CodeInstruction& one : done.after) one.delay = 0;
    straight.insert(straight.end(), done.after.begin(), done.after.end());
    return true;
  }

  static uint32_t height(const std::vector<PacketStep>& steps) {
    uint32_t highest = 0;
    for (const PacketStep& step : steps) {
      if (const auto* loop = std::get_if<PacketLoop>(&step)) highest = std::max(highest, 1 + height(loop->body));
    }
    return highest;
  }

  void append_counted(CountedPackets counted, std::vector<PacketStep>& to) {
    if (counted.body.empty()) return;
    const uint32_t within = height(counted.body);
    const LoopKind kind = within == 0 ? LoopKind::kInner : within == 1 ? LoopKind::kOuter : LoopKind::kBranch;
    if (kind == LoopKind::kBranch) {
      count_by_branch(counted, to);
    } else {
      // Some instructions must not share a packet with the end of a hardware loop.
      const auto* last = std::get_if<CodePacket>(&counted.body.back());
      if (last != nullptr && has_alone(*last)) counted.body.emplace_back(CodePacket{});
      set_up(kind, counted.trips, to);
    }
    to.emplace_back(PacketLoop{kind, std::move(counted.body)});
  }

  static bool has_alone(const CodePacket& packet) {
    return std::any_of(packet.instructions.begin(), packet.instructions.end(),
                       [](const CodeInstruction& entry) { return has(entry.instruction, acg::VliwTrait::kAlone); });
  }

  CodeInstruction constant(Name to, uint32_t value) const {
    const acg::Operation does = operation_of(VliwOperation::kA2Tfrsi);
    return {{does, {to.operand(), static_cast<int32_t>(value)}}, !immediates_.hold(does, 1, value)};
  }

  /// The set-up of a hardware loop, in a packet with earlier code if there is room.
  void set_up(LoopKind kind, uint32_t trips, std::vector<PacketStep>& to) {
    const bool is_inner = kind == LoopKind::kInner;
    CodeInstruction setup{{operation_of(is_inner ? VliwOperation::kJ2Loop0i : VliwOperation::kJ2Loop1i),
                           {0, static_cast<int32_t>(trips)}}};
    if (!immediates_.hold(setup.instruction.operation, 1, trips)) {
      const Name count = make(acg::RegisterFile::kScalar);
      add_to_last(constant(count, trips), to);
      setup.instruction = {operation_of(is_inner ? VliwOperation::kJ2Loop0r : VliwOperation::kJ2Loop1r),
                           {0, count.operand()}};
      to.emplace_back(CodePacket{{setup}});  // the count is available in the next packet
      return;
    }
    add_before_loop(setup, to);
  }

  /// Adds the set-up to the last packet that has room after all other loops.
  void add_before_loop(const CodeInstruction& setup, std::vector<PacketStep>& to) {
    CodeInstruction longest = setup;  // a distant target needs an extender
    longest.is_extended = true;
    for (auto step = to.rbegin(); step != to.rend() && std::holds_alternative<CodePacket>(*step); ++step) {
      std::vector<CodeInstruction>& instructions = std::get<CodePacket>(*step).instructions;
      const bool is_last = step == to.rbegin();
      if (!space_.fits(instructions, is_last ? setup : longest)) continue;
      instructions.push_back(setup);
      return;
    }
    to.emplace_back(CodePacket{{setup}});
  }

  void add_to_last(const CodeInstruction& instruction, std::vector<PacketStep>& to) {
    auto* last = to.empty() ? nullptr : std::get_if<CodePacket>(&to.back());
    if (last != nullptr && space_.fits(last->instructions, instruction)) {
      last->instructions.push_back(instruction);
      return;
    }
    to.emplace_back(CodePacket{{instruction}});
  }

  /// Counts down to 1 and branches back while trips are left: one packet, which reads the count before it changes.
  void count_by_branch(CountedPackets& counted, std::vector<PacketStep>& to) {
    const Name count = make(acg::RegisterFile::kScalar), more = make(acg::RegisterFile::kPredicate);
    add_to_last(constant(count, counted.trips), to);
    CodePacket end;
    end.instructions.push_back({{operation_of(VliwOperation::kC2Cmpgti), {more.operand(), count.operand(), 1}}});
    end.instructions.push_back({{operation_of(VliwOperation::kA2Addi), {count.operand(), count.operand(), -1}}});
    end.instructions.push_back({{operation_of(VliwOperation::kJ2Jumptnewpt), {more.operand(), 0}}});
    counted.body.emplace_back(std::move(end));
  }

  Name make(acg::RegisterFile file) {
    result_.registers.push_back({file, false});
    return {static_cast<uint32_t>(result_.registers.size() - 1), false};
  }

  /// Registers that other code names, too, are the same in all trips; so are all registers of a loop that is not
  /// unrolled.
  std::vector<bool> carried_in(const CodeLoop& loop, const std::vector<CodeInstruction>& body) const {
    if (!options_.unroll) return std::vector<bool>(result_.registers.size(), true);
    std::vector<bool> carried = carried_registers(body, accesses_, result_.registers.size());
    const std::vector<size_t> within = uses_of(loop.body, accesses_, uses_.size());
    for (size_t i = 0; i < uses_.size(); ++i) carried[i] = carried[i] || uses_[i] > within[i];
    return carried;
  }

  PacketOptions options_;
  LoopSchedules& schedules_;
  RegisterAccesses accesses_;
  Immediates immediates_;
  ReservationTable space_;
  PacketCode result_;
  std::vector<size_t> uses_;
};

}  // namespace

PacketCode packetize(const Code& code, const acg::Machine& machine, const PacketOptions& options) {
  LoopSchedules none;
  return packetize(code, machine, options, none);
}

PacketCode packetize(const Code& code, const acg::Machine& machine, const PacketOptions& options,
                     LoopSchedules& known) {
  return Packing(code, machine, options, known).pack(code.steps);
}

}  // namespace covenant::compiler::vliw
