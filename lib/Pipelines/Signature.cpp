//===- Signature.cpp - What a compiled function takes and gives -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Signature.h"

#include "Faults.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace ember {
namespace {

using Kind = EmberError::Kind;

std::optional<rt::ElementType> elementType(Type type) {
  if (type.isIndex())
    return rt::ElementType::I64;
  if (type.isUnsignedInteger(8))
    return rt::ElementType::U8;
  if (!type.isIntOrFloat())
    return std::nullopt;
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return rt::parseElementType(text);
}

/// The name of argument or result `index`: its `ember.name`, or its position.
std::string parameterName(Attribute attribute, unsigned index) {
  if (auto name = dyn_cast_or_null<StringAttr>(attribute))
    return name.str();
  return std::to_string(index);
}

/// Whether an array without gaps is laid out as `type` says.
bool describesDenseArray(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) ||
      !(offset == 0 || ShapedType::isDynamic(offset)))
    return false;
  int64_t dense = 1;
  for (auto [stride, extent] :
       llvm::reverse(llvm::zip_equal(strides, type.getShape()))) {
    if (!ShapedType::isDynamic(stride) && stride != dense)
      return false;
    dense = ShapedType::isDynamic(dense) || ShapedType::isDynamic(extent)
                ? ShapedType::kDynamic
                : dense * extent;
  }
  return true;
}

std::optional<Parameter> parameter(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!isa<MemRefType, RankedTensorType>(type) ||
      (isa<MemRefType>(type) && !describesDenseArray(cast<MemRefType>(type))))
    return std::nullopt;
  std::optional<rt::ElementType> element = elementType(shaped.getElementType());
  if (!element)
    return std::nullopt;
  Parameter result;
  result.type = *element;
  for (int64_t extent : shaped.getShape())
    result.shape.push_back(ShapedType::isDynamic(extent) ? -1 : extent);
  return result;
}

/// True for memref<?xDxT, strided<[?, 1], ...>>: a view of a wider matrix may
/// be passed as it is.
bool takesAnyRowStride(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref || memref.getRank() != 2)
    return false;
  auto [strides, offset] = memref.getStridesAndOffset();
  return ShapedType::isDynamic(strides[0]) && strides[1] == 1;
}

/// "f32[?x64]".
std::string describe(const Parameter &parameter) {
  std::string text = rt::name(parameter.type).str() + "[";
  llvm::interleave(
      parameter.shape,
      [&](int64_t extent) {
        text += extent < 0 ? "?" : std::to_string(extent);
      },
      [&] { text += "x"; });
  return text + "]";
}

bool fits(const Parameter &parameter, const rt::TensorView &view) {
  return llvm::equal(parameter.shape, view.shape,
                     [](int64_t expected, int64_t given) {
                       return expected < 0 || expected == given;
                     });
}

bool hasUnitInnerStride(const rt::TensorView &view) {
  return view.shape.size() == 2 &&
         (view.strides[1] == 1 || view.shape[1] <= 1) && view.strides[0] >= 0;
}

} // namespace

llvm::Expected<func::FuncOp> findEntry(ModuleOp module, StringRef entry) {
  std::vector<func::FuncOp> candidates;
  module.walk([&](func::FuncOp function) {
    if (function.isExternal() || function.isPrivate())
      return;
    // A split module holds the functions of its other parts beside the host's.
    auto parent = function->getParentOfType<ModuleOp>();
    if (parent != module && parent.getSymName() != "host")
      return;
    candidates.push_back(function);
  });
  auto names = llvm::map_range(
      candidates, [](func::FuncOp f) { return f.getSymName().str(); });
  if (entry.empty()) {
    if (candidates.size() == 1)
      return candidates.front();
    return error(Kind::Option, "entry",
                 candidates.empty()
                     ? "the module holds no public function to run"
                     : "the module holds several functions; name one of them "
                       "as the entry: " +
                           llvm::join(names, ", "));
  }
  for (func::FuncOp function : candidates)
    if (function.getSymName() == entry)
      return function;
  return error(Kind::Option, "entry",
               "there is no public function '" + entry + "'" +
                   (candidates.empty()
                        ? ""
                        : "; the module holds: " + llvm::join(names, ", ")));
}

llvm::Expected<Signature> readSignature(func::FuncOp function) {
  Signature signature;
  std::string place = describeLocation(function.getLoc());
  auto fail = [&](const llvm::Twine &problem) {
    return error(Kind::Compile, "signature",
                 (place.empty() ? "" : place + ": error: ") + "function '" +
                     function.getSymName() + "': " + problem);
  };
  auto refuse = [&](const char *what, const std::string &name, Type type) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return fail(llvm::Twine(what) + " '" + name + "' has type " + text +
                "; arguments and results are dense memrefs or tensors of i1, "
                "i8, i16, i32, i64, f16, bf16, f32 or f64");
  };
  llvm::StringSet<> argumentNames, resultNames;
  unsigned position = 0;
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
    if (!isa<ShapedType>(type) && index == 0 &&
        function->getParentOfType<ModuleOp>().getSymName() == "host")
      continue; // the context, the first argument once a module is split
    std::string name =
        parameterName(function.getArgAttr(index, "ember.name"), position++);
    std::optional<Parameter> argument = parameter(type);
    if (!argument)
      return refuse("argument", name, type);
    argument->name = name;
    if (!argumentNames.insert(name).second)
      return fail("two arguments are called '" + name + "'");
    argument->learned = !!function.getArgAttr(index, "ember.parameter");
    signature.arguments.push_back(*argument);
    signature.anyRowStride.push_back(takesAnyRowStride(type));
  }
  for (auto [index, type] : llvm::enumerate(function.getResultTypes())) {
    std::string name =
        parameterName(function.getResultAttr(index, "ember.name"), index);
    std::optional<Parameter> result = parameter(type);
    if (!result)
      return refuse("result", name, type);
    result->name = name;
    if (!resultNames.insert(name).second)
      return fail("two results are called '" + name + "'");
    signature.results.push_back(*result);
  }
  return signature;
}

llvm::Expected<std::vector<rt::TensorView>>
bindArguments(const Signature &signature,
              llvm::ArrayRef<rt::TensorView> arguments,
              std::vector<rt::Tensor> &copies) {
  if (arguments.size() != signature.arguments.size())
    return error(Kind::ArgumentType, "bind",
                 "the kernel takes " + llvm::Twine(signature.arguments.size()) +
                     " arguments, but " + llvm::Twine(arguments.size()) +
                     " were given");
  std::vector<rt::TensorView> bound;
  for (auto [index, view] : llvm::enumerate(arguments)) {
    const Parameter &expected = signature.arguments[index];
    if (view.type != expected.type ||
        view.shape.size() != expected.shape.size())
      return error(Kind::ArgumentType, "bind",
                   "argument '" + expected.name + "' is " + rt::describe(view) +
                       "; expected " + describe(expected));
    if (!fits(expected, view))
      return error(Kind::ArgumentValue, "bind",
                   "argument '" + expected.name + "' is " + rt::describe(view) +
                       "; expected " + describe(expected));
    bool asIs = view.isContiguous() ||
                (signature.anyRowStride[index] && hasUnitInnerStride(view));
    if (!asIs)
      copies.push_back(rt::makeContiguous(view));
    bound.push_back(asIs ? view : copies.back().view());
  }
  return bound;
}

} // namespace ember
