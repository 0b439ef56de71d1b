/// A chain of perfectly nested loops, and the body of the innermost one.
#pragma once

#include <variant>
#include <vector>

#include "compiler/codelet/codelet.h"

namespace covenant::compiler {

struct Chain {
  std::vector<const codelet::Loop*> loops;
  const std::vector<codelet::Operation>* body = nullptr;
};

/// The chain at the start of `body`, which must outlive it.
inline Chain chain_of(const std::vector<codelet::Operation>& body) {
  Chain chain{{}, &body};
  while (chain.body->size() == 1) {
    const auto* loop = std::get_if<codelet::Loop>(&chain.body->front().op);
    if (loop == nullptr) break;
    chain.loops.push_back(loop);
    chain.body = &loop->body;
  }
  return chain;
}

}  // namespace covenant::compiler
