// RUN: ember-opt %s --split-input-file --verify-diagnostics

dlc.kernel @type(%in: memref<?xf32>, %n: index) queues <data = 64, scalar = 64, token = 64> {
  %c0 = arith.constant 0 : index
  dlc.access {
    %x = dlc.mem %in[%c0] : memref<?xf32> -> f32
    // expected-note @below {{the access unit does so here}}
    dlc.push data, %x : f32
  }
  dlc.execute {
    // expected-error @below {{does not match the access side: the core takes 'i32' from the data queue, but the access unit pushes 'f32' to the data queue}}
    dlc.take(%x : i32 from data) {}
  }
}

// -----

dlc.kernel @queue(%in: memref<?xf32>) queues <data = 64, scalar = 64, token = 64> {
  %c0 = arith.constant 0 : index
  dlc.access {
    %x = dlc.mem %in[%c0] : memref<?xf32> -> f32
    // expected-note @below {{the access unit does so here}}
    dlc.push data, %x : f32
  }
  dlc.execute {
    // expected-error @below {{the core takes 'f32' from the scalar queue, but the access unit pushes 'f32' to the data queue}}
    dlc.take(%x : f32 from scalar) {}
  }
}

// -----

// The order counts over all queues together.
dlc.kernel @order(%in: memref<?xf32>) queues <data = 64, scalar = 64, token = 64> {
  %c0 = arith.constant 0 : index
  dlc.access {
    %x = dlc.mem %in[%c0] : memref<?xf32> -> f32
    dlc.push data, %x : f32
    // expected-note @above {{the access unit does so here}}
    dlc.push scalar, %x : f32
  }
  dlc.execute {
    // expected-error @below {{does not match the access side}}
    dlc.take(%a : f32 from scalar, %b : f32 from data) {}
  }
}

// -----

dlc.kernel @neverTaken(%in: memref<?xf32>) queues <data = 64, scalar = 64, token = 64> {
  %c0 = arith.constant 0 : index
  dlc.access {
    %x = dlc.mem %in[%c0] : memref<?xf32> -> f32
    // expected-error @below {{the access unit pushes 'f32' to the data queue, which the core never takes}}
    dlc.push data, %x : f32
  }
  // expected-note @below {{the core ends here}}
  dlc.execute {
  }
}

// -----

dlc.kernel @neverSent(%n: index) queues <data = 64, scalar = 64, token = 64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  dlc.access {
    // expected-note @below {{the access unit ends here}}
    dlc.loop @l %i = %c0 to %n step %c1 until {
    }
  }
  dlc.execute {
    dlc.until @l {
      // expected-error @below {{the core takes 'index' from the data queue, which the access unit never sends}}
      dlc.take(%i : index from data) {}
    }
  }
}

// -----

dlc.kernel @missingToken(%n: index) queues <data = 64, scalar = 64, token = 64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  dlc.access {
    // expected-note @below {{the loop of the access unit}}
    dlc.loop @l %i = %c0 to %n step %c1 counted {
      dlc.push data, %i : index
    }
  }
  dlc.execute {
    // expected-error @below {{of @l expects a token an iteration, but the access unit sends nothing about its trip count}}
    dlc.until @l {
      dlc.take(%i : index from data) {}
    }
  }
}

// -----

dlc.kernel @strayToken(%n: index) queues <data = 64, scalar = 64, token = 64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  dlc.access {
    // expected-note @below {{the loop of the access unit}}
    dlc.loop @l %i = %c0 to %n step %c1 until {
      dlc.push data, %i : index
    }
  }
  dlc.execute {
    // expected-error @below {{of @l expects nothing about its trip count, but the access unit sends a token an iteration}}
    dlc.repeat @l %i = %c0 to %n step %c1 {
      dlc.take(%j : index from data) {}
    }
  }
}

// -----

dlc.kernel @missingCount(%n: index) queues <data = 64, scalar = 64, token = 64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  dlc.access {
    // expected-note @below {{the loop of the access unit}}
    dlc.loop @l %i = %c0 to %n step %c1 until {
      dlc.push data, %i : index
    }
  }
  dlc.execute {
    // expected-error @below {{of @l expects its trip count, but the access unit sends a token an iteration}}
    dlc.times @l {
      dlc.take(%j : index from data) {}
    }
  }
}

// -----

dlc.kernel @announcedStep(%n: index) queues <data = 64, scalar = 64, token = 64> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  dlc.access {
    // expected-error @below {{announces its trip count, so it has a step of 1}}
    dlc.loop @l %i = %c0 to %n step %c2 announced {
      dlc.push data, %i : index
    }
  }
  dlc.execute {
    dlc.times @l {
      dlc.take(%j : index from data) {}
    }
  }
}

// -----

