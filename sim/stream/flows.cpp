#include "sim/stream/flows.h"

#include <map>
#include <optional>
#include <utility>

#include "acg/isa/encode.h"
#include "sim/stream/units.h"

namespace covenant::sim {
namespace {

using acg::Operation;
using acg::RetireRecord;

/// How a word takes part in flows.
struct Role {
  bool uses_port = false;
  bool posts = false;                                    ///< posts a full token; otherwise, with a counter, takes one
  std::optional<std::pair<uint64_t, uint64_t>> counter;  ///< memory and slot
};

class Flows {
 public:
  explicit Flows(const acg::Program& program) : program_(program), codec_(program.machine) {}

  std::vector<TraceFlow> run(std::span<const RetireRecord> records) {
    size_t begin = 0;
    while (begin < records.size()) {
      size_t end = begin;
      while (end < records.size() && records[end].block == records[begin].block) ++end;
      run_block(records.subspan(begin, end - begin));
      begin = end;
    }
    return std::move(flows_);
  }

 private:
  using Posts = std::map<std::pair<uint64_t, uint64_t>, std::vector<const RetireRecord*>>;

  /// Tokens of one counter are taken in the order in which they were posted; none is left at the end of a block.
  void run_block(std::span<const RetireRecord> records) {
    Posts posts;
    const RetireRecord* last = nullptr;
    for (const RetireRecord& record : records) {
      if (last != nullptr && last->engine != record.engine) last = nullptr;
      const Role& role = role_of(record);
      if (role.uses_port) last = &record;
      if (role.counter && role.posts) posts[*role.counter].push_back(last);
    }
    std::map<std::pair<uint64_t, uint64_t>, size_t> taken;
    std::vector<std::pair<const RetireRecord*, uint64_t>> pending;  // producers whose data the next command takes
    uint32_t engine = 0;
    for (const RetireRecord& record : records) {
      if (record.engine != engine) pending.clear();
      engine = record.engine;
      const Role& role = role_of(record);
      if (role.counter && !role.posts) {
        const size_t index = taken[*role.counter]++;
        const std::vector<const RetireRecord*>& made = posts[*role.counter];
        if (index < made.size() && made[index] != nullptr) pending.emplace_back(made[index], role.counter->first);
      }
      if (!role.uses_port) continue;
      for (const auto& [producer, memory] : pending) {
        flows_.push_back({producer->engine, producer->last_port, record.engine, record.first_port,
                          program_.machine.memories.at(memory).name});
      }
      pending.clear();
    }
  }

  const Role& role_of(const RetireRecord& record) {
    const auto [entry, is_new] = roles_.try_emplace(record.word);
    if (!is_new) return entry->second;
    const auto decoded = codec_.decode(record.word);
    if (!decoded) return entry->second;
    const acg::Instruction& instruction = decoded->instruction;
    const Operation operation = instruction.operation;
    Role& role = entry->second;
    role.uses_port = uses_port(operation);
    if (operation != Operation::kWait && operation != Operation::kPost) return role;
    const auto operand = [&](const char* name) {
      return static_cast<uint64_t>(instruction.operands.at(acg::operand_index(operation, name)));
    };
    role.posts = operation == Operation::kPost;
    if (operand("token") == static_cast<uint64_t>(acg::Token::kFull)) {
      role.counter = {operand("memory"), operand("slot")};
    }
    return role;
  }

  const acg::Program& program_;
  acg::Codec codec_;
  std::map<acg::InstructionWord, Role> roles_;
  std::vector<TraceFlow> flows_;
};

}  // namespace

std::vector<TraceFlow> flows_of(const acg::Program& program, std::span<const RetireRecord> records) {
  return Flows(program).run(records);
}

}  // namespace covenant::sim
