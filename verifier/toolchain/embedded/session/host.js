'use strict';
// A warm Lean in this process: boots the WebAssembly module, then answers one JSON request a
// line on standard input with one JSON line on standard output. What Lean prints itself is
// dropped, so a line on standard output can only come from here.
//
// usage: node host.js SLIM_LEAN_JS LIBRARY_FOLDER

const fs = require('fs');
const path = require('path');
const vm = require('vm');

const { Heap, LeanFailure } = require('./heap.js');
const { Expressions } = require('./expr.js');
const { SyntaxReader } = require('./syntax.js');
const { Environments } = require('./environment.js');
const { Frontend } = require('./frontend.js');
const { Session, BadRequest } = require('./session.js');
const { initialise, moveStack } = require('./start.js');

const LIBRARY = '/lean/lib/lean'; // where Lean sees the library
const FATAL_STATUS = 70;
const RETRY_MILLISECONDS = 1;
const SLEEPER = new Int32Array(new SharedArrayBuffer(4));
const LINE_FEED = 0x0a;

/** Writes a line whole: a pipe takes as much as it has room for, and the rest has to wait. */
const send = (message) => {
  let rest = Buffer.from(`${JSON.stringify(message)}\n`);
  while (rest.length) {
    try {
      rest = rest.subarray(fs.writeSync(1, rest));
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(SLEEPER, 0, 0, RETRY_MILLISECONDS);
    }
  }
};

const die = (error) => {
  try {
    send({ fatal: String(error?.stack || error).slice(0, 2000) });
  } finally {
    process.exit(FATAL_STATUS);
  }
};

function boot(leanJs, library, ready) {
  const folder = path.dirname(leanJs);
  const silent = () => {};
  console.log = silent; // some of the module's debug lines go through it
  const Module = {
    noInitialRun: true,
    thisProgram: '/lean/bin/lean',
    print: silent,
    printErr: silent,
    preRun: [() => {
      const { FS, NODEFS, ENV } = globalThis.leanHost;
      FS.mkdirTree(LIBRARY);
      FS.mount(NODEFS, { root: library }, LIBRARY);
      FS.mkdirTree(folder); // the search path resolves the program's folder
      FS.mkdirTree(path.join(folder, '../lib/lean'));
      ENV.LEAN_PATH = LIBRARY;
    }],
    onRuntimeInitialized: () => ready(globalThis.leanHost),
    onAbort: die,
  };
  const source = fs.readFileSync(leanJs, 'utf8');
  const wrapper = `(function(Module,require,__filename,__dirname,module,exports){${source}\n})`;
  vm.runInThisContext(wrapper, { filename: leanJs })(
    Module, require, leanJs, folder, { exports: {} }, {});
}

function answer(session, guard, line) {
  const { id, op, release, ...request } = JSON.parse(line);
  const done = (rest) => {
    guard.check();
    send({ id, bytes: session.heap.bytes, ...rest });
  };
  try {
    for (const [kind, ids] of Object.entries(release)) session.release(kind, ids);
    done({ result: session.handle(op, request) });
  } catch (error) {
    // After any other error the memory of the module is in an unknown state.
    if (!(error instanceof LeanFailure || error instanceof BadRequest)) throw error;
    done({ text: error.message });
  }
}

/** Answers each line of standard input. `readline` would also cut at U+2028, which JSON allows. */
function serve(session, guard) {
  let pending = [];
  process.stdin.on('data', (chunk) => {
    try {
      for (let end; (end = chunk.indexOf(LINE_FEED)) >= 0; chunk = chunk.subarray(end + 1)) {
        const line = Buffer.concat([...pending, chunk.subarray(0, end)]).toString('utf8');
        pending = [];
        answer(session, guard, line);
      }
      pending.push(chunk);
    } catch (error) {
      die(error);
    }
  });
  process.stdin.on('end', () => process.exit(0));
}

process.on('uncaughtException', die);
process.on('unhandledRejection', die);

const [leanJs, library] = process.argv.slice(2);
boot(leanJs, library, (host) => {
  try {
    const heap = new Heap(host);
    const guard = moveStack(heap);
    initialise(heap);
    const expressions = new Expressions(heap);
    const environments = new Environments(heap, expressions);
    const frontend = new Frontend(heap, expressions, new SyntaxReader(heap), environments);
    serve(new Session(heap, expressions, environments, frontend), guard);
    send({ ready: true, bytes: heap.bytes });
  } catch (error) {
    die(error);
  }
});
