# Writes Machines.cpp: the shipped machine files as strings, so that no tool
# and no wheel needs data files beside it.
file(GLOB machines CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/machines/*.json)
set(entries "")
foreach(machine ${machines})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${machine})
  get_filename_component(name ${machine} NAME_WE)
  file(READ ${machine} text)
  string(APPEND entries "    {\"${name}\", R\"json(${text})json\"},\n")
endforeach()
set(generated "// Generated from lib/Simulator/machines.
#include \"${CMAKE_CURRENT_SOURCE_DIR}/ShippedMachines.h\"
namespace ember::sim {
const ShippedMachine shippedMachines[] = {
${entries}};
const unsigned numShippedMachines =
    sizeof(shippedMachines) / sizeof(shippedMachines[0]);
} // namespace ember::sim
")
file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/Machines.cpp CONTENT "${generated}")
