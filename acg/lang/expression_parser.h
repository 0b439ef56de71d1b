/// The parser of blocks, attributes and expressions, on which the parsers of statements are built.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "acg/lang/cursor.h"
#include "acg/lang/spec.h"

namespace covenant::acg::lang {

class ExpressionParser : public TokenCursor {
 public:
  using TokenCursor::TokenCursor;

  /// `{ item item ... }`
  void block(const std::function<void()>& item);
  /// `name = expression ;`
  AttributeSpec attribute();
  /// A block of attributes.
  std::vector<AttributeSpec> attributes();
  /// Either a block of attributes or a semicolon.
  std::vector<AttributeSpec> optional_attributes();
  /// `[ "name", "name", ... ]`
  std::vector<Word> names();
  Expression expression();

 private:
  class Nesting;

  Expression comparison();
  Expression sum();
  Expression term();
  Expression factor();
  Expression primary();
  Expression name();
  Expression binary(ExpressionKind kind, const LexedToken& sign, Expression left, Expression right);
  Failure too_deep() const;

  int depth_ = 0;
  int operators_ = 0;
};

}  // namespace covenant::acg::lang
