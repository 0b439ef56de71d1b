/// Operand lists of the vliw_core's operations. Private to acg/isa.
#pragma once

#include <array>
#include <string_view>

#include "acg/operations/operation.h"
#include "acg/operations/vliw_traits.h"

namespace covenant::acg::vliw {

using enum OperandKind;
using enum Access;
using enum VliwTrait;

/// Control registers by number; those without a name of their own are called by their number.
inline constexpr std::array<std::string_view, 32> kControlNames{
    "sa0",        "lc0",      "sa1",        "lc1",        "p3:0", "c5",  "m0",        "m1",
    "usr",        "pc",       "ugp",        "gp",         "cs0",  "cs1", "upcyclelo", "upcyclehi",
    "framelimit", "framekey", "pktcountlo", "pktcounthi", "c20",  "c21", "c22",       "c23",
    "c24",        "c25",      "c26",        "c27",        "c28",  "c29", "utimerlo",  "utimerhi"};

inline constexpr std::array<OperandInfo, 3> kVdRtOffset{
    {{"vd", kVector, {}, kWrite}, {"rt", kScalar, {}, kRead}, {"offset", kSigned}}};
inline constexpr std::array<OperandInfo, 3> kVdRxStep{
    {{"vd", kVector, {}, kWrite}, {"rx", kScalar, {}, kReadWrite}, {"step", kSigned}}};
inline constexpr std::array<OperandInfo, 3> kVdRxMu{
    {{"vd", kVector, {}, kWrite}, {"rx", kScalar, {}, kReadWrite}, {"mu", kModifier, {}, kRead}}};
inline constexpr std::array<OperandInfo, 3> kRtOffsetVs{
    {{"rt", kScalar, {}, kRead}, {"offset", kSigned}, {"vs", kVector, {}, kRead}}};
inline constexpr std::array<OperandInfo, 3> kRxStepVs{
    {{"rx", kScalar, {}, kReadWrite}, {"step", kSigned}, {"vs", kVector, {}, kRead}}};
inline constexpr std::array<OperandInfo, 3> kRxStepProduced{
    {{"rx", kScalar, {}, kReadWrite}, {"step", kSigned}, {"produced", kProduced, {}, kRead}}};
inline constexpr std::array<OperandInfo, 4> kQvRtOffsetVs{
    {{"qv", kVectorPredicate, {}, kRead}, {"rt", kScalar, {}, kRead}, {"offset", kSigned}, {"vs", kVector, {}, kRead}}};
inline constexpr std::array<OperandInfo, 3> kVxVuRt{
    {{"vx", kVector, {}, kReadWrite}, {"vu", kVector, {}, kRead}, {"rt", kScalar, {}, kRead}}};
inline constexpr std::array<OperandInfo, 3> kVdVuRt{
    {{"vd", kVector, {}, kWrite}, {"vu", kVector, {}, kRead}, {"rt", kScalar, {}, kRead}}};
inline constexpr std::array<OperandInfo, 3> kVxVuVv{
    {{"vx", kVector, {}, kReadWrite}, {"vu", kVector, {}, kRead}, {"vv", kVector, {}, kRead}}};
inline constexpr std::array<OperandInfo, 4> kVxxVuuRtValue{{{"vxx", kVectorPair, {}, kReadWrite},
                                                            {"vuu", kVectorPair, {}, kRead},
                                                            {"rt", kScalar, {}, kRead},
                                                            {.name = "value", .highest = 1}}};
inline constexpr std::array<OperandInfo, 3> kVddVuVv{
    {{"vdd", kVectorPair, {}, kWrite}, {"vu", kVector, {}, kRead}, {"vv", kVector, {}, kRead}}};
inline constexpr std::array<OperandInfo, 3> kVxxVuVv{
    {{"vxx", kVectorPair, {}, kReadWrite}, {"vu", kVector, {}, kRead}, {"vv", kVector, {}, kRead}}};
inline constexpr std::array<OperandInfo, 3> kVdVuVv{
    {{"vd", kVector, {}, kWrite}, {"vu", kVector, {}, kRead}, {"vv", kVector, {}, kRead}}};
inline constexpr std::array<OperandInfo, 3> kVxxVuuRt{
    {{"vxx", kVectorPair, {}, kReadWrite}, {"vuu", kVectorPair, {}, kRead}, {"rt", kScalar, {}, kRead}}};
inline constexpr std::array<OperandInfo, 2> kVdVu{{{"vd", kVector, {}, kWrite}, {"vu", kVector, {}, kRead}}};
inline constexpr std::array<OperandInfo, 3> kQdVuVv{
    {{"qd", kVectorPredicate, {}, kWrite}, {"vu", kVector, {}, kRead}, {"vv", kVector, {}, kRead}}};
inline constexpr std::array<OperandInfo, 4> kVdQtVuVv{{{"vd", kVector, {}, kWrite},
                                                       {"qt", kVectorPredicate, {}, kRead},
                                                       {"vu", kVector, {}, kRead},
                                                       {"vv", kVector, {}, kRead}}};
inline constexpr std::array<OperandInfo, 2> kQdRt{{{"qd", kVectorPredicate, {}, kWrite}, {"rt", kScalar, {}, kRead}}};
inline constexpr std::array<OperandInfo, 4> kVdVuVvRt{
    {{"vd", kVector, {}, kWrite}, {"vu", kVector, {}, kRead}, {"vv", kVector, {}, kRead}, {"rt", kScalar, {}, kRead}}};
inline constexpr std::array<OperandInfo, 4> kVddVuVvRt{{{"vdd", kVectorPair, {}, kWrite},
                                                        {"vu", kVector, {}, kRead},
                                                        {"vv", kVector, {}, kRead},
                                                        {"rt", kScalar, {}, kRead}}};
inline constexpr std::array<OperandInfo, 4> kVdVuVvValue{{{"vd", kVector, {}, kWrite},
                                                          {"vu", kVector, {}, kRead},
                                                          {"vv", kVector, {}, kRead},
                                                          {.name = "value", .highest = 127}}};
inline constexpr std::array<OperandInfo, 4> kVdVuVvSlice{{{"vd", kVector, {}, kWrite},
                                                          {"vu", kVector, {}, kRead},
                                                          {"vv", kVector, {}, kRead},
                                                          {.name = "slice", .highest = 7}}};
inline constexpr std::array<OperandInfo, 4> kVxVuVvSlice{{{"vx", kVector, {}, kReadWrite},
                                                          {"vu", kVector, {}, kRead},
                                                          {"vv", kVector, {}, kRead},
                                                          {.name = "slice", .highest = 7}}};
inline constexpr std::array<OperandInfo, 2> kVddVu{{{"vdd", kVectorPair, {}, kWrite}, {"vu", kVector, {}, kRead}}};
inline constexpr std::array<OperandInfo, 2> kVdRt{{{"vd", kVector, {}, kWrite}, {"rt", kScalar, {}, kRead}}};
inline constexpr std::array<OperandInfo, 2> kVxRt{{{"vx", kVector, {}, kReadWrite}, {"rt", kScalar, {}, kRead}}};
inline constexpr std::array<OperandInfo, 3> kRdVuRs{
    {{"rd", kScalar, {}, kWrite}, {"vu", kVector, {}, kRead}, {"rs", kScalar, {}, kRead}}};
inline constexpr std::array<OperandInfo, 3> kRdRsRt{
    {{"rd", kScalar, {}, kWrite}, {"rs", kScalar, {}, kRead}, {"rt", kScalar, {}, kRead}}};
inline constexpr std::array<OperandInfo, 3> kRdRsValue{
    {{"rd", kScalar, {}, kWrite}, {"rs", kScalar, {}, kRead}, {"value", kSigned}}};
inline constexpr std::array<OperandInfo, 3> kRdRtRs{
    {{"rd", kScalar, {}, kWrite}, {"rt", kScalar, {}, kRead}, {"rs", kScalar, {}, kRead}}};
inline constexpr std::array<OperandInfo, 2> kRdRs{{{"rd", kScalar, {}, kWrite}, {"rs", kScalar, {}, kRead}}};
inline constexpr std::array<OperandInfo, 2> kRdValue{{{"rd", kScalar, {}, kWrite}, {"value", kSigned}}};
inline constexpr std::array<OperandInfo, 1> kValue{{{"value"}}};
inline constexpr std::array<OperandInfo, 0> kNoOperands{};
inline constexpr std::array<OperandInfo, 3> kRddRsRt{
    {{"rdd", kScalarPair, {}, kWrite}, {"rs", kScalar, {}, kRead}, {"rt", kScalar, {}, kRead}}};
inline constexpr std::array<OperandInfo, 3> kPdRsRt{
    {{"pd", kPredicate, {}, kWrite}, {"rs", kScalar, {}, kRead}, {"rt", kScalar, {}, kRead}}};
inline constexpr std::array<OperandInfo, 3> kPdRsValue{
    {{"pd", kPredicate, {}, kWrite}, {"rs", kScalar, {}, kRead}, {"value", kSigned}}};
inline constexpr std::array<OperandInfo, 3> kRdRsValueUnsigned{
    {{"rd", kScalar, {}, kWrite}, {"rs", kScalar, {}, kRead}, {.name = "value", .highest = 31}}};
inline constexpr std::array<OperandInfo, 3> kRxRsRt{
    {{"rx", kScalar, {}, kReadWrite}, {"rs", kScalar, {}, kRead}, {"rt", kScalar, {}, kRead}}};
inline constexpr std::array<OperandInfo, 3> kRdRsOffset{
    {{"rd", kScalar, {}, kWrite}, {"rs", kScalar, {}, kRead}, {"offset", kSigned}}};
inline constexpr std::array<OperandInfo, 3> kRdRxStep{
    {{"rd", kScalar, {}, kWrite}, {"rx", kScalar, {}, kReadWrite}, {"step", kSigned}}};
inline constexpr std::array<OperandInfo, 3> kRddRsOffset{
    {{"rdd", kScalarPair, {}, kWrite}, {"rs", kScalar, {}, kRead}, {"offset", kSigned}}};
inline constexpr std::array<OperandInfo, 3> kRddRxStep{
    {{"rdd", kScalarPair, {}, kWrite}, {"rx", kScalar, {}, kReadWrite}, {"step", kSigned}}};
inline constexpr std::array<OperandInfo, 3> kRsOffsetRt{
    {{"rs", kScalar, {}, kRead}, {"offset", kSigned}, {"rt", kScalar, {}, kRead}}};
inline constexpr std::array<OperandInfo, 3> kRsOffsetRtt{
    {{"rs", kScalar, {}, kRead}, {"offset", kSigned}, {"rtt", kScalarPair, {}, kRead}}};
inline constexpr std::array<OperandInfo, 1> kTarget{{{"target", kSigned}}};
inline constexpr std::array<OperandInfo, 2> kPuTarget{{{"pu", kPredicate, {}, kRead}, {"target", kSigned}}};
inline constexpr std::array<OperandInfo, 1> kRs{{{"rs", kScalar, {}, kRead}}};
inline constexpr std::array<OperandInfo, 2> kTargetCount{{{"target", kSigned}, {"count"}}};
inline constexpr std::array<OperandInfo, 2> kTargetRs{{{"target", kSigned}, {"rs", kScalar, {}, kRead}}};
inline constexpr std::array<OperandInfo, 2> kRsRtt{{{"rs", kScalar, {}, kRead}, {"rtt", kScalarPair, {}, kRead}}};
inline constexpr std::array<OperandInfo, 2> kCdRs{
    {{"cd", kControlRegister, kControlNames, kWrite}, {"rs", kScalar, {}, kRead}}};

}  // namespace covenant::acg::vliw
