'use strict';
// What every program does that runs Lean in this process, before it calls anything else.

const { StackGuard } = require('./heap.js');

const STACK_BYTES = 64 << 20;
const STACK_ALIGNMENT = 16;

/**
 * Moves C's stack to a larger place. The module has 64 KiB for it, between its data and its heap,
 * and Lean takes it for endless: a deep recursion would go on into the data. Here JavaScript's own
 * stack gives out first, which is an error like any other.
 */
function moveStack(heap) {
  const x = heap.exports;
  const low = (x.malloc(STACK_BYTES + STACK_ALIGNMENT) + STACK_ALIGNMENT) & -STACK_ALIGNMENT;
  x.emscripten_stack_set_limits((low + STACK_BYTES) >>> 0, low >>> 0);
  x._emscripten_stack_restore((low + STACK_BYTES) >>> 0);
  return new StackGuard(heap, low >>> 0);
}

/** Runs Lean's initialisers. One thread for tasks: each takes seconds to start, and none waits. */
function initialise(heap) {
  const x = heap.exports;
  x._ZN4lean11initializerC1Ev(x.malloc(64));
  heap.dec(heap.io(x.lean_init_search_path() >>> 0));
  x.lean_enable_initializer_execution();
  x.lean_io_mark_end_initialization();
  x.lean_init_task_manager_using(1);
}

module.exports = { initialise, moveStack };
