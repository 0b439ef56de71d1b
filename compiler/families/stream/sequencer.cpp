#include "compiler/families/stream/sequencer.h"

#include <optional>

#include "acg/base/check.h"
#include "compiler/families/stream/operand_values.h"

namespace covenant::compiler::stream {
namespace {

using acg::Instruction;
using acg::Operation;

/// Settings needed by the commands inside a step: those on which all agree, and the others.
struct Needs {
  Settings uniform;
  std::set<Setting> mixed;
};

void add(Needs& needs, const Setting& setting, const SettingValue& value) {
  if (needs.mixed.contains(setting)) return;
  const auto [place, is_new] = needs.uniform.emplace(setting, value);
  if (is_new || place->second == value) return;
  needs.uniform.erase(place);
  needs.mixed.insert(setting);
}

void collect(const Step& step, Needs& needs) {
  if (const auto* command = std::get_if<Command>(&step.step)) {
    for (const auto& [setting, value] : command->needs) add(needs, setting, value);
  } else if (const auto* loop = std::get_if<StepLoop>(&step.step)) {
    for (const Step& inner : loop->body) collect(inner, needs);
  }
}

void collect_reductions(const Step& step, uint32_t level, std::set<bool>& marks) {
  if (const auto* command = std::get_if<Command>(&step.step)) {
    marks.insert(command->reductions.contains(level));
  } else if (const auto* loop = std::get_if<StepLoop>(&step.step)) {
    for (const Step& inner : loop->body) collect_reductions(inner, level, marks);
  }
}

class Sequencer {
 public:
  explicit Sequencer(const acg::WordParts& parts) : parts_(parts) {}

  Status list(const std::vector<Step>& steps) {
    bool is_set = false;  // the settings of the next command or loop are written
    for (size_t i = 0; i < steps.size(); ++i) {
      const Token* token = std::get_if<Token>(&steps[i].step);
      const bool is_post = token != nullptr && token->word.operation == Operation::kPost;
      if (!is_set && !is_post) {
        prepare_next(steps, i);
        is_set = true;
      }
      if (token != nullptr) {
        words_.push_back(token->word);
        continue;
      }
      is_set = false;
      if (const auto* command = std::get_if<Command>(&steps[i].step)) {
        words_.push_back(command->word);
      } else if (Status status = loop(std::get<StepLoop>(steps[i].step)); !status) {
        return status.error();
      }
    }
    return Done{};
  }

  std::vector<Instruction> take() { return std::move(words_); }

 private:
  void prepare_next(const std::vector<Step>& steps, size_t from) {
    for (size_t i = from; i < steps.size(); ++i) {
      if (std::holds_alternative<Token>(steps[i].step)) continue;
      Needs needs;
      collect(steps[i], needs);
      for (const auto& [setting, value] : needs.uniform) set(setting, value);
      return;
    }
  }

  void set(const Setting& setting, const SettingValue& value) {
    std::optional<SettingValue> now = reset_value(setting);
    if (unknown_.contains(setting)) now = std::nullopt;
    if (const auto found = state_.find(setting); found != state_.end()) now = found->second;
    for (const Instruction& word : change(setting, now, value, parts_)) words_.push_back(word);
    state_[setting] = value;
    unknown_.erase(setting);
  }

  void forget(const std::set<Setting>& settings) {
    for (const Setting& setting : settings) {
      state_.erase(setting);
      unknown_.insert(setting);
    }
  }

  Status loop(const StepLoop& loop) {
    std::set<bool> marks;
    Needs needs;
    for (const Step& step : loop.body) {
      collect(step, needs);
      collect_reductions(step, loop.level, marks);
    }
    if (marks.size() == 2) {
      return Diagnostic{"GEN0006",
                        {},
                        "",
                        "one loop holds passes that accumulate over it and passes that do not",
                        "level " + std::to_string(loop.level),
                        {},
                        "split the loop of the codelet so that each has passes of one kind"};
    }
    const int64_t reduction = marks.contains(true) ? 1 : 0;
    words_.push_back(
        instruction(Operation::kLoop,
                    {{"level", loop.level}, {"last", static_cast<int64_t>(loop.trips) - 1}, {"reduction", reduction}}));
    forget(needs.mixed);  // an iteration begins with the state that the one before has left
    if (Status status = list(loop.body); !status) return status.error();
    words_.push_back(instruction(Operation::kEnd, {{"level", loop.level}}));
    return Done{};
  }

  acg::WordParts parts_;
  std::vector<Instruction> words_;
  Settings state_;
  std::set<Setting> unknown_;
};

}  // namespace

Result<std::vector<Instruction>> sequence(const std::vector<Step>& steps, const acg::WordParts& parts) {
  Sequencer sequencer(parts);
  if (Status status = sequencer.list(steps); !status) return status.error();
  return sequencer.take();
}

}  // namespace covenant::compiler::stream
