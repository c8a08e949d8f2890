'use strict';
// The command `lean`, after Python has read its options.
//
// usage: node main.js CONFIG, a JSON object as `launch.py` writes it

const fs = require('fs');
const { Worker } = require('worker_threads');

const { box } = require('../session/heap.js');
const { boot } = require('./runtime.js');
const { FileFrontend } = require('./frontend.js');
const { readAll, writeAll, writeWhole } = require('./streams.js');

const FAILED = 1;
const ABORTED = 134; // what a shell shows for a native Lean that overflows its stack
const WATCH_MILLISECONDS = 500;
const MEGABYTE = 1 << 20;
const LARGEST_MEMORY = 2048; // megabytes; the module cannot have more
const THOUSAND = 1000;
const ILEAN_VERSION = 5;

function end(error) {
  if (error?.name === 'ExitStatus') process.exit(error.status);
  const words = String(error?.message ?? error);
  const overflow = error instanceof RangeError || words.includes('stack has overflown');
  const shown = overflow ? '\nStack overflow detected. Aborting.' : `error: ${words}`;
  writeAll(2, Buffer.from(`${shown}\n`));
  process.exit(overflow ? ABORTED : FAILED);
}

/** Ends this process when its parent is gone; the main thread may be deep in a computation. */
const watchParent = (parent) => new Worker(`setInterval(() => {
  if (process.ppid !== ${parent}) process.kill(process.pid, 'SIGKILL');
}, ${WATCH_MILLISECONDS});`, { eval: true });

/** The text to work on; like native Lean, other bytes than UTF-8 become U+FFFD. */
function readText({ file, stdin }) {
  const bytes = stdin ? readAll() : fs.readFileSync(file);
  return bytes.toString('utf8').replaceAll('\r\n', '\n');
}

function limit(heap, { memory, timeout }) {
  if (memory && memory < LARGEST_MEMORY) {
    heap.exports.lean_internal_set_max_memory(memory * MEGABYTE);
  }
  if (timeout) heap.exports.lean_internal_set_max_heartbeat(timeout * THOUSAND);
}

function check(lean, config) {
  limit(lean.heap, config);
  const frontend = new FileFrontend(lean, config, readText(config));
  if (!frontend.run()) return FAILED;
  if (config.olean !== null) frontend.writeModule(config.olean);
  if (config.ilean !== null) writeIndex(config.ilean, frontend.moduleText());
  return config.run ? frontend.runMain(config.args) : 0;
}

/** An index of no references: what Lake and editors want to find beside an .olean file. */
function writeIndex(path, module) {
  const index = { version: ILEAN_VERSION, module, directImports: [], references: {}, decls: {} };
  writeWhole(path, JSON.stringify(index));
}

const printImports = (symbol) => ({ heap }, config) => {
  const shown = heap.construct(1, [heap.string(config.shown)]);
  heap.io(heap.call(symbol, heap.string(readText(config)), shown, box(0)));
  return 0;
};

function printImportsJson({ heap }, { files, stdin }) {
  const named = stdin ? readAll().toString('utf8').split('\n').filter(Boolean) : files;
  heap.io(heap.call('l_Lean_printImportsJson', heap.array(named.map((f) => heap.string(f))),
    box(0)));
  return 0;
}

const TASKS = {
  check,
  deps: printImports('l_Lean_Elab_printImports'),
  'src-deps': printImports('l_Lean_Elab_printImportSrcs'),
  'deps-json': printImportsJson,
};

process.on('uncaughtException', end);
process.on('unhandledRejection', end);

const config = JSON.parse(process.argv[2]);
if (config.parent !== null) watchParent(config.parent);
boot(config, (lean) => process.exit(TASKS[config.task](lean, config)), end);
