/// Operations of the vliw_core: one for each instruction of the Hexagon subset that it executes, named after the
/// architecture's tag of the instruction. A compare and branch in one word is named after the tag without the
/// predicate. Meaning: docs/reference/units/vliw_core.md. Operands: acg/operations/vliw_operation_table.h, in the order
/// of this list.
#pragma once

#include <cstddef>
#include <cstdint>

namespace covenant::acg {

// Several on a line, grouped by family.
// clang-format off
enum class VliwOperation : uint16_t {
  // vectors
  kVl32bAi, kVl32bPi, kVl32bCurPi, kVl32bTmpPi, kVl32bPpu, kVl32ubAi, kVs32bAi, kVs32bPi, kVs32bNewPi, kVs32bQpredAi,
  kVs32ubAi, kVrmpyubAcc, kVrmpybusAcc, kVrmpybus, kVrmpybusvAcc, kVrmpybvAcc, kVrmpyubvAcc, kVrmpybusiAcc,
  kVdmpyhvsatAcc, kVmpybusv, kVmpybv, kVmpybusvAcc, kVmpyhv, kVmpyhvAcc, kVmpyih, kVmpyhvsrs, kVmpyewuh,
  kVmpyowhRndSacc, kVtmpybusAcc, kVaddw, kVaddh, kVaddhsat, kVaddubsat, kVaddbsat, kVaddubh, kVaddhw, kVsubw,
  kVsububh, kVavgub, kVavgubrnd, kVmaxub, kVminub, kVmaxb, kVminb, kVmaxw, kVminw, kVxor, kVand, kVor, kVassign,
  kVcombine, kVgtw, kVmux, kPredScalar2, kVasrw, kVaslw, kVasrwv, kVasrwhsat, kVasrwhrndsat, kVasrhubsat,
  kVasrhubrndsat, kVasrhbrndsat, kVpackwhSat, kVpackhubSat, kVpackhbSat, kVpackeb, kVshuffeb, kVshuffvdd, kVdealvdd,
  kVshuffb, kVdealb, kVdealb4w, kValignb, kValignbi, kVror, kVdelta, kVunpackub, kVzb, kVsb, kLvsplatw, kLvsplath,
  kLvsplatb, kVinsertwr, kExtractw, kVlutvvb, kVlutvvbi, kVlutvvbOracci,
  // scalar registers, memory and branches
  kA2Add, kA2Addi, kA2Sub, kA2And, kA2Tfr, kA2Tfrsi, kA4Ext, kA2Nop, kA2Combinew, kC2Cmpgt, kC2Cmpgti, kC2Cmpeq,
  kS2AslIR, kS2AsrIR, kS2LsrIR, kM2Mpyi, kM2Maci, kL2LoadriIo, kL2LoadriPi, kL2LoadrdIo, kL2LoadrdPi, kL2LoadrbPi,
  kL2LoadrubPi, kS2StoreriIo, kS2StorerdIo, kJ2Jump, kJ2Jumpt, kJ2Jumptnewpt, kJ2Jumpr, kJ2Call, kJ2Loop0i, kJ2Loop0r,
  kJ2Loop1i, kJ2Loop1r, kJ2Trap0, kY5L2fetch, kA2Tfrrcr,
  // further vector memory and lanes
  kVl32bCurAi, kVl32bTmpAi, kVl32ubPi, kVs32bNewAi, kVs32ubPi, kVsubh, kVmaxh, kVminh, kVsathub, kVsatwh,
  kVaddb, kVaddcarryo, kVaddwq, kVmpyewuh64, kVmpyowh64Acc, kVpackeh,
  // further scalar arithmetic
  kA2Or, kA2Xor, kA2Andir, kA2Orir, kA2Subri, kA2Sxtb, kA2Sxth, kA2Zxth, kA2Aslh, kA2Asrh, kA2Max, kA2Maxu, kA2Min,
  kA2Minu, kA2Abs, kA2Addp, kA2Subp, kA2Andp, kA2Orp, kA2Xorp, kA2Sxtw, kA2Combineii, kA4Combineii, kA4Combineir,
  kA4Combineri, kC2Mux, kC2Muxii, kC2Muxir, kC2Muxri, kS4Addaddi, kS4Subaddi, kS2AddaslRrri, kS2AslIRAcc, kS2AsrIRAcc,
  kS2LsrIRAcc, kS2AslIRNac, kS2AslRR, kS2AsrRR, kS2LsrRR, kS2AslIP, kS2AsrIP, kS2LsrIP, kS2SetbitI, kS2ClrbitI,
  kS2TogglebitI, kS2Extractu, kM2Mpysip, kM2Mpysin, kM2Macsip, kM2Macsin, kM2Acci, kM2Accii, kM2Nacci, kM2MpyUp,
  kM2MpyuUp, kM2DpmpyssS0, kM2DpmpyuuS0, kM2DpmpyssAccS0, kM2DpmpyuuAccS0, kM4MpyriAddi, kM4MpyrrAddi, kM4MpyriAddr,
  kM4MpyriAddrU2,
  // compares and predicates
  kC2Cmpgtu, kC2Cmpgtui, kC2Cmpeqi, kC4Cmpneq, kC4Cmpneqi, kC4Cmplte, kC4Cmpltei, kC4Cmplteu, kC4Cmplteui, kC2Cmpeqp,
  kC2Cmpgtp, kC2Cmpgtup, kA4Cmpbeqi, kA4Cmpbgtui, kS2TstbitI, kS4NtstbitI, kC2Bitsclri, kA4Rcmpeq, kA4Rcmpneq,
  kA4Rcmpeqi, kA4Rcmpneqi, kC2And, kC2Or, kC2Xor, kC2Andn, kC2Orn, kC2Not, kC2Tfrpr, kC2Tfrrp,
  // arithmetic under a predicate
  kC2Cmoveit, kC2Cmoveif, kC2Cmovenewit, kC2Cmovenewif, kA2Paddit, kA2Paddif, kA2Padditnew, kA2Paddifnew, kA2Paddt,
  kA2Paddf, kA2Paddtnew, kA2Paddfnew, kA2Psubt, kA2Psubf, kA2Psubtnew, kA2Psubfnew,
  // scalar loads and stores
  kL2LoadrbIo, kL4LoadrbRr, kL2LoadrubIo, kL4LoadrubRr, kL2LoadrhIo, kL2LoadrhPi, kL4LoadrhRr, kL2LoadruhIo,
  kL2LoadruhPi, kL4LoadruhRr, kL4LoadriRr, kL4LoadrdRr, kS2StorerbIo, kS2StorerhIo, kS2StorerbPi, kS2StorerhPi,
  kS2StoreriPi, kS2StorerdPi, kS4StorerbRr, kS4StorerhRr, kS4StoreriRr, kS4StorerdRr, kS4StoreirbIo, kS4StoreirhIo,
  kS4StoreiriIo, kS2StorerbnewIo, kS2StorerhnewIo, kS2StorerinewIo, kS2StorerbnewPi, kS2StorerhnewPi, kS2StorerinewPi,
  // loads and stores under a predicate
  kL2PloadrubtIo, kL2PloadrubfIo, kL2PloadrubtnewIo, kL2PloadrubfnewIo, kL2PloadritIo, kL2PloadrifIo,
  kL2PloadritnewIo, kL2PloadrifnewIo, kL2PloadrdtIo, kL2PloadrdfIo, kL2PloadrdtnewIo, kL2PloadrdfnewIo,
  kS2PstorerbtIo, kS2PstorerbfIo, kS4PstorerbtnewIo, kS4PstorerbfnewIo, kS2PstoreritIo, kS2PstorerifIo,
  kS4PstoreritnewIo, kS4PstorerifnewIo, kS2PstorerdtIo, kS2PstorerdfIo, kS4PstorerdtnewIo, kS4PstorerdfnewIo,
  // frames
  kS2Allocframe, kL2Deallocframe,
  // further branches
  kJ2Jumpf, kJ2Jumptnew, kJ2Jumpfnew, kJ2Jumpfnewpt, kJ2Jumptpt, kJ2Jumpfpt, kJ2Jumprt, kJ2Jumprf, kJ2Jumprtnew,
  kJ2Jumprfnew, kJ2Jumprtnewpt, kJ2Jumprfnewpt, kJ2Callr, kJ4Jumpseti, kJ4Jumpsetr, kL4Return, kL4ReturnT, kL4ReturnF,
  kL4ReturnTnewPt, kL4ReturnFnewPt, kL4ReturnTnewPnt, kL4ReturnFnewPnt,
  // compare and branch in one word
  kJ4CmpeqTJumpNt, kJ4CmpeqTJumpT, kJ4CmpeqFJumpNt, kJ4CmpeqFJumpT, kJ4CmpgtTJumpNt, kJ4CmpgtTJumpT, kJ4CmpgtFJumpNt,
  kJ4CmpgtFJumpT, kJ4CmpgtuTJumpNt, kJ4CmpgtuTJumpT, kJ4CmpgtuFJumpNt, kJ4CmpgtuFJumpT, kJ4CmpeqiTJumpNt,
  kJ4CmpeqiTJumpT, kJ4CmpeqiFJumpNt, kJ4CmpeqiFJumpT, kJ4CmpgtiTJumpNt, kJ4CmpgtiTJumpT, kJ4CmpgtiFJumpNt,
  kJ4CmpgtiFJumpT, kJ4CmpgtuiTJumpNt, kJ4CmpgtuiTJumpT, kJ4CmpgtuiFJumpNt, kJ4CmpgtuiFJumpT, kJ4Cmpeqn1TJumpNt,
  kJ4Cmpeqn1TJumpT, kJ4Cmpeqn1FJumpNt, kJ4Cmpeqn1FJumpT, kJ4Cmpgtn1TJumpNt, kJ4Cmpgtn1TJumpT, kJ4Cmpgtn1FJumpNt,
  kJ4Cmpgtn1FJumpT,
  // branches on values of the packet
  kJ4CmpeqTJumpnvNt, kJ4CmpeqTJumpnvT, kJ4CmpeqFJumpnvNt, kJ4CmpeqFJumpnvT, kJ4CmpgtTJumpnvNt, kJ4CmpgtTJumpnvT,
  kJ4CmpgtFJumpnvNt, kJ4CmpgtFJumpnvT, kJ4CmpgtuTJumpnvNt, kJ4CmpgtuTJumpnvT, kJ4CmpgtuFJumpnvNt, kJ4CmpgtuFJumpnvT,
  kJ4CmpltTJumpnvNt, kJ4CmpltTJumpnvT, kJ4CmpltFJumpnvNt, kJ4CmpltFJumpnvT, kJ4CmpltuTJumpnvNt, kJ4CmpltuTJumpnvT,
  kJ4CmpltuFJumpnvNt, kJ4CmpltuFJumpnvT, kJ4CmpeqiTJumpnvNt, kJ4CmpeqiTJumpnvT, kJ4CmpeqiFJumpnvNt, kJ4CmpeqiFJumpnvT,
  kJ4CmpgtiTJumpnvNt, kJ4CmpgtiTJumpnvT, kJ4CmpgtiFJumpnvNt, kJ4CmpgtiFJumpnvT, kJ4CmpgtuiTJumpnvNt,
  kJ4CmpgtuiTJumpnvT, kJ4CmpgtuiFJumpnvNt, kJ4CmpgtuiFJumpnvT,
  // control registers and packet-relative addresses
  kA2Tfrcrr, kC4Addipc
};
// clang-format on
inline constexpr size_t kVliwOperationCount = static_cast<size_t>(VliwOperation::kC4Addipc) + 1;

}  // namespace covenant::acg