dlc.kernel @bounds(%n: index, %m: index) queues <data = 64, scalar = 64, token = 64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  dlc.access {
    // expected-note @below {{the loop of the access unit}}
    dlc.loop @l %i = %c0 to %n step %c1 counted {
      dlc.push data, %i : index
    }
  }
  dlc.execute {
    // expected-error @below {{has another upper bound than the loop @l of the access unit}}
    dlc.repeat @l %i = %c0 to %m step %c1 {
      dlc.take(%j : index from data) {}
    }
  }
}

// -----

dlc.kernel @label(%n: index) queues <data = 64, scalar = 64, token = 64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  dlc.access {
    // expected-note @below {{the access unit does so here}}
    dlc.loop @a %i = %c0 to %n step %c1 until {
    }
  }
  dlc.execute {
    // expected-error @below {{the core follows the loop @b, but the access unit runs the loop @a}}
    dlc.until @b {
    }
  }
}

// -----

dlc.kernel @noFlag(%m: memref<?xi1>) queues <data = 64, scalar = 64, token = 64> {
  %c0 = arith.constant 0 : index
  dlc.access {
    %c = dlc.mem %m[%c0] : memref<?xi1> -> i1
    // expected-error @below {{sends no flag, so the core cannot know whether to follow what it holds}}
    dlc.if %c {
      // expected-note @below {{a queue is used here}}
      dlc.push data, %c : i1
    }
  }
  dlc.execute {
    dlc.when {
      dlc.take(%x : i1 from data) {}
    }
  }
}

// -----

dlc.kernel @besideFilter(%m: memref<?xi1>, %n: index) queues <data = 64, scalar = 64, token = 64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  dlc.access {
    dlc.loop @l %i = %c0 to %n step %c1 until {
      %c = dlc.mem %m[%i] : memref<?xi1> -> i1
      // expected-error @below {{stands beside the filter of @l, which must hold all that an iteration sends}}
      dlc.push data, %i : index
      // expected-note @below {{the filter}}
      dlc.if %c filter {
        dlc.push data, %i : index
      }
    }
  }
  dlc.execute {
    dlc.until @l {
      dlc.take(%i : index from data) {}
    }
  }
}

// -----

dlc.kernel @filterCounted(%m: memref<?xi1>, %n: index) queues <data = 64, scalar = 64, token = 64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  dlc.access {
    dlc.loop @l %i = %c0 to %n step %c1 counted {
      %c = dlc.mem %m[%i] : memref<?xi1> -> i1
      // expected-error @below {{filters the iterations of @l, which sends no tokens}}
      dlc.if %c filter {
        dlc.push data, %i : index
      }
    }
  }
  dlc.execute {
    dlc.repeat @l %i = %c0 to %n step %c1 {
      dlc.take(%j : index from data) {}
    }
  }
}

// -----

dlc.kernel @strayOp(%x: f32) queues <data = 64, scalar = 64, token = 64> {
  dlc.access {
    // expected-error @below {{is not an operation of the access unit}}
    %y = arith.addf %x, %x : f32
  }
  dlc.execute {}
}

// -----

dlc.kernel @constant() queues <data = 64, scalar = 64, token = 64> {
  %x = arith.constant 1.0 : f32
  dlc.access {
    // expected-error @below {{sends a value that the access unit does not load and the core has already}}
    dlc.push data, %x : f32
  }
  dlc.execute {
    dlc.take(%y : f32 from data) {}
  }
}

// -----

dlc.kernel @step(%t: memref<?xindex>, %n: index) queues <data = 64, scalar = 64, token = 64> {
  %c0 = arith.constant 0 : index
  dlc.access {
    %s = dlc.mem %t[%c0] : memref<?xindex> -> index
    // expected-error @below {{needs a step that is an argument of the kernel or a constant}}
    dlc.loop @l %i = %c0 to %n step %s until {
    }
  }
  dlc.execute {
    dlc.until @l {
    }
  }
}

// -----

dlc.kernel @queueUnderIf(%n: index, %c: i1) queues <data = 64, scalar = 64, token = 64> {
  dlc.access {
    dlc.push data, %n : index
  }
  dlc.execute {
    scf.if %c {
      // expected-error @below {{uses a queue, so it stands directly in dlc.execute, dlc.repeat, dlc.times, dlc.until or dlc.when}}
      dlc.take(%i : index from data) {}
    }
  }
}

// -----

