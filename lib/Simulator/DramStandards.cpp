//===- DramStandards.cpp - DRAM speed grades, as data ---------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Organisation and timings of the speed grades Ember knows. Times are memory
// clocks (tCK). Simulators differ in such tables, so each row names its own.
//
//===----------------------------------------------------------------------===//

#include "ember/Simulator/Machine.h"

using namespace ember::sim;

static std::vector<DramStandard> makeStandards() {
  std::vector<DramStandard> table;

  DramStandard ddr4;
  ddr4.name = "DDR4-3200";
  ddr4.source = "Ramulator 2, DDR4_3200AA and DDR4_8Gb_x8 (JESD79-4C)";
  ddr4.busBits = 64;
  ddr4.bankGroups = 4, ddr4.banksPerGroup = 4;
  ddr4.rowBytes = 8192; // 1 KB in each of eight x8 devices
  ddr4.channelsPerCommandBus = 1;
  ddr4.tCKps = 625, ddr4.nBL = 4;
  ddr4.nCL = 22, ddr4.nCWL = 16;
  ddr4.nRCDRD = ddr4.nRCDWR = 22, ddr4.nRP = 22;
  ddr4.nRAS = 52, ddr4.nRC = 74;
  ddr4.nCCDS = 4, ddr4.nCCDL = 8;
  ddr4.nRRDS = 4, ddr4.nRRDL = 8, ddr4.nFAW = 34;
  ddr4.nWTRS = 4, ddr4.nWTRL = 12, ddr4.nRTP = 12, ddr4.nWR = 24;
  ddr4.nRFC = 576, ddr4.nREFI = 12480; // 360 ns, 7.8 us
  table.push_back(ddr4);

  DramStandard ddr5;
  ddr5.name = "DDR5-4800";
  ddr5.source = "Ramulator 2.1, DDR5-4800BN, 16 Gb x8, one sub-channel; WTR, "
                "RTP and WR: JESD79-5 (2.5, 10, 7.5 and 30 ns)";
  ddr5.busBits = 32;
  ddr5.bankGroups = 8, ddr5.banksPerGroup = 4;
  ddr5.rowBytes = 4096; // 1 KB in each of four x8 devices
  ddr5.channelsPerCommandBus = 1;
  ddr5.actCommand = 2, ddr5.columnCommand = 2;
  ddr5.tCKps = 416, ddr5.nBL = 8;
  ddr5.nCL = 36, ddr5.nCWL = 34;
  ddr5.nRCDRD = ddr5.nRCDWR = 36, ddr5.nRP = 36;
  ddr5.nRAS = 77, ddr5.nRC = 113;
  ddr5.nCCDS = 8, ddr5.nCCDL = 12;
  ddr5.nRRDS = 8, ddr5.nRRDL = 12, ddr5.nFAW = 48;
  ddr5.nWTRS = 6, ddr5.nWTRL = 24, ddr5.nRTP = 18, ddr5.nWR = 72;
  ddr5.nRFC = 709, ddr5.nREFI = 9375; // 295 ns, 3.9 us
  table.push_back(ddr5);

  // HBM: row and column commands have buses of their own, which two
  // pseudo-channels share. An activate takes two clocks of the row bus, so
  // with a precharge each, random lines of a pair come every 3 clocks while
  // their data takes 2.
  DramStandard hbm2;
  hbm2.name = "HBM2-2000";
  hbm2.source = "Ramulator 2.1, HBM2 2 Gb/s 8 Gb (JESD235C); WTR, RTP and WR: "
                "gem5 HBM_2000_4H_1x64";
  hbm2.busBits = 64;
  hbm2.bankGroups = 4, hbm2.banksPerGroup = 4;
  hbm2.rowBytes = 1024;
  hbm2.channelsPerCommandBus = 2, hbm2.splitCommandBus = true;
  hbm2.actCommand = 2;
  hbm2.tCKps = 1000, hbm2.nBL = 2;
  hbm2.nCL = 14, hbm2.nCWL = 5;
  hbm2.nRCDRD = 14, hbm2.nRCDWR = 12, hbm2.nRP = 14;
  hbm2.nRAS = 34, hbm2.nRC = 48;
  hbm2.nCCDS = 2, hbm2.nCCDL = 4;
  hbm2.nRRDS = 4, hbm2.nRRDL = 4, hbm2.nFAW = 15;
  hbm2.nWTRS = 4, hbm2.nWTRL = 9, hbm2.nRTP = 5, hbm2.nWR = 14;
  hbm2.nRFC = 350, hbm2.nREFI = 3900;
  table.push_back(hbm2);

  DramStandard hbm2Fast = hbm2;
  hbm2Fast.name = "HBM2-2400";
  hbm2Fast.source = "Ramulator 2.1, HBM2 2.4 Gb/s 8 Gb; WTR, RTP and WR: gem5 "
                    "HBM_2000_4H_1x64, same nanoseconds";
  hbm2Fast.tCKps = 833;
  hbm2Fast.nCL = 17;
  hbm2Fast.nRCDRD = 17, hbm2Fast.nRCDWR = 14, hbm2Fast.nRP = 17;
  hbm2Fast.nRAS = 40, hbm2Fast.nRC = 57;
  hbm2Fast.nRRDS = 5, hbm2Fast.nRRDL = 5, hbm2Fast.nFAW = 19;
  hbm2Fast.nWTRS = 5, hbm2Fast.nWTRL = 11, hbm2Fast.nRTP = 6;
  hbm2Fast.nWR = 17;
  hbm2Fast.nRFC = 420, hbm2Fast.nREFI = 4682;
  table.push_back(hbm2Fast);

  DramStandard hbm3 = hbm2;
  hbm3.name = "HBM3-6400";
  hbm3.source = "Ramulator 2.1, HBM3 6.4 Gb/s 8 Gb; WTR, RTP and WR: gem5 "
                "HBM_2000_4H_1x64, same nanoseconds (assumed)";
  // Data moves at four transfers a clock: 32 bits behave as 64 at two.
  hbm3.busBits = 64;
  hbm3.tCKps = 625;
  hbm3.nCL = 20, hbm3.nCWL = 10;
  hbm3.nRCDRD = 31, hbm3.nRCDWR = 15, hbm3.nRP = 26;
  hbm3.nRAS = 45, hbm3.nRC = 72;
  hbm3.nRRDS = 4, hbm3.nRRDL = 5, hbm3.nFAW = 24;
  hbm3.nWTRS = 7, hbm3.nWTRL = 15, hbm3.nRTP = 8, hbm3.nWR = 23;
  hbm3.nRFC = 560, hbm3.nREFI = 6240;
  table.push_back(hbm3);
  return table;
}

llvm::ArrayRef<DramStandard> ember::sim::dramStandards() {
  static const std::vector<DramStandard> table = makeStandards();
  return table;
}

const DramStandard *ember::sim::findDramStandard(llvm::StringRef name) {
  for (const DramStandard &standard : dramStandards())
    if (standard.name == name)
      return &standard;
  return nullptr;
}
