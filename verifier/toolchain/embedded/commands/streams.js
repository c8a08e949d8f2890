'use strict';
// Lean's standard streams are those of this process, byte for byte and as soon as it writes.
// The module's own terminals would hand over whole lines only, one character at a time.

const fs = require('fs');

const RETRY_MILLISECONDS = 1;
const SLEEPER = new Int32Array(new SharedArrayBuffer(4));
const STDERR_DEVICE = 6; // major numbers: 5 is the terminal behind stdin and stdout
const IO_ERROR = 29; // EIO of the module's C library

/** Repeats a call on a descriptor that others have made non-blocking. */
const patiently = (call) => {
  for (;;) {
    try {
      return call();
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(SLEEPER, 0, 0, RETRY_MILLISECONDS);
    }
  }
};

/** Writes all of it: a pipe takes as much as it has room for. */
const writeAll = (descriptor, bytes) => {
  for (let rest = bytes; rest.length;) {
    const written = patiently(() => fs.writeSync(descriptor, rest));
    rest = rest.subarray(written);
  }
};

const readSome = (descriptor, into) => {
  try {
    return patiently(() => fs.readSync(descriptor, into, 0, into.length, null));
  } catch (error) {
    if (error.code === 'EOF') return 0;
    throw error;
  }
};

/** Connects the module's terminals; `silence` drops what is printed while a call runs. */
function connect(FS) {
  const terminals = FS.getStream(1).stream_ops; // one table for all of them
  let silent = false;
  const failing = (call) => {
    try {
      return call();
    } catch (error) {
      if (error.code === 'EPIPE') process.exit(1); // nobody reads any more
      throw new FS.ErrnoError(IO_ERROR);
    }
  };
  terminals.write = (stream, buffer, offset, length) => {
    const descriptor = stream.node.rdev >> 8 === STDERR_DEVICE ? 2 : 1;
    const bytes = Buffer.from(buffer.slice(offset, offset + length)); // leaves the shared memory
    if (!silent) failing(() => writeAll(descriptor, bytes));
    return length;
  };
  terminals.read = (stream, buffer, offset, length) => {
    const bytes = Buffer.alloc(length);
    const count = failing(() => readSome(0, bytes));
    buffer.set(bytes.subarray(0, count), offset);
    return count;
  };
  const silence = (call) => {
    silent = true;
    try {
      return call();
    } finally {
      silent = false;
    }
  };
  return { silence };
}

const readAll = () => {
  const chunks = [];
  for (let chunk = Buffer.alloc(1 << 16); ;) {
    const count = readSome(0, chunk);
    if (count === 0) return Buffer.concat(chunks);
    chunks.push(Buffer.from(chunk.subarray(0, count)));
  }
};

/** Writes a file that is there as a whole or not at all. */
const writeWhole = (path, content) => {
  fs.writeFileSync(`${path}.tmp`, content);
  fs.renameSync(`${path}.tmp`, path);
};

module.exports = { connect, readAll, writeAll, writeWhole };