dlc.kernel @capacity(%t: memref<?x100xf32>) queues <data = 512, scalar = 64, token = 64> {
  %c0 = arith.constant 0 : index
  dlc.access {
    %r = dlc.mem %t[%c0, %c0] : memref<?x100xf32> -> !slc.chunk<100xf32>
    dlc.push data, %r : !slc.chunk<100xf32>
  }
  dlc.execute {
    // expected-error @below {{takes 400 bytes from the data queue at once, which with its largest element needs 800 bytes, but the queue has 512}}
    dlc.take(%r : memref<100xf32, #slc.queue> from data) {}
  }
}

// -----

// expected-error @below {{needs one dlc.access and one dlc.execute region}}
dlc.kernel @noExecute() queues <data = 64, scalar = 64, token = 64> {
  dlc.access {}
}

// -----

// expected-error @below {{scalar must be a power of two of at least 64, but is 100}}
dlc.kernel @size() queues <data = 64, scalar = 100, token = 64> {
  dlc.access {}
  dlc.execute {}
}

// -----

dlc.kernel @stridedRow(%t: memref<4x4xf32, strided<[8, 2]>>) queues <data = 64, scalar = 64, token = 64> {
  %c0 = arith.constant 0 : index
  dlc.access {
    // expected-error @below {{touches several elements, so the innermost dimension needs stride 1}}
    %r = dlc.mem %t[%c0, %c0] : memref<4x4xf32, strided<[8, 2]>> -> !slc.chunk<4xf32>
  }
  dlc.execute {}
}

// -----

dlc.kernel @loads(%t: memref<4x4xf32>) queues <data = 64, scalar = 64, token = 64> {
  %c0 = arith.constant 0 : index
  dlc.access {
    // expected-error @below {{loads 'f64' from a buffer of 'f32'}}
    %r = dlc.mem %t[%c0, %c0] : memref<4x4xf32> -> f64
  }
  dlc.execute {}
}

// -----

// expected-note @below {{the kernel}}
dlc.kernel @one(%n: index) queues <data = 64, scalar = 64, token = 64> {
  dlc.access {}
  dlc.execute {}
}
func.func @host(%n: i64) {
  // expected-error @below {{passes ('i64') but @one expects ('index')}}
  dlc.launch @one(%n) : i64
  return
}

// -----

func.func @host(%n: i64) {
  // expected-error @below {{launches @two, which is no dlc.kernel}}
  dlc.launch @two(%n) : i64
  return
}

// -----

dlc.kernel @readAndStored(%t: memref<?xf32>) queues <data = 64, scalar = 64, token = 64> {
  %c0 = arith.constant 0 : index
  dlc.access {
    // expected-note @below {{it is used here}}
    %x = dlc.mem %t[%c0] : memref<?xf32> -> f32
    // expected-error @below {{writes a buffer that the kernel uses in another way}}
    dlc.store %x, %t[%c0] : f32, memref<?xf32>
  }
  dlc.execute {}
}

// -----

dlc.kernel @storedTwice(%t: memref<?xf32>) queues <data = 64, scalar = 64, token = 64> {
  %c0 = arith.constant 0 : index
  %x = arith.constant 0.0 : f32
  dlc.access {
    // expected-error @below {{writes a buffer that the kernel uses in another way}}
    dlc.store %x, %t[%c0] : f32, memref<?xf32>
  }
  dlc.execute {
    // expected-note @below {{it is used here}}
    memref.store %x, %t[%c0] : memref<?xf32>
  }
}

// -----

dlc.kernel @storedType(%t: memref<?xf32>, %x: f64) queues <data = 64, scalar = 64, token = 64> {
  %c0 = arith.constant 0 : index
  dlc.access {
    // expected-error @below {{stores 'f64' to a buffer of 'f32'}}
    dlc.store %x, %t[%c0] : f64, memref<?xf32>
  }
  dlc.execute {}
}

// -----

dlc.kernel @storedLength(%t: memref<?xf32>, %o: memref<?xf32>) queues <data = 64, scalar = 64, token = 64> {
  %c0 = arith.constant 0 : index
  dlc.access {
    %r = dlc.mem %t[%c0] : memref<?xf32> -> !slc.chunk<4xf32>
    // expected-error @below {{stores 5 elements of a value of 4}}
    dlc.store %r, %o[%c0] length 5 : !slc.chunk<4xf32>, memref<?xf32>
  }
  dlc.execute {}
}

// -----

dlc.kernel @storedStride(%o: memref<8xf32, strided<[2]>>, %x: f32) queues <data = 64, scalar = 64, token = 64> {
  %c0 = arith.constant 0 : index
  dlc.access {
    // expected-error @below {{touches several elements, so the innermost dimension needs stride 1}}
    dlc.store %x, %o[%c0] length 2 : f32, memref<8xf32, strided<[2]>>
  }
  dlc.execute {}
}

// -----

// A loop beside a filter may store, but not send.
dlc.kernel @besideFilter(%t: memref<?xf32>, %o: memref<?xf32>, %n: index, %k: i1) queues <data = 64, scalar = 64, token = 64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  dlc.access {
    dlc.loop @rows %i = %c0 to %n step %c1 until {
      %x = dlc.mem %t[%i] : memref<?xf32> -> f32
      dlc.store %x, %o[%i] : f32, memref<?xf32>
      // expected-note @below {{the filter}}
      dlc.if %k filter {
        dlc.push data, %x : f32
      }
      // expected-error @below {{stands beside the filter of @rows, which must hold all that an iteration sends}}
      dlc.loop @inner %j = %c0 to %n step %c1 counted {
        dlc.push data, %x : f32
      }
    }
  }
  dlc.execute {}
}
