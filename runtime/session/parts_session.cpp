#include "runtime/session/parts_session.h"

#include <algorithm>
#include <chrono>
#include <string>

#include "acg/base/check.h"
#include "runtime/session/image.h"
#include "runtime/session/state.h"

namespace covenant::runtime {
namespace {

Diagnostic in_part(Diagnostic diagnostic, const acg::Part& part) {
  diagnostic.subject = "part " + part.name + (diagnostic.subject.empty() ? "" : ": " + diagnostic.subject);
  return diagnostic;
}

/// The tensor called `name`, under another name.
Tensor renamed(const std::vector<Tensor>& tensors, const std::string& name, const std::string& to) {
  const auto found = std::ranges::find(tensors, name, &Tensor::name);
  check(found != tensors.end(), "parts that fit each other name tensors that are there");
  Tensor tensor = *found;
  tensor.name = to;
  return tensor;
}

}  // namespace

Result<PartsSession> PartsSession::open(acg::ProgramParts parts, std::string_view backend, const RtlOptions& rtl) {
  if (const Status fit = acg::check_parts(parts); !fit) return fit.error();
  std::vector<Session> sessions;
  for (const acg::Part& part : parts.parts) {
    Result<Session> session = Session::open(part.program, backend, rtl);
    if (!session) return in_part(session.error(), part);
    sessions.push_back(*std::move(session));
  }
  return PartsSession(std::move(parts), std::move(sessions));
}

std::vector<std::vector<Tensor>> PartsSession::given(const std::vector<Tensor>& inputs) const {
  std::vector<Tensor> known = inputs;
  for (Tensor& state : initial_state(acg::inputs_of(parts_), parts_.state)) {
    if (std::ranges::find(inputs, state.name, &Tensor::name) == inputs.end()) known.push_back(std::move(state));
  }
  std::vector<std::vector<Tensor>> tensors(parts_.parts.size());
  for (const auto& [name, to] : parts_.inputs) tensors[to.part].push_back(renamed(known, name, to.tensor));
  return tensors;
}

Result<PartsResult> PartsSession::run(const std::vector<Tensor>& inputs, const SessionOptions& options) const {
  if (!options.device.wave.empty()) {
    return Diagnostic{"RUN0015",
                      {},
                      parts_.model,
                      "several parts cannot write their waveforms into one file",
                      options.device.wave.string(),
                      {},
                      "run the part that is to be looked at in a session of its own"};
  }
  if (Status status = check_inputs(acg::inputs_of(parts_), parts_.state, inputs); !status) return status.error();
  std::vector<std::vector<Tensor>> tensors = given(inputs);
  PartsResult result;
  for (size_t i = 0; i < sessions_.size(); ++i) {
    const auto start = std::chrono::steady_clock::now();
    Result<RunResult> run = sessions_[i].run(tensors[i], options);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    if (!run) return in_part(run.error(), parts_.parts[i]);
    for (const auto& [from, to] : parts_.links) {
      if (from.part == i) tensors[to.part].push_back(renamed(run->outputs, from.tensor, to.tensor));
    }
    result.cycles += run->cost.cycles;
    result.machine_seconds += static_cast<double>(run->cost.cycles) / sessions_[i].program().machine.clock_hertz;
    result.parts.push_back({std::move(tensors[i]), *std::move(run), seconds.count()});
  }
  for (const auto& [name, from] : parts_.outputs) {
    result.outputs.push_back(renamed(result.parts[from.part].run.outputs, from.tensor, name));
  }
  return result;
}

}  // namespace covenant::runtime
