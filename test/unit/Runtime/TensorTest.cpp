//===- TensorTest.cpp - Arrays and .npy files -----------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Runtime/Npy.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace ember::rt;

namespace {

/// A file that is removed with the object.
class TemporaryFile {
public:
  TemporaryFile() {
    int fd;
    llvm::sys::fs::createTemporaryFile("ember", "npy", fd, path);
    llvm::raw_fd_ostream(fd, /*shouldClose=*/true);
  }
  ~TemporaryFile() { llvm::sys::fs::remove(path); }

  void write(llvm::StringRef bytes) {
    std::error_code ec;
    llvm::raw_fd_ostream(path, ec) << bytes;
  }

  llvm::SmallString<64> path;
};

std::string npy(char version, llvm::StringRef header, llvm::StringRef data) {
  std::string text = "\x93NUMPY";
  text += version;
  text += '\0';
  text += static_cast<char>(header.size());
  text += '\0';
  if (version > 1)
    text.append(2, '\0');
  return text + header.str() + data.str();
}

std::string messageOf(const std::string &bytes) {
  TemporaryFile file;
  file.write(bytes);
  llvm::Expected<Tensor> tensor = readNpy(file.path);
  if (tensor)
    return "no error";
  return llvm::toString(tensor.takeError());
}

void expectContains(const std::string &text, const char *part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

} // namespace

TEST(Npy, WritesWhatItReads) {
  for (ElementType type : {ElementType::I32, ElementType::I64, ElementType::F32,
                           ElementType::F64, ElementType::BF16}) {
    Tensor out = allocate(type, {2, 3});
    std::memset(out.data, 0x3f, 6 * byteWidth(type));
    TemporaryFile file;
    ASSERT_FALSE(static_cast<bool>(writeNpy(file.path, out.view())));
    llvm::Expected<Tensor> in = readNpy(file.path);
    ASSERT_TRUE(static_cast<bool>(in));
    EXPECT_EQ(in->type, type);
    EXPECT_EQ(in->shape, out.shape);
    EXPECT_EQ(std::memcmp(in->data, out.data, 6 * byteWidth(type)), 0);
  }
}

TEST(Npy, ReadsScalarsAndEmptyArrays) {
  for (llvm::SmallVector<int64_t, 4> shape :
       {llvm::SmallVector<int64_t, 4>{}, llvm::SmallVector<int64_t, 4>{0},
        llvm::SmallVector<int64_t, 4>{4, 0}}) {
    Tensor out = allocate(ElementType::F32, shape);
    std::memset(out.data, 0, 4);
    TemporaryFile file;
    ASSERT_FALSE(static_cast<bool>(writeNpy(file.path, out.view())));
    llvm::Expected<Tensor> in = readNpy(file.path);
    ASSERT_TRUE(static_cast<bool>(in));
    EXPECT_EQ(in->shape, shape);
  }
}

TEST(Npy, ReadsEveryVersionAndUnsignedAsBf16WhereExpected) {
  const char *header =
      "{'descr': '<u2', 'fortran_order': False, 'shape': (2,), }\n";
  for (char version : {1, 2, 3}) {
    TemporaryFile file;
    file.write(npy(version, header, llvm::StringRef("\x80\x3f\x00\x40", 4)));
    llvm::Expected<Tensor> tensor = readNpy(file.path, ElementType::BF16);
    ASSERT_TRUE(static_cast<bool>(tensor));
    EXPECT_EQ(tensor->type, ElementType::BF16);
    EXPECT_EQ(tensor->shape[0], 2);
  }
}

TEST(Npy, RefusesByName) {
  auto header = [](const char *descr, const char *order, const char *shape) {
    return std::string("{'descr': '") + descr + "', 'fortran_order': " + order +
           ", 'shape': " + shape + ", }\n";
  };
  expectContains(messageOf(npy(1, header(">f4", "False", "(0,)"), "")),
                 "big-endian");
  expectContains(messageOf(npy(1, header("|O", "False", "(0,)"), "")),
                 "object arrays");
  expectContains(messageOf(npy(1, header("<f4", "True", "(2, 2)"), "")),
                 "Fortran-order");
  expectContains(messageOf(npy(1, header("<c8", "False", "(0,)"), "")),
                 "'<c8' is not read");
}

TEST(Npy, RefusesDamagedFiles) {
  expectContains(messageOf("PK"), "not a .npy file");
  expectContains(messageOf(npy(4, "{}", "")), "format version 4");
  expectContains(
      messageOf(npy(
          1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", "x")),
      "promises 12");
}

TEST(Npy, RefusesDamagedHeaders) {
  const std::pair<const char *, const char *> cases[] = {
      {"", "expected a dictionary"},
      {"{}", "'descr' is missing"},
      {"{'descr': '<f4', 'fortran_order': False}", "'shape' is missing"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, }",
       "the value of 'shape' does not end"},
      {"{'descr': '<f4, 'fortran_order: False, shape: (2,)}",
       "expected ',' or '}' behind 'descr'"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'shape': (1,)}",
       "'shape' is given twice"},
      {"{'descr': '<f4', 'order': False, 'shape': (2,)}",
       "expected 'descr', 'fortran_order' or 'shape'"},
      {"{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}",
       "'fortran_order' is '0'; expected True or False"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)",
       "expected ',' or '}' behind 'shape'"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} }",
       "text follows the dictionary"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': 2}",
       "the shape '2' is no tuple"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2)}",
       "the shape '(2)' is no tuple"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
       "'-1' in the shape is no extent"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,,3)}",
       "'' in the shape is no extent"},
      {"{'descr': '<f4', 'fortran_order': False, "
       "'shape': (99999999999, 99999999999), }",
       "impossibly large"},
  };
  for (auto [header, expected] : cases) {
    std::string message = messageOf(npy(1, header, "12345678"));
    expectContains(message, expected);
    expectContains(message, ".npy: damaged header: ");
  }
}

TEST(Npy, RefusesStructuredArrays) {
  expectContains(messageOf(npy(1,
                               "{'descr': [('a', '<f4'), ('b', [('c', '<i4')])]"
                               ", 'fortran_order': False, 'shape': (0,)}",
                               "")),
                 "structured arrays");
}

TEST(Tensor, CopiesAnyStrides) {
  float storage[] = {0, 1, 2, 3, 4, 5};
  TensorView transposed{ElementType::F32, {3, 2}, {1, 3}, storage};
  EXPECT_FALSE(transposed.isContiguous());
  Tensor copy = makeContiguous(transposed);
  const float expected[] = {0, 3, 1, 4, 2, 5};
  EXPECT_EQ(std::memcmp(copy.data, expected, sizeof(expected)), 0);
  EXPECT_EQ(describe(copy.view()), "f32[3x2]");
}

TEST(Tensor, KnowsWhatMemoryAViewReaches) {
  TensorView view{ElementType::F32, {3, 2}, {10, 1}, nullptr};
  EXPECT_EQ(spannedBytes(view), (2 * 10 + 1 + 1) * 4u);
  view.shape = {3, 0};
  EXPECT_EQ(spannedBytes(view), 0u);
  view = {ElementType::F32, {3}, {-1}, nullptr};
  EXPECT_FALSE(spannedBytes(view));
  view = {ElementType::F32, {int64_t(1) << 40}, {int64_t(1) << 40}, nullptr};
  EXPECT_FALSE(spannedBytes(view));
}
