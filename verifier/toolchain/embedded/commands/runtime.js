'use strict';
// Boots the WebAssembly module for one command: the folders that the command may see appear at
// their own paths, and Lean's standard streams are those of this process.

const fs = require('fs');
const path = require('path');
const vm = require('vm');

const { Heap } = require('../session/heap.js');
const { initialise, moveStack } = require('../session/start.js');
const { connect } = require('./streams.js');

const NOT_PERMITTED = 2; // EACCES of the module's C library

function mount({ FS, NODEFS, ENV }, { mounts, directory, leanPath, program }) {
  const known = NODEFS.convertNodeCode;
  NODEFS.convertNodeCode = (error) => (
    error.code === 'ERR_ACCESS_DENIED' ? NOT_PERMITTED : known(error));
  for (const { at, folder } of mounts) {
    FS.mkdirTree(at);
    FS.mount(NODEFS, { root: folder }, at);
  }
  FS.mkdirTree(path.dirname(program)); // the search path begins beside it
  if (!FS.analyzePath(directory).exists) FS.mkdirTree(directory);
  FS.chdir(directory);
  ENV.LEAN_PATH = leanPath;
}

/**
 * Starts Lean and hands it to `work`.
 *
 * `config` has `leanJs`, `program` (the path that Lean believes to run from), `mounts` (objects
 * with the real `folder` and the path `at` which Lean sees it), `directory` and `leanPath`.
 */
function boot(config, work, fail) {
  const folder = path.dirname(config.leanJs);
  const silent = () => {};
  console.log = silent; // some of the module's debug lines go through it
  const Module = {
    noInitialRun: true,
    thisProgram: config.program,
    print: silent,
    printErr: silent,
    preRun: [() => mount(globalThis.leanHost, config)],
    onRuntimeInitialized: () => {
      try {
        const host = globalThis.leanHost;
        const heap = new Heap(host);
        const streams = connect(host.FS);
        const guard = moveStack(heap);
        streams.silence(() => initialise(heap));
        work({ heap, guard, FS: host.FS, silence: streams.silence });
      } catch (error) {
        fail(error);
      }
    },
    onAbort: fail,
  };
  const source = fs.readFileSync(config.leanJs, 'utf8');
  const wrapper = `(function(Module,require,__filename,__dirname,module,exports){${source}\n})`;
  vm.runInThisContext(wrapper, { filename: config.leanJs })(
    Module, require, config.leanJs, folder, { exports: {} }, {});
}

module.exports = { boot };
