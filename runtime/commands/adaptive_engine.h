/// A machine that commands drive, on the evaluator until it has much to do, and compiled from then on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "acg/behaviour/evaluator.h"
#include "runtime/commands/native_engine.h"

namespace covenant::runtime {

/// Begins as an evaluator. After `kMostWork` of it the machine is compiled, does again what it has done, which takes a
/// fraction of the time, and goes on so. If it cannot be compiled it stays an evaluator.
class AdaptiveEngine : public acg::behaviour::Engine {
 public:
  /// Statements, calls, terms of sums and elements of arrays: some seconds of an evaluator, as compiling takes.
  static constexpr uint64_t kMostWork = uint64_t{1} << 24;

  AdaptiveEngine(acg::behaviour::Behaviour behaviour, NativeOptions options, uint64_t most_work = kMostWork);

  Result<bool> run(uint64_t most_cycles) override;
  Status begin(std::string_view port, const acg::behaviour::Command& command) override;
  void ask(std::function<bool()> goes_on) override;
  Result<bool> end_command(uint64_t most_cycles) override;
  bool is_busy() const override { return engine().is_busy(); }
  std::vector<uint8_t> take_reply() override;
  Result<bool> tick() override;
  Result<bool> is_interrupted() const override { return engine().is_interrupted(); }
  Diagnostic deadlock() const override { return engine().deadlock(); }

  uint64_t cycles() const override { return engine().cycles(); }
  const acg::behaviour::Behaviour& behaviour() const override { return engine().behaviour(); }
  const acg::behaviour::Elements& elements(size_t state) const override { return engine().elements(state); }
  void use_memory(size_t state, uint8_t* bytes) override;
  bool is_compiled() const { return native_ != nullptr; }

 private:
  /// A command that has begun, or cycles.
  struct Done {
    std::string port;
    acg::behaviour::Command command;
    uint64_t cycles = 0;
  };

  acg::behaviour::Engine& engine() const;
  void remember_cycles(uint64_t before);
  void compile_if_much();

  NativeOptions options_;
  uint64_t most_work_;
  std::unique_ptr<acg::behaviour::Evaluator> evaluator_;
  std::unique_ptr<NativeEngine> native_;
  std::vector<Done> done_;
};

/// The behaviour as a compiled machine if that is in the cache; else as one that is compiled when it has much to do.
std::unique_ptr<acg::behaviour::Engine> open_adaptive(acg::behaviour::Behaviour behaviour,
                                                      const NativeOptions& options = {});

}  // namespace covenant::runtime
