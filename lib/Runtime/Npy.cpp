//===- Npy.cpp - NumPy array files ----------------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Runtime/Npy.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace ember::rt;
using llvm::StringRef;

namespace {

constexpr StringRef kMagic("\x93NUMPY", 6);

struct Descriptor {
  StringRef descr;
  ElementType type;
};

// What NumPy writes on a little-endian host. Bytes have no order ('|').
constexpr Descriptor kDescriptors[] = {
    {"|b1", ElementType::I1},  {"|i1", ElementType::I8},
    {"|u1", ElementType::U8},  {"<i2", ElementType::I16},
    {"<i4", ElementType::I32}, {"<i8", ElementType::I64},
    {"<f2", ElementType::F16}, {"<f4", ElementType::F32},
    {"<f8", ElementType::F64}, {"<V2", ElementType::BF16},
};

llvm::Error error(StringRef path, const llvm::Twine &message) {
  return llvm::createStringError(path + ": " + message);
}

/// The entries of a header, a dictionary written in Python.
struct Header {
  std::optional<StringRef> descr, fortranOrder, shape;

  std::optional<StringRef> *find(StringRef key) {
    return key == "descr"           ? &descr
           : key == "fortran_order" ? &fortranOrder
           : key == "shape"         ? &shape
                                    : nullptr;
  }
};

/// Takes a string, a tuple or a word off the front of `text`; a string loses
/// its quotes, a tuple keeps its parentheses. Nothing if it does not end.
std::optional<StringRef> takeValue(StringRef &text) {
  StringRef all = text;
  bool isString = text.starts_with("'") || text.starts_with("\"");
  if (!isString && !text.starts_with("(")) {
    text = text.drop_while([](char c) { return llvm::isAlnum(c); });
    return all.drop_back(text.size());
  }
  size_t end = text.find(isString ? text.front() : ')', 1);
  if (end == StringRef::npos)
    return std::nullopt;
  text = text.drop_front(end + 1);
  return isString ? all.substr(1, end - 1) : all.take_front(end + 1);
}

llvm::Expected<Header> parseHeader(StringRef path, StringRef text) {
  auto damaged = [&](const llvm::Twine &what) {
    return error(path, "damaged header: " + what);
  };
  auto take = [&](StringRef token) {
    text = text.ltrim();
    return text.consume_front(token);
  };
  Header header;
  if (!take("{"))
    return damaged("expected a dictionary");
  while (!take("}")) {
    std::optional<StringRef> key = takeValue(text);
    std::optional<StringRef> *field = key ? header.find(*key) : nullptr;
    if (!field || !take(":"))
      return damaged("expected 'descr', 'fortran_order' or 'shape' and its "
                     "value");
    if (*field)
      return damaged("'" + *key + "' is given twice");
    text = text.ltrim();
    // Lists may be nested, and only structured arrays have them.
    if (text.starts_with("["))
      return error(path, "structured arrays are not read");
    *field = takeValue(text);
    if (!*field)
      return damaged("the value of '" + *key + "' does not end");
    if (!take(",") && !text.starts_with("}"))
      return damaged("expected ',' or '}' behind '" + *key + "'");
  }
  if (!text.trim().empty())
    return damaged("text follows the dictionary");
  for (StringRef key : {"descr", "fortran_order", "shape"})
    if (!*header.find(key))
      return damaged("'" + key + "' is missing");
  return header;
}

llvm::Expected<ElementType> elementType(StringRef path, StringRef descr,
                                        std::optional<ElementType> expected) {
  if (expected == ElementType::BF16 && (descr == "<u2" || descr == "|V2"))
    return ElementType::BF16;
  if (descr == "|V2")
    return ElementType::BF16;
  for (const Descriptor &known : kDescriptors)
    if (descr == known.descr)
      return known.type;
  if (descr.starts_with(">"))
    return error(path, "big-endian data ('" + descr +
                           "') is not read; convert it with "
                           "array.astype(array.dtype.newbyteorder('<'))");
  if (descr.starts_with("|O"))
    return error(path, "object arrays ('|O') are not read");
  return error(path, "element type '" + descr +
                         "' is not read; allowed are bool, int8, uint8, int16, "
                         "int32, int64, float16, float32, float64 and bfloat16 "
                         "(as '<V2', or '<u2' where bf16 is expected)");
}

llvm::Expected<llvm::SmallVector<int64_t, 4>> shape(StringRef path,
                                                    StringRef text) {
  auto damaged = [&](const llvm::Twine &what) {
    return error(path, "damaged header: " + what);
  };
  llvm::SmallVector<int64_t, 4> extents;
  StringRef inside = text;
  if (!inside.consume_front("(") || !inside.consume_back(")"))
    return damaged("the shape '" + text + "' is no tuple");
  inside = inside.trim();
  if (inside.empty())
    return extents;
  // "(3,)" is a tuple, "(3)" a number.
  if (!inside.consume_back(",") && !inside.contains(','))
    return damaged("the shape '" + text + "' is no tuple");
  int64_t elements = 1;
  for (StringRef part : llvm::split(inside, ',')) {
    part = part.trim();
    int64_t extent;
    if (part.getAsInteger(10, extent) || extent < 0)
      return damaged("'" + part + "' in the shape is no extent");
    if (__builtin_mul_overflow(elements, std::max<int64_t>(extent, 1),
                               &elements) ||
        elements > (int64_t(1) << 56))
      return damaged("the shape is impossibly large");
    extents.push_back(extent);
  }
  return extents;
}

StringRef descriptorOf(ElementType type) {
  for (const Descriptor &known : kDescriptors)
    if (type == known.type)
      return known.descr;
  llvm_unreachable("every element type has a descriptor");
}

} // namespace

