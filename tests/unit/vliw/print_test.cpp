// Code as text: virtual registers, their halves, loops, packets.
#include "compiler/families/vliw/print.h"

#include "tests/unit/vliw/build.h"

namespace covenant::compiler::vliw {
namespace {

using namespace testing;

TEST(PrintCode, VirtualRegistersLoopsAndNumbers) {
  Writer writer(hvx());
  const Name pointer = writer.make(RegisterFile::kScalar), pair = writer.make(RegisterFile::kScalar, true);
  const Name sum = writer.vector();
  std::vector<CodeStep> steps, body;
  writer.add(steps, kA2Tfrsi, {pointer, 0x100000});
  writer.add(body, kL2LoadrdIo, {pair, pointer, 8});
  writer.add(body, kLvsplatw, {sum, upper(pair)});
  writer.add(body, kA2Addi, {pointer, pointer, 8});
  steps.emplace_back(CodeLoop{7, body});
  const Code code = writer.take(steps);
  EXPECT_EQ(print(code, hvx()),
            "%r0 = ##1048576\n"
            "repeat 7:\n"
            "  %r1 = memd(%r0+#8)\n"
            "  %v2 = vsplat(%r1.upper)\n"
            "  %r0 = add(%r0,#8)\n");
}

TEST(PrintCode, PacketsAndWhoCountsTheTripsOfTheirLoops) {
  PacketCode code;
  code.registers = {{RegisterFile::kScalar}, {RegisterFile::kPredicate}};
  code.fixed = {{0, 31}};
  const Name count{0}, more{1};
  const CodePacket step{{make(kA2Addi, {count, count, -1}), make(kC2Cmpgti, {more, count, 1})}};
  code.steps.emplace_back(CodePacket{{make(kJ2Loop0i, {0, 4}), make(kJ2Loop1i, {0, 3})}});
  const PacketLoop inner{LoopKind::kInner, {step}};
  const PacketLoop outer{LoopKind::kOuter, {inner, CodePacket{}}};
  code.steps.emplace_back(PacketLoop{LoopKind::kBranch, {outer, CodePacket{{make(kJ2Jumptnewpt, {more, 0})}}}});
  EXPECT_EQ(print(code, hvx()),
            "%r0 = r31\n"
            "{ loop0(loop,#4); loop1(loop,#3) }\n"
            "branch:\n"
            "  loop1:\n"
            "    loop0:\n"
            "      { %r0 = add(%r0,#-1); %p1 = cmp.gt(%r0,#1) }\n"
            "    { }\n"
            "  { if (%p1.new) jump:t loop }\n");
}

}  // namespace
}  // namespace covenant::compiler::vliw
