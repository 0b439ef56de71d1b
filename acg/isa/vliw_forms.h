/// Operands of further operations of the vliw_core, and lists of them. Private to acg/isa.
#pragma once

#include <array>

#include "acg/isa/vliw_operands.h"

namespace covenant::acg::vliw::forms {

// Registers. `Number` is what a mnemonic's field says without a sign, `Value` with one.
inline constexpr OperandInfo kVd{"vd", kVector, {}, kWrite};
inline constexpr OperandInfo kRt{"rt", kScalar, {}, kRead};
inline constexpr OperandInfo kOffset{"offset", kSigned};
inline constexpr OperandInfo kRx{"rx", kScalar, {}, kReadWrite};
inline constexpr OperandInfo kStep{"step", kSigned};
inline constexpr OperandInfo kNewVector{"produced", kProduced, {}, kRead};
inline constexpr OperandInfo kVs{"vs", kVector, {}, kRead};
inline constexpr OperandInfo kVu{"vu", kVector, {}, kRead};
inline constexpr OperandInfo kVv{"vv", kVector, {}, kRead};
inline constexpr OperandInfo kRd{"rd", kScalar, {}, kWrite};
inline constexpr OperandInfo kRs{"rs", kScalar, {}, kRead};
inline constexpr OperandInfo kValue{"value", kSigned};
inline constexpr OperandInfo kRdd{"rdd", kScalarPair, {}, kWrite};
inline constexpr OperandInfo kRss{"rss", kScalarPair, {}, kRead};
inline constexpr OperandInfo kRtt{"rtt", kScalarPair, {}, kRead};
inline constexpr OperandInfo kSecondValue{"second", kSigned};
inline constexpr OperandInfo kPu{"pu", kPredicate, {}, kRead};
inline constexpr OperandInfo kRu{"ru", kScalar, {}, kRead};
inline constexpr OperandInfo kNumber7{.name = "value", .highest = 7};
inline constexpr OperandInfo kNumber31{.name = "value", .highest = 31};
inline constexpr OperandInfo kNumber63{.name = "value", .highest = 63};
inline constexpr OperandInfo kSecondNumber31{.name = "second", .highest = 31};
inline constexpr OperandInfo kNumber{"value"};
inline constexpr OperandInfo kNumber255{.name = "value", .highest = 255};
inline constexpr OperandInfo kRxx{"rxx", kScalarPair, {}, kReadWrite};
inline constexpr OperandInfo kSecondNumber63{.name = "second", .highest = 63};
inline constexpr OperandInfo kNumber252{.name = "value", .highest = 252};
inline constexpr OperandInfo kPd{"pd", kPredicate, {}, kWrite};
inline constexpr OperandInfo kPt{"pt", kPredicate, {}, kRead};
inline constexpr OperandInfo kPs{"ps", kPredicate, {}, kRead};
inline constexpr OperandInfo kShift{.name = "shift", .highest = 3};
inline constexpr OperandInfo kOffsetUp63{.name = "offset", .highest = 63};
inline constexpr OperandInfo kOffsetUp126{.name = "offset", .highest = 126};
inline constexpr OperandInfo kOffsetUp252{.name = "offset", .highest = 252};
inline constexpr OperandInfo kNewScalar{"produced", kProducedScalar, {}, kRead};
inline constexpr OperandInfo kOffsetUp{"offset"};
inline constexpr OperandInfo kPv{"pv", kPredicate, {}, kRead};
inline constexpr OperandInfo kNumber16376{.name = "value", .highest = 16376};
inline constexpr OperandInfo kTarget{"target", kSigned};
inline constexpr OperandInfo kCs{"cs", kControlRegister, kControlNames, kRead};
inline constexpr OperandInfo kAhead{"ahead"};

inline constexpr std::array kVdRtOffset{kVd, kRt, kOffset};
inline constexpr std::array kVdRxStep{kVd, kRx, kStep};
inline constexpr std::array kRtOffsetNewVector{kRt, kOffset, kNewVector};
inline constexpr std::array kRxStepVs{kRx, kStep, kVs};
inline constexpr std::array kVdVuVv{kVd, kVu, kVv};
inline constexpr std::array kRdRsRt{kRd, kRs, kRt};
inline constexpr std::array kRdRsValue{kRd, kRs, kValue};
inline constexpr std::array kRdValueRs{kRd, kValue, kRs};
inline constexpr std::array kRdRs{kRd, kRs};
inline constexpr std::array kRdRtRs{kRd, kRt, kRs};
inline constexpr std::array kRddRssRtt{kRdd, kRss, kRtt};
inline constexpr std::array kRddRttRss{kRdd, kRtt, kRss};
inline constexpr std::array kRddRs{kRdd, kRs};
inline constexpr std::array kRddValueSecondValue{kRdd, kValue, kSecondValue};
inline constexpr std::array kRddValueRs{kRdd, kValue, kRs};
inline constexpr std::array kRddRsValue{kRdd, kRs, kValue};
inline constexpr std::array kRdPuRsRt{kRd, kPu, kRs, kRt};
inline constexpr std::array kRdPuValueSecondValue{kRd, kPu, kValue, kSecondValue};
inline constexpr std::array kRdPuRsValue{kRd, kPu, kRs, kValue};
inline constexpr std::array kRdPuValueRs{kRd, kPu, kValue, kRs};
inline constexpr std::array kRdRsRuValue{kRd, kRs, kRu, kValue};
inline constexpr std::array kRdRsValueRu{kRd, kRs, kValue, kRu};
inline constexpr std::array kRdRtRsNumber7{kRd, kRt, kRs, kNumber7};
inline constexpr std::array kRxRsNumber31{kRx, kRs, kNumber31};
inline constexpr std::array kRddRssNumber63{kRdd, kRss, kNumber63};
inline constexpr std::array kRdRsNumber31{kRd, kRs, kNumber31};
inline constexpr std::array kRdRsNumber31SecondNumber31{kRd, kRs, kNumber31, kSecondNumber31};
inline constexpr std::array kRdRsNumber{kRd, kRs, kNumber};
inline constexpr std::array kRdRsNumber255{kRd, kRs, kNumber255};
inline constexpr std::array kRxRsNumber{kRx, kRs, kNumber};
inline constexpr std::array kRxRsRt{kRx, kRs, kRt};
inline constexpr std::array kRxRsValue{kRx, kRs, kValue};
inline constexpr std::array kRddRsRt{kRdd, kRs, kRt};
inline constexpr std::array kRxxRsRt{kRxx, kRs, kRt};
inline constexpr std::array kRdNumberRsSecondNumber63{kRd, kNumber, kRs, kSecondNumber63};
inline constexpr std::array kRdNumberRsRt{kRd, kNumber, kRs, kRt};
inline constexpr std::array kRdRuRsNumber{kRd, kRu, kRs, kNumber};
inline constexpr std::array kRdRuNumber252Rs{kRd, kRu, kNumber252, kRs};
inline constexpr std::array kPdRsRt{kPd, kRs, kRt};
inline constexpr std::array kPdRsNumber{kPd, kRs, kNumber};
inline constexpr std::array kPdRsValue{kPd, kRs, kValue};
inline constexpr std::array kPdRssRtt{kPd, kRss, kRtt};
inline constexpr std::array kPdRsNumber255{kPd, kRs, kNumber255};
inline constexpr std::array kPdRsNumber31{kPd, kRs, kNumber31};
inline constexpr std::array kPdRsNumber63{kPd, kRs, kNumber63};
inline constexpr std::array kPdPtPs{kPd, kPt, kPs};
inline constexpr std::array kPdPsPt{kPd, kPs, kPt};
inline constexpr std::array kPdPs{kPd, kPs};
inline constexpr std::array kRdPs{kRd, kPs};
inline constexpr std::array kPdRs{kPd, kRs};
inline constexpr std::array kRdPuValue{kRd, kPu, kValue};
inline constexpr std::array kRdPuRtRs{kRd, kPu, kRt, kRs};
inline constexpr std::array kRdRsOffset{kRd, kRs, kOffset};
inline constexpr std::array kRdRxStep{kRd, kRx, kStep};
inline constexpr std::array kRdRsRtShift{kRd, kRs, kRt, kShift};
inline constexpr std::array kRddRsRtShift{kRdd, kRs, kRt, kShift};
inline constexpr std::array kRsOffsetRt{kRs, kOffset, kRt};
inline constexpr std::array kRxStepRt{kRx, kStep, kRt};
inline constexpr std::array kRxStepRtt{kRx, kStep, kRtt};
inline constexpr std::array kRsRuShiftRt{kRs, kRu, kShift, kRt};
inline constexpr std::array kRsRuShiftRtt{kRs, kRu, kShift, kRtt};
inline constexpr std::array kRsOffsetUp63Value{kRs, kOffsetUp63, kValue};
inline constexpr std::array kRsOffsetUp126Value{kRs, kOffsetUp126, kValue};
inline constexpr std::array kRsOffsetUp252Value{kRs, kOffsetUp252, kValue};
inline constexpr std::array kRsOffsetNewScalar{kRs, kOffset, kNewScalar};
inline constexpr std::array kRxStepNewScalar{kRx, kStep, kNewScalar};
inline constexpr std::array kRdPtRsOffsetUp{kRd, kPt, kRs, kOffsetUp};
inline constexpr std::array kRddPtRsOffsetUp{kRdd, kPt, kRs, kOffsetUp};
inline constexpr std::array kPvRsOffsetUpRt{kPv, kRs, kOffsetUp, kRt};
inline constexpr std::array kPvRsOffsetUpRtt{kPv, kRs, kOffsetUp, kRtt};
inline constexpr std::array kRxNumber16376Rtt{kRx, kNumber16376, kRtt};
inline constexpr std::array kPuTarget{kPu, kTarget};
inline constexpr std::array kPuRs{kPu, kRs};
inline constexpr std::array kRsList{kRs};
inline constexpr std::array kRdNumber63Target{kRd, kNumber63, kTarget};
inline constexpr std::array kRdRsTarget{kRd, kRs, kTarget};
inline constexpr std::array kRddPvRs{kRdd, kPv, kRs};
inline constexpr std::array kPdRsRtTarget{kPd, kRs, kRt, kTarget};
inline constexpr std::array kPdRsNumber31Target{kPd, kRs, kNumber31, kTarget};
inline constexpr std::array kPdRsTarget{kPd, kRs, kTarget};
inline constexpr std::array kNewScalarRtTarget{kNewScalar, kRt, kTarget};
inline constexpr std::array kRtNewScalarTarget{kRt, kNewScalar, kTarget};
inline constexpr std::array kNewScalarNumber31Target{kNewScalar, kNumber31, kTarget};
inline constexpr std::array kRdCs{kRd, kCs};
inline constexpr std::array kRdAhead{kRd, kAhead};

}  // namespace covenant::acg::vliw::forms
