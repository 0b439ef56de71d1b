// Prints and draws the results of the example.
#pragma once

#include <string>
#include <vector>

#include "offchip/slices.h"
#include "offchip/statistics.h"
#include "platform.h"
#include "platform/router.h"

void print_timeline(const Phase& phase, const std::vector<Part>& parts);

// Prints the traffic of each port of the DRAM.
void print_ports(const covenant::offchip::Statistics& statistics, const std::vector<Part>& parts);

// A track for each accelerator, one for the path to the DRAM, one for each of its banks, and its bus.
void write_timeline(const std::string& path, const Phase& phase, const std::vector<Part>& parts,
                    const covenant::sc::Router& router, const std::string& memory,
                    covenant::offchip::Timeline timeline);
