//===- Module.cpp - The ember._core extension -----------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver of Driver.h for Python: text in, arrays through DLPack, errors as
// the exceptions of ember.errors. Checks of arguments are the package's.
//
//===----------------------------------------------------------------------===//

#include "DLPack.h"
#include "ember/Pipelines/Driver.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace ember;
using namespace ember::python;

static const char *kindName(EmberError::Kind kind) {
  switch (kind) {
  case EmberError::Kind::Compile:
    return "compile";
  case EmberError::Kind::Option:
    return "option";
  case EmberError::Kind::ArgumentType:
    return "argument_type";
  case EmberError::Kind::ArgumentValue:
    return "argument_value";
  case EmberError::Kind::IndexOutOfRange:
    return "index_out_of_range";
  case EmberError::Kind::Simulation:
    return "simulation";
  }
  return "compile";
}

/// Raises the error as an exception of ember.errors. Needs the GIL.
[[noreturn]] static void raise(llvm::Error error) {
  std::string kind = "compile", stage, message, argument;
  int64_t position = 0, value = 0, limit = 0;
  llvm::handleAllErrors(
      std::move(error),
      [&](const EmberError &e) {
        kind = kindName(e.kind);
        stage = e.stage, message = e.message, argument = e.argument;
        position = e.position, value = e.value, limit = e.limit;
      },
      [&](const llvm::ErrorInfoBase &e) { message = e.message(); });
  py::object exception =
      py::module_::import("ember.errors")
          .attr("from_driver")(kind, stage, message, argument, position, value,
                               limit);
  PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(exception.ptr())),
                  exception.ptr());
  throw py::error_already_set();
}

template <typename T>
static T valueOrRaise(llvm::Expected<T> result) {
  if (!result)
    raise(result.takeError());
  return std::move(*result);
}

static std::unique_ptr<CompiledKernel>
compile(const std::string &text, const std::string &machine,
        const std::vector<std::string> &overrides, int level,
        int prefetchDistance) {
  CompileOptions options;
  options.machine = machine;
  options.overrides = overrides;
  options.level = level;
  options.prefetchDistance = prefetchDistance;
  auto result = [&] {
    py::gil_scoped_release release;
    return CompiledKernel::compile(text, "<program>", options);
  }();
  return valueOrRaise(std::move(result));
}

static py::tuple run(const CompiledKernel &kernel,
                     const std::vector<py::capsule> &capsules) {
  std::vector<rt::TensorView> arguments;
  for (const py::capsule &capsule : capsules)
    arguments.push_back(borrow(capsule));
  auto result = [&] {
    py::gil_scoped_release release;
    return kernel.run(arguments);
  }();
  RunResult value = valueOrRaise(std::move(result));
  return py::make_tuple(std::move(value.results), std::move(value.statistics));
}

PYBIND11_MODULE(_core, m) {
  m.doc() = "Ember's compiler and simulator";

  py::class_<rt::Tensor>(m, "Buffer", "A result, for any reader of DLPack")
      .def("__dlpack__", [](const rt::Tensor &self,
                            const py::kwargs &) { return share(self); })
      .def("__dlpack_device__",
           [](const rt::Tensor &) { return py::make_tuple(1, 0); });

  py::class_<CompiledKernel>(m, "CompiledKernel")
      .def("stages", &CompiledKernel::stages)
      .def("ir",
           [](const CompiledKernel &self, const std::string &stage) {
             return valueOrRaise(self.ir(stage));
           })
      .def("seconds_by_stage",
           [](const CompiledKernel &self) {
             py::dict seconds;
             for (const auto &[stage, time] : self.secondsByStage())
               seconds[py::str(stage)] = time;
             return seconds;
           })
      .def("remarks",
           [](const CompiledKernel &self) {
             return valueOrRaise(self.remarks());
           })
      .def("llvm",
           [](const CompiledKernel &self, const std::string &part) {
             return valueOrRaise(self.llvmIR(part));
           })
      .def("run", &run);

  m.def("compile", &compile);
}