llvm::Expected<Tensor> ember::rt::readNpy(StringRef path,
                                          std::optional<ElementType> expected) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return error(path, file.getError().message());
  StringRef bytes = (*file)->getBuffer();
  if (!bytes.starts_with(kMagic) || bytes.size() < 12)
    return error(path, "not a .npy file");
  unsigned version = static_cast<unsigned char>(bytes[6]);
  if (version < 1 || version > 3)
    return error(path, "format version " + llvm::Twine(version) +
                           " is not read; allowed are 1 to 3");
  const char *lengthAt = bytes.data() + 8;
  size_t start = version == 1 ? 10 : 12;
  size_t length = version == 1 ? llvm::support::endian::read16le(lengthAt)
                               : llvm::support::endian::read32le(lengthAt);
  if (bytes.size() < start + length)
    return error(path, "the file ends within its header");
  llvm::Expected<Header> header =
      parseHeader(path, bytes.substr(start, length));
  if (!header)
    return header.takeError();
  if (*header->fortranOrder == "True")
    return error(path, "Fortran-order data is not read; convert it with "
                       "numpy.ascontiguousarray");
  if (*header->fortranOrder != "False")
    return error(path, "damaged header: 'fortran_order' is '" +
                           *header->fortranOrder + "'; expected True or False");
  auto type = elementType(path, *header->descr, expected);
  if (!type)
    return type.takeError();
  auto dims = shape(path, *header->shape);
  if (!dims)
    return dims.takeError();

  size_t needed = byteWidth(*type);
  for (int64_t extent : *dims)
    needed *= extent;
  StringRef data = bytes.substr(start + length);
  if (data.size() < needed)
    return error(path, "the file holds " + llvm::Twine(data.size()) +
                           " bytes of data, its header promises " +
                           llvm::Twine(needed));
  Tensor tensor = allocate(*type, *dims);
  std::memcpy(tensor.data, data.data(), needed);
  return tensor;
}

llvm::Error ember::rt::writeNpy(StringRef path, const TensorView &tensor) {
  std::error_code ec;
  llvm::raw_fd_ostream os(path, ec);
  if (ec)
    return error(path, ec.message());

  std::string header = "{'descr': '" + descriptorOf(tensor.type).str() +
                       "', 'fortran_order': False, 'shape': (";
  for (int64_t extent : tensor.shape)
    header += std::to_string(extent) + ",";
  header += "), }";
  // The data starts at a multiple of 64 bytes; the header ends in a newline.
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  char length[2];
  llvm::support::endian::write16le(length, header.size());
  os << kMagic << '\x01' << '\x00' << StringRef(length, 2) << header;

  Tensor dense = makeContiguous(tensor);
  os.write(static_cast<const char *>(dense.data),
           tensor.numElements() * byteWidth(tensor.type));
  os.close();
  if (os.has_error())
    return error(path, os.error().message());
  return llvm::Error::success();
}
