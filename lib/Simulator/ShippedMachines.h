//===- ShippedMachines.h - The machine files in the library -----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_SIMULATOR_SHIPPEDMACHINES_H
#define EMBER_LIB_SIMULATOR_SHIPPEDMACHINES_H

namespace ember::sim {

/// Name and text of a machine file; EmbedMachines.cmake generates the table.
struct ShippedMachine {
  const char *name;
  const char *text;
};
extern const ShippedMachine shippedMachines[];
extern const unsigned numShippedMachines;

} // namespace ember::sim

#endif // EMBER_LIB_SIMULATOR_SHIPPEDMACHINES_H
