'use strict';
// What elaboration prints becomes a message of its command, as in Lean's own driver: standard
// output and standard error are a buffer meanwhile, and standard input is empty.

const { box } = require('../session/heap.js');

const BYTES_AT = 16; // of a ByteArray: header, size, capacity
const SIZE_AT = 8;
const STREAMS = ['lean_get_set_stdin', 'lean_get_set_stdout', 'lean_get_set_stderr'];

/** Runs `work` with Lean's streams replaced; returns its result and the text that was printed. */
function capture(heap, work) {
  const [input, output] = [emptyBuffer(heap), emptyBuffer(heap)];
  const stream = (buffer) => heap.exports.l_IO_FS_Stream_ofBuffer(heap.inc(buffer)) >>> 0;
  const replaced = [input, output, output].map((buffer, i) => (
    heap.exports[STREAMS[i]](stream(buffer)) >>> 0));
  try {
    return { result: work(), text: bufferText(heap, output) };
  } finally {
    replaced.forEach((old, i) => heap.dec(heap.exports[STREAMS[i]](old) >>> 0));
    [input, output].forEach((buffer) => heap.dec(buffer));
  }
}

function emptyBuffer(heap) {
  const value = heap.construct(0, [heap.constant('l_ByteArray_empty'), box(0)]);
  return heap.exports.lean_st_mk_ref(value) >>> 0;
}

function bufferText(heap, buffer) {
  const value = heap.exports.lean_st_ref_get(buffer) >>> 0;
  const bytes = heap.field(value, 0);
  const [start, size] = [bytes + BYTES_AT, heap.word(bytes + SIZE_AT)];
  const text = Buffer.from(heap.views().U8.slice(start, start + size)).toString('utf8');
  heap.dec(value);
  return text;
}

module.exports = { capture };
