/// The text form of a network, which `parse_network` reads back:
///
///     network "digits" of "digits_qdq.onnx" {
///       tensor 0 "x" u8 [1,1,8,8] zero_point=3 DRAM allocation=0 strides=[1024,1,128,16] after=[0,15,0,0] live=[0,0];
///       input "image" [1,1,8,8] tensor=0 host_quantizes scale=0x1p-4 zero_point=3;
///       output "logits" [1,10] tensor=4;
///       layer "conv1" conv lowering="plain" macs=4608 elementwise=512 {
///         param IC=1; param ZX=3;
///         dtype w i8;
///         tensor x=0; tensor y=1;
///         constant w [3,3,1,8] "00ff...";
///       }
///     }
#pragma once

#include <string>

#include "compiler/network/network.h"

namespace covenant::compiler {

/// Equal networks give equal texts; constants are printed in hexadecimal. Precondition: no layer is fused.
std::string print(const Network& network);
/// The text of one layer.
std::string print(const NetworkLayer& layer);

}  // namespace covenant::compiler
