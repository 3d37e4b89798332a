//===- DlcExecuteOps.td - The execute side of the dlc dialect -*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_DLC_IR_DLCEXECUTEOPS_TD
#define EMBER_DIALECT_DLC_IR_DLCEXECUTEOPS_TD

/// They stand directly in `dlc.execute` or in each other; after `dlc-split`,
/// in a function that has the attribute `dlc.queues`.
class Dlc_ExecuteSideOp<string mnemonic, list<Trait> traits = []>
    : Dlc_Op<mnemonic, traits # [
        RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">]> {
  let hasVerifier = 1;
}

/// What an operation takes off a queue is gone: two equal ones are not one, and
/// one without a use stays.
def Dlc_Queues : Resource<"::ember::dlc::QueueResource">;
def Dlc_TakesFromQueues
    : MemoryEffects<[MemRead<Dlc_Queues>, MemWrite<Dlc_Queues>]>;

def Dlc_RepeatOp : Dlc_ExecuteSideOp<"repeat", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "The core's part of a counted loop";
  let description = [{
    Same label and bounds as the `dlc.loop` it follows.

    ```mlir
    %n = dlc.repeat @bags %b = %lo to %hi step %c1 iter_args(%k = %zero) -> (i64) {
      ...
      dlc.yield %next : i64
    }
    ```
  }];
  let arguments = (ins StrAttr:$label, Index:$lower, Index:$upper, Index:$step,
                       Variadic<AnyType>:$inits);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "mlir::StringRef":$label, "mlir::Value":$lower,
                   "mlir::Value":$upper, "mlir::Value":$step,
                   CArg<"mlir::ValueRange", "{}">:$inits)>];
  let extraClassDeclaration = [{
    mlir::BlockArgument getCounter() { return getBody().getArgument(0); }
    mlir::Block::BlockArgListType getIterArgs() {
      return getBody().getArguments().drop_front();
    }
  }];
}

/// A loop whose trip count the core learns from a queue.
class Dlc_FollowingOp<string mnemonic>
    : Dlc_ExecuteSideOp<mnemonic, [Dlc_TakesFromQueues]> {
  let arguments = (ins StrAttr:$label, Variadic<AnyType>:$inits);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "mlir::StringRef":$label,
                   CArg<"mlir::ValueRange", "{}">:$inits)>];
  let extraClassDeclaration = [{
    mlir::Block::BlockArgListType getIterArgs() {
      return getBody().getArguments();
    }
  }];
}

def Dlc_UntilOp : Dlc_FollowingOp<"until"> {
  let summary = "The core's part of a loop that sends tokens";
  let description = [{
    Takes one token before each iteration and leaves at the END token.

    ```mlir
    %n = dlc.until @elems iter_args(%k = %zero) -> (i64) {
      ...
      dlc.yield %next : i64
    }
    ```
  }];
}

def Dlc_TimesOp : Dlc_FollowingOp<"times"> {
  let summary = "The core's part of a loop that announces its trip count";
  let description = [{
    Takes the trip count from the scalar queue before the first iteration.

    ```mlir
    %n = dlc.times @elems iter_args(%k = %zero) -> (i64) {
      ...
      dlc.yield %next : i64
    }
    ```
  }];
}

def Dlc_WhenOp : Dlc_ExecuteSideOp<"when", [
    Dlc_TakesFromQueues, NoRegionArguments]> {
  let summary = "The core's part of a choice whose flag is sent";
  let description = [{
    Takes the flag of a `dlc.if` from the token queue.

    ```mlir
    %y = dlc.when -> (f32) { ... dlc.yield %s : f32 } else { dlc.yield %x : f32 }
    ```
  }];
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$thenRegion,
                        MaxSizedRegion<1>:$elseRegion);
  let hasCustomAssemblyFormat = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "mlir::TypeRange":$results, "bool":$withElse)>];
}

def Dlc_TakeOp : Dlc_ExecuteSideOp<"take", [Dlc_TakesFromQueues]> {
  let summary = "Take elements off the queues for the time of a region";
  let description = [{
    Waits for its elements, which are seen in the region: scalars and vectors
    as values, a row as memory of the queue, read in place. At the end of the
    region their room is given back, so a row must not outlive it.

    ```mlir
    %s = dlc.take(%w : f32 from scalar, %row : memref<112xf32, #slc.queue> from data) -> (f32) {
      ...
      dlc.yield %v : f32
    }
    ```
  }];
  let arguments = (ins TypedArrayAttrBase<Dlc_QueueKindAttr, "array of queues">:$queues);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "mlir::TypeRange":$results, "mlir::TypeRange":$elements,
                   "mlir::ArrayRef<QueueKind>":$queues)>];
  let extraClassDeclaration = [{
    QueueKind getQueue(unsigned index) {
      return mlir::cast<QueueKindAttr>(getQueues()[index]).getValue();
    }
  }];
}

#endif // EMBER_DIALECT_DLC_IR_DLCEXECUTEOPS_TD
