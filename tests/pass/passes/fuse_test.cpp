/// A producer and a consumer fused into one codelet: its form, its values, and the pairs that are refused.
#include "compiler/passes/fuse.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>
#include <iostream>
#include <numeric>

#include "compiler/codelet/parse.h"
#include "compiler/codelet/print.h"
#include "compiler/codelet/rewrite.h"
#include "compiler/codelet/verify.h"
#include "tests/pass/passes/layers.h"

namespace covenant::compiler::testing {
namespace {

using codelet::Bindings;
using codelet::Codelet;

Codelet parsed(const std::string& text) {
  const Result<Codelet> made = codelet::parse(text, "test.cdlt");
  if (!made) throw std::runtime_error(render(made.error()));
  return *made;
}

/// Two codelets and the tensor between them.
struct Pair {
  Codelet producer;
  Codelet consumer;
  Joint joint;
};

/// The results of the two, one after the other; tensors have their names in the fused codelet.
Bindings one_by_one(const Pair& pair, const FusedCodelet& fused, const Bindings& inputs) {
  Bindings first = inputs;
  const codelet::Surrogate& joint = *find_surrogate(pair.producer, pair.joint.made);
  const std::vector<int64_t> shape = constants(joint.shape);
  const auto elements = std::accumulate(shape.begin(), shape.end(), uint64_t{1}, std::multiplies<>());
  if (!joint.strides.empty()) first[joint.name].resize(packed_bytes(joint.dtype.value(), elements));
  const Status made = codelet::interpret(pair.producer, nullptr, first);
  EXPECT_TRUE(made) << render(made.error());
  Bindings second;
  for (const auto& [name, renamed] : fused.renamed) {
    if (inputs.contains(renamed)) second[name] = inputs.at(renamed);
  }
  for (const std::string& name : pair.joint.read) second[name] = first.at(pair.joint.made);
  const Status done = codelet::interpret(pair.consumer, nullptr, second);
  EXPECT_TRUE(done) << render(done.error());
  Bindings results;
  for (const codelet::Surrogate& surrogate : pair.consumer.surrogates) {
    if (surrogate.kind != codelet::SurrogateKind::kOut) continue;
    results[fused.renamed.at(surrogate.name)] = second.at(surrogate.name);
  }
  return results;
}

void expect_same_results(const Pair& pair, const FusedCodelet& fused, Random& random) {
  const Status verified = codelet::verify(fused.codelet, nullptr);
  ASSERT_TRUE(verified) << render(verified.error()) << print(fused.codelet);
  const Bindings inputs = random_inputs(fused.codelet, random);
  const Bindings expected = one_by_one(pair, fused, inputs);
  Bindings tensors = inputs;
  const Status done = codelet::interpret(fused.codelet, nullptr, tensors);
  ASSERT_TRUE(done) << render(done.error());
  ASSERT_FALSE(expected.empty());
  for (const auto& [name, bytes] : expected) ASSERT_EQ(tensors.at(name), bytes) << name << "\n" << print(fused.codelet);
}

TEST(Fuse, TheConsumersFlatLoopBecomesTheProducersLoops) {
  const ConvShape shape{.ih = 4, .iw = 5, .ic = 3, .oc = 6, .kh = 1, .kw = 1, .pt = 0, .pl = 0, .pb = 0, .pr = 0};
  const Pair pair{bound(conv_layer(shape, DType::kU8)), bound(add_layer(20, 6, DType::kU8)), {"y", {"b"}}};
  const Result<FusedCodelet> fused = fuse(pair.producer, pair.consumer, pair.joint);
  ASSERT_TRUE(fused) << render(fused.error());
  EXPECT_EQ(
      print(fused->codelet),
      "cdlt conv_layer_add_layer {\n"
      "  x=inp([1,4,5,3],u8,null,fill=7);\n"
      "  w=inp([1,1,3,6],i8,null);\n"
      "  b=inp([6],i32,null);\n"
      "  s=inp([6],f32,null);\n"
      "  y=local([1,4,5,6],u8,null);\n"
      "  acc=local([1,4,5,6],i32,null);\n"
      "  a=inp([1,4,5,6],u8,null);\n"
      "  add_layer_y=out([1,4,5,6],u8,null);\n"
      "  loop n(1) {\n"
      "    loop oc(6) {\n"
      "      loop oh(4) {\n"
      "        loop ow(5) {\n"
      "          loop ic(3) {\n"
      "            loop kh(1) {\n"
      "              loop kw(1) {\n"
      "                acc[n,oh,ow,oc]=compute(null,\"GEMM\",x[n,kh + oh,kw + ow,ic],w[kh,kw,ic,oc],b[oc]);\n"
      "              }\n"
      "            }\n"
      "          }\n"
      "          y[n,oh,ow,oc]=compute(null,\"REQUANT\",acc[n,oh,ow,oc],s[oc],highest=255,lowest=0,zero_point=3);\n"
      "          add_layer_y[n,oh,ow,oc]=compute(null,\"REQUANT_ADD\",a[n,oh,ow,oc],y[n,oh,ow,oc],"
      "f32(0x1.7ae148p-2),f32(0x1.9eb852p-1),f32(0x1.2p+1),highest=255,lowest=0,zero_point=3);\n"
      "        }\n"
      "      }\n"
      "    }\n"
      "  }\n"
      "}\n");
  EXPECT_EQ(fused->renamed, (std::map<std::string, std::string>{{"a", "a"}, {"y", "add_layer_y"}}));
  Random random(1);
  expect_same_results(pair, *fused, random);
}

/// A user's operator over an image after one over [P,C]: the producer's loop is split.
TEST(Fuse, TheProducersFlatLoopBecomesTheConsumersLoops) {
  const Pair pair{bound(clip_layer(12, 5, DType::kI8)),
                  parsed("cdlt twice {\n"
                         "  a=inp([2,3,2,5],i8,null);\n"
                         "  w=inp([3,5],i8,null);\n"
                         "  y=out([2,3,2,5],i32,null);\n"
                         "  loop n(2) { loop h(3) { loop v(2) { loop c(5) {\n"
                         "    y[n,h,v,c]=compute(null,\"MUL\",a[n,h,v,c],w[h,c]);\n"
                         "  } } } }\n"
                         "}\n"),
                  {"y", {"a"}}};
  const Result<FusedCodelet> fused = fuse(pair.producer, pair.consumer, pair.joint);
  ASSERT_TRUE(fused) << render(fused.error());
  EXPECT_EQ(print(fused->codelet),
            "cdlt clip_layer_twice {\n"
            "  x=inp([2,3,2,5],i8,null);\n"
            "  y=local([2,3,2,5],i8,null);\n"
            "  t=local([2,3,2,5],i8,null);\n"
            "  w=inp([3,5],i8,null);\n"
            "  twice_y=out([2,3,2,5],i32,null);\n"
            "  loop n1(2) {\n"
            "    loop h1(3) {\n"
            "      loop v1(2) {\n"
            "        loop c(5) {\n"
            "          t[n1,h1,v1,c]=compute(null,\"MAX\",x[n1,h1,v1,c],i32(-108));\n"
            "          y[n1,h1,v1,c]=compute(null,\"MIN\",t[n1,h1,v1,c],i32(87));\n"
            "          twice_y[n1,h1,v1,c]=compute(null,\"MUL\",y[n1,h1,v1,c],w[h1,c]);\n"
            "        }\n"
            "      }\n"
            "    }\n"
            "  }\n"
            "}\n");
  Random random(2);
  expect_same_results(pair, *fused, random);
}

/// A producer of rows in two chunks of four elements, with room after each chunk or without.
Codelet chunks(const std::string& strides) {
  return parsed("cdlt chunks {\n x=inp([3,2,4],u8,null);\n y=out([3,2,4],u8,null" + strides +
                ");\n loop t(2) { loop p(3) { loop l(4) { y[p,t,l]=compute(null,\"MAX\",x[p,t,l],i32(3)); } } }\n}\n");
}

/// Whole rows of it, with one number for each column.
Codelet columns(const std::string& dtype) {
  return parsed("cdlt columns {\n x=inp([3,8],u8,null);\n c=inp([8]," + dtype +
                ",null);\n y=out([3,8],u8,null);\n loop p(3) { loop c1(8) {\n"
                " y[p,c1]=compute(null,\"MAX\",x[p,c1],c[c1]); } }\n}\n");
}

TEST(Fuse, ARowIsCutInChunksThatAreStoredSideBySide) {
  const Pair pair{chunks(",strides=[8,4,1]"), columns("u8"), {"y", {"x"}}};
  const acg::Machine machine = genesys({{"M", 4}, {"N", 4}});
  const Result<FusedCodelet> fused = fuse(pair.producer, pair.consumer, pair.joint, &machine);
  ASSERT_TRUE(fused) << render(fused.error());
  EXPECT_NE(print(fused->codelet).find("columns_y[p,t,l]=compute(null,\"MAX\",y[p,t,l],c[t,l]);"), std::string::npos)
      << print(fused->codelet);
  Random random(4);
  expect_same_results(pair, *fused, random);
}

TEST(Fuse, ATensorThatIsReadTwiceIsOneLocal) {
  const Pair pair{bound(clip_layer(7, 5, DType::kU8)), bound(add_layer(7, 5, DType::kU8)), {"y", {"a", "b"}}};
  const Result<FusedCodelet> fused = fuse(pair.producer, pair.consumer, pair.joint);
  ASSERT_TRUE(fused) << render(fused.error());
  EXPECT_NE(print(fused->codelet).find("REQUANT_ADD\",y[p,c],y[p,c]"), std::string::npos) << print(fused->codelet);
  Random random(3);
  expect_same_results(pair, *fused, random);
}

void expect_refused(const Pair& pair, const std::string& message, const std::string& offending) {
  const Result<FusedCodelet> fused = fuse(pair.producer, pair.consumer, pair.joint);
  ASSERT_FALSE(fused) << print(fused->codelet);
  EXPECT_EQ(fused.error().code, "CDL0080");
  EXPECT_EQ(fused.error().message, message);
  EXPECT_EQ(fused.error().offending, offending);
}

Codelet element_wise(const std::string& shape, const std::string& loops, const std::string& index,
                     const std::string& made = "") {
  return parsed("cdlt own {\n x=inp(" + shape + ",u8,null);\n y=out(" + shape + ",u8,null);\n" + loops + " y[" +
                (made.empty() ? index : made) + "]=compute(null,\"MAX\",x[" + index + "],i32(3)); " +
                std::string(static_cast<size_t>(std::count(loops.begin(), loops.end(), '{')), '}') + "}\n");
}

TEST(Fuse, PairsWithoutCommonIterationsAreRefused) {
  const Codelet clip = bound(clip_layer(12, 5, DType::kU8));
  const Joint joint{"y", {"x"}};
  expect_refused({clip, bound(global_average_pool_layer(1, 3, 4, 5, DType::kU8)), joint},
                 "the tensor is not touched element by element by outer loops of its own", "x[n,ih,iw,c]");
  expect_refused({clip, element_wise("[6,10]", "loop p(6) { loop c(10) {", "p,c"), joint},
                 "the tensor's dimensions are cut elsewhere than its producer's", "2 and 2 dimensions");
  expect_refused({clip, element_wise("[60]", "loop c(60) {", "c"), joint},
                 "the tensor's dimensions are cut elsewhere than its producer's", "2 and 1 dimensions");
  expect_refused({clip, element_wise("[12,5]", "loop p(5) { loop c(5) {", "p,c"), joint},
                 "the tensor is not touched element by element by outer loops of its own", "x[p,c]");
  expect_refused({clip, element_wise("[12,5]", "loop p(0,12,2) { loop c(5) {", "p,c"), joint},
                 "a loop over the tensor does not run from 0 by 1", "p");
  expect_refused({clip, element_wise("[5,5]", "loop c(5) {", "c,c"), joint},
                 "a loop indexes two dimensions of the tensor", "x[c,c]");
  expect_refused({clip, element_wise("[12,5]", "loop p(12) { loop c(5) {", "p,c", "0,c"), joint},
                 "the consumer's results are not made element by element", "y[0,c]");
  expect_refused({clip, element_wise("[13,5]", "loop p(13) { loop c(5) {", "p,c"), joint},
                 "the tensor's sizes do not agree", "13");
  expect_refused({clip, bound(clip_layer(12, 5, DType::kI8)), joint}, "it reads the tensor as another one than is made",
                 "x=inp([12,5],i8,null);");
  const std::string two =
      "cdlt own {\n x=inp([12,5],u8,null);\n w=inp([12,2],u8,null);\n y=out([12,5],u8,null);\n"
      " loop p(12) { loop c(5) { ";
  expect_refused({clip, parsed(two + "loop k(2) { y[p,c]=compute(null,\"MAX\",x[p,c],w[p,k]); } } } }"), joint},
                 "the consumer has loops of its own inside of those over the tensor", "k");
  expect_refused({clip, parsed(two + "y[p,c]=compute(null,\"MAX\",x[p,c],x[0,c]); } } }"), joint},
                 "it is touched at several places", "x[0,c]");
  expect_refused({clip, parsed(two + "y[p,c]=compute(null,\"MAX\",w[p,0],i32(1)); } } }"), joint},
                 "no compute touches the tensor", "x");
}

/// Chunks may have room after them, or be parts of a vector of these or other elements.
TEST(Fuse, RowsAreNotCutWhereChunksMayBeNoWholeVectors) {
  const acg::Machine narrow = genesys({{"M", 4}, {"N", 4}});
  const acg::Machine wide = genesys({{"M", 8}, {"N", 8}});
  const auto error = [](const Codelet& producer, const Codelet& consumer, const acg::Machine* machine) {
    const Result<FusedCodelet> fused = fuse(producer, consumer, {"y", {"x"}}, machine);
    return fused ? print(fused->codelet) : fused.error().message;
  };
  const std::string message = "the tensor's dimensions are cut elsewhere than its producer's";
  EXPECT_EQ(error(chunks(""), columns("u8"), &narrow), message);
  EXPECT_EQ(error(chunks(",strides=[16,8,1]"), columns("u8"), &narrow), message);
  EXPECT_EQ(error(chunks(",strides=[8,4,1]"), columns("i16"), &narrow), message);
  EXPECT_EQ(error(chunks(",strides=[8,4,1]"), columns("u8"), &wide), message);
  EXPECT_EQ(error(chunks(",strides=[8,4,1]"), columns("u8"), nullptr), message);
}

/// A dimension can be split only where its loop alone indexes it, over all of it.
TEST(Fuse, DimensionsThatCannotBeSplitAreRefused) {
  const Codelet conv = bound(conv_layer({.ih = 4, .iw = 3, .oc = 5}, DType::kU8));
  const std::string head = "cdlt own {\n x=inp([12,5],u8,null);\n w=inp([";
  const std::string loops = ",5],u8,null);\n y=out([12,5],u8,null);\n loop p(12) { loop c(5) { ";
  expect_refused(
      {conv, parsed(head + "24" + loops + "y[p,c]=compute(null,\"MAX\",x[p,c],w[p*2,c]); } } }"), {"y", {"x"}}},
      "a dimension that is split is indexed by more than its loop", "p*2");
  expect_refused(
      {conv, parsed(head + "24" + loops + "y[p,c]=compute(null,\"MAX\",x[p,c],w[p,c]); } } }"), {"y", {"x"}}},
      "a dimension that is split is longer than its loop", "w=inp([24,5],u8,null);");
}

/// Any layer of the library that makes one element type from another, and the sizes of its result: [P,C].
Codelet random_producer(Random& random, DType dtype, int64_t& pixels, int64_t& channels) {
  for (;;) {
    const Codelet codelet = bound(random_layer(random));
    const codelet::Surrogate& made = *find_surrogate(codelet, "y");
    if (made.dtype != dtype) continue;
    const std::vector<int64_t> shape = constants(made.shape);
    channels = shape.back();
    pixels = 1;
    for (size_t d = 0; d + 1 < shape.size(); ++d) pixels *= shape[d];
    return codelet;
  }
}

/// One to three elementwise layers after any other, on random machines: the same bytes as one after the other, and
/// after every pass. COVENANT_SEED chooses the first seed.
TEST(Fuse, RandomChainsKeepTheirMeaningThroughAllPasses) {
  const char* given = std::getenv("COVENANT_SEED");
  const uint64_t first = given != nullptr ? std::strtoull(given, nullptr, 10) : 1;
  int scheduled = 0;
  int refused = 0;
  for (uint64_t seed = first; seed < first + 150 && !HasFailure(); ++seed) {
    SCOPED_TRACE("COVENANT_SEED=" + std::to_string(seed));
    Random random(seed);
    const DType dtype = between(random, 0, 1) == 0 ? DType::kI8 : DType::kU8;
    int64_t pixels = 1;
    int64_t channels = 1;
    FusedCodelet chain{random_producer(random, dtype, pixels, channels), {{"y", "y"}}};
    for (int64_t more = between(random, 1, 3); more > 0; --more) {
      const bool adds = between(random, 0, 2) > 0;
      Pair pair{chain.codelet,
                bound(adds ? add_layer(pixels, channels, dtype) : clip_layer(pixels, channels, dtype)),
                {chain.renamed.at("y"), {adds ? "a" : "x"}}};
      if (adds && between(random, 0, 4) == 0) pair.joint.read.emplace_back("b");
      const Result<FusedCodelet> fused = fuse(pair.producer, pair.consumer, pair.joint);
      ASSERT_TRUE(fused) << render(fused.error());
      expect_same_results(pair, *fused, random);
      chain = *fused;
    }
    for (int64_t scale = 1;; scale *= 2) {
      ASSERT_LE(scale, 4096);
      const acg::Machine machine = random_machine(random, scale);
      const Result<std::vector<Stage>> stages = stages_of("fuse", chain.codelet, machine);
      if (!stages) {
        // Temporaries that do not fit the last memory lie where the inputs take the channels.
        const std::string& code = stages.error().code;
        ASSERT_TRUE(code == "CDL0051" || code == "CDL0053" || code == "CDL0060") << render(stages.error());
        ++refused;
        continue;
      }
      ++scheduled;
      expect_same_meaning(*stages, machine, random);
      expect_scheduled_form(stages->back().second, machine);
      break;
    }
  }
  std::cout << "seeds " << first << ".." << first + 149 << ": " << scheduled << " chains scheduled, " << refused
            << " times a machine was too small\n";
}

}  // namespace
}  // namespace covenant::compiler::testing
