//===- DramMapping.cpp - From lines to channels, banks and rows -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Simulator/Dram.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace ember::sim;

namespace {
struct FieldWidths {
  unsigned width[4]; ///< by field: ch, bg, ba, co

  explicit FieldWidths(const MemoryParams &params)
      : width{llvm::Log2_32(params.channels),
              llvm::Log2_32(params.timings.bankGroups),
              llvm::Log2_32(params.timings.banksPerGroup),
              llvm::Log2_32(params.timings.rowBytes / lineBytes)} {}
};
} // namespace

static constexpr llvm::StringLiteral fieldNames[4] = {"ch", "bg", "ba", "co"};

/// Field and number of bits of an entry; -1 bits for "all that are left".
static std::optional<std::pair<unsigned, int>>
parseEntry(llvm::StringRef text) {
  auto [name, count] = text.split(':');
  int bits = -1;
  if (text.contains(':') && (count.getAsInteger(10, bits) || bits < 1))
    return std::nullopt;
  for (unsigned field = 0; field < 4; ++field)
    if (name == fieldNames[field])
      return std::make_pair(field, bits);
  return std::nullopt;
}

std::string DramMapping::check(const MemoryParams &params) {
  FieldWidths left(params);
  for (const std::string &text : params.mapping) {
    auto entry = parseEntry(text);
    if (!entry)
      return "'" + text +
             "' is not one of ch, bg, ba, co, with or without a number of "
             "bits (\"co:2\")";
    auto [field, bits] = *entry;
    if (bits > int(left.width[field]))
      return "'" + text + "' takes more bits than " + fieldNames[field].str() +
             " has left (" + std::to_string(left.width[field]) + ")";
    left.width[field] -= bits < 0 ? left.width[field] : bits;
  }
  for (unsigned field = 0; field < 4; ++field)
    if (left.width[field])
      return std::to_string(left.width[field]) + " bits of " +
             fieldNames[field].str() + " are missing";
  return "";
}

DramMapping::DramMapping(const MemoryParams &params) : hash(params.hash) {
  FieldWidths widths(params);
  channelBits = widths.width[Channel];
  groupBits = widths.width[Group];
  bankBits = widths.width[Bank];
  unsigned taken[4] = {};
  for (const std::string &text : params.mapping) {
    auto [field, wanted] = *parseEntry(text);
    unsigned count = wanted < 0 ? widths.width[field] - taken[field] : wanted;
    bits.push_back({Field(field), uint8_t(taken[field]), uint8_t(count)});
    taken[field] += count;
  }
}

/// Xors all of `value` into its lowest `width` bits.
static uint64_t fold(uint64_t value, unsigned width) {
  uint64_t result = 0;
  for (; width && value; value >>= width)
    result ^= value;
  return result & ((uint64_t(1) << width) - 1);
}

DramPlace DramMapping::place(uint64_t line) const {
  uint64_t field[4] = {};
  for (const Bits &b : bits) {
    field[b.field] |= (line & ((uint64_t(1) << b.count) - 1)) << b.to;
    line >>= b.count;
  }
  if (hash) {
    // Three different folds, so that the three do not move together. Each is
    // a permutation of the channels or banks of a row.
    field[Channel] ^= fold(line, channelBits);
    field[Group] ^= fold(line >> channelBits, groupBits);
    field[Bank] ^= fold(line >> (channelBits + groupBits), bankBits);
  }
  return {unsigned(field[Channel]),
          unsigned(field[Group] << bankBits | field[Bank]), uint32_t(line)};
}
