#include "runtime/session/run.h"

namespace covenant::runtime {

Result<RunResult> run(const acg::Program& program, const std::vector<Tensor>& inputs, const RunOptions& options) {
  const Result<Session> session = Session::open(program, options.backend);
  if (!session) return session.error();
  return session->run(inputs, {{options.values, options.records, options.trace}, false});
}

}  // namespace covenant::runtime
