'use strict';
// Lean objects in WebAssembly memory (wasm32): read them, make them, count their references.
//
// One convention holds everywhere: `call` consumes every argument and returns an owned object;
// the readers (`field`, `tag`, `text`, …) borrow. What is kept beyond a call is `inc`remented.

const box = (n) => ((n << 1) | 1) >>> 0;
const isScalar = (o) => (o & 1) === 1;
const unbox = (o) => o >>> 1;

const TAG = { array: 246, string: 249, bigNat: 250 };
const HEADER = 8; // int rc; u16 size; u8 other; u8 tag
const WORD = 4;
const GUARD = 0xa5;
const GUARD_BYTES = 4096;

class Heap {
  constructor(host) {
    this.exports = host.exports();
    this.views = host.views;
    this.names = new Map(); // text -> owned Name object
    this.texts = new Map(); // Name object that is never freed -> its text
    this.functions = new Map(); // symbol -> the variant whose arguments are all owned objects
  }

  /** Bytes of WebAssembly memory in use; it never shrinks. */
  get bytes() {
    return this.views().U8.length;
  }

  word(address) {
    return this.views().U32[address >>> 2];
  }

  byte(address) {
    return this.views().U8[address];
  }

  tag(o) {
    return isScalar(o) ? unbox(o) : this.byte(o + 7);
  }

  field(o, i) {
    return this.word(o + HEADER + WORD * i);
  }

  /** The u8 that lies `offset` bytes behind the `objects` object fields of a constructor. */
  scalar(o, objects, offset) {
    return this.byte(o + HEADER + WORD * objects + offset);
  }

  inc(o) {
    if (isScalar(o)) return o;
    const counts = this.views().I32;
    const at = o >>> 2;
    if (counts[at] > 0) counts[at] += 1;
    else if (counts[at] < 0) Atomics.sub(counts, at, 1);
    return o;
  }

  dec(o) {
    if (isScalar(o)) return;
    const counts = this.views().I32;
    const at = o >>> 2;
    if (counts[at] > 1) counts[at] -= 1;
    else if (counts[at] !== 0) this.exports.lean_dec_ref_cold(o);
  }

  /** A function of Lean by its compiled symbol; the boxed variant owns all of its arguments. */
  function_(symbol) {
    let f = this.functions.get(symbol);
    if (!f) {
      f = this.exports[`${symbol}___boxed`] || this.exports[symbol];
      if (!f) throw new Error(`this Lean has no function ${symbol}`);
      this.functions.set(symbol, f);
    }
    return f;
  }

  call(symbol, ...args) {
    return this.function_(symbol)(...args) >>> 0;
  }

  /** The value of an IO result; an IO error becomes a LeanFailure. */
  io(result) {
    if (this.tag(result) === 0) {
      const value = this.inc(this.field(result, 0));
      this.dec(result);
      return value;
    }
    const words = this.strings(this.field(result, 0));
    this.dec(result);
    throw new LeanFailure(words.join(': ') || 'an IO action failed');
  }

  /** The strings among the fields of a constructor: what an IO error says. */
  strings(o) {
    if (isScalar(o) || this.tag(o) > 244) return [];
    const fields = Array.from({ length: this.byte(o + 6) }, (_, i) => this.field(o, i));
    return fields.filter((x) => this.tag(x) === TAG.string).map((x) => this.text(x));
  }

  /** A new reference to a compiled constant, such as `l_Lean_Options_empty`. */
  constant(symbol) {
    const entry = this.exports[symbol];
    return this.inc(this.word(typeof entry === 'object' ? entry.value : entry));
  }

  construct(tag, fields, scalarBytes = []) {
    const size = HEADER + WORD * fields.length + scalarBytes.length;
    const o = this.exports.lean_alloc_object(size) >>> 0;
    const { U8, U32, I32 } = this.views();
    I32[o >>> 2] = 1;
    U8[o + 4] = 0; // the allocator keeps no size of small objects here
    U8[o + 5] = 0;
    U8[o + 6] = fields.length;
    U8[o + 7] = tag;
    fields.forEach((x, i) => (U32[(o + HEADER + WORD * i) >>> 2] = x));
    scalarBytes.forEach((x, i) => (U8[o + HEADER + WORD * fields.length + i] = x));
    return o;
  }

  string(js) {
    const bytes = Buffer.from(js, 'utf8');
    const at = this.exports.malloc(bytes.length + 1) >>> 0;
    this.views().U8.set(bytes, at);
    const o = this.exports.lean_mk_string_from_bytes(at, bytes.length) >>> 0;
    this.exports.free(at);
    return o;
  }

  text(o) {
    const bytes = this.word(o + HEADER); // includes the closing NUL
    const start = o + HEADER + 3 * WORD;
    return Buffer.from(this.views().U8.slice(start, start + bytes - 1)).toString('utf8');
  }

  array(items) {
    let o = this.call('l_Array_mkEmpty', box(0), box(items.length));
    for (const item of items) o = this.exports.lean_array_push(o, item) >>> 0;
    return o;
  }

  /** The elements of an array, borrowed. */
  elements(o) {
    const n = this.word(o + HEADER);
    return Array.from({ length: n }, (_, i) => this.word(o + HEADER + 2 * WORD + WORD * i));
  }

  list(items) {
    return items.reduceRight((tail, head) => this.construct(1, [head, tail]), box(0));
  }

  /** The elements of a list, borrowed. */
  listElements(o) {
    const out = [];
    for (; !isScalar(o); o = this.field(o, 1)) out.push(this.field(o, 0));
    return out;
  }

  /** A Nat as a decimal string. */
  nat(o) {
    if (isScalar(o)) return String(unbox(o));
    const s = this.call('l_Nat_reprFast', this.inc(o));
    const out = this.text(s);
    this.dec(s);
    return out;
  }

  natural(decimal) {
    const n = BigInt(decimal);
    if (n < 2n ** 31n) return box(Number(n));
    const bytes = Buffer.from(`${n}\0`);
    const at = this.exports.malloc(bytes.length) >>> 0;
    this.views().U8.set(bytes, at);
    const out = this.exports.lean_cstr_to_nat(at) >>> 0;
    this.exports.free(at);
    return out;
  }

  /** A Name as text, each component quoted with «» unless it is a plain identifier. */
  nameText(o) {
    const known = this.texts.get(o);
    if (known !== undefined) return known;
    const parts = [];
    let at = o;
    for (; !isScalar(at); at = this.field(at, 0)) {
      const numeric = this.tag(at) === 2;
      const part = this.field(at, 1);
      parts.push(numeric ? this.nat(part) : quoted(this.text(part)));
    }
    const out = parts.reverse().join('.');
    const isNew = !this.names.has(out);
    if (isNew) this.names.set(out, this.inc(o));
    if (isNew || this.isImmortal(o)) this.texts.set(o, out);
    return out;
  }

  /** Whether an object lies in an imported .olean file and is never freed. */
  isImmortal(o) {
    return isScalar(o) || this.views().I32[o >>> 2] === 0;
  }

  /** The Name that `nameText` printed, or the reading of a dotted text; borrowed. */
  name(text) {
    let o = this.names.get(text);
    if (o === undefined) {
      o = components(text).reduce((prefix, part) => typeof part === 'number'
        ? this.call('l_Lean_Name_num___override', prefix, this.natural(part))
        : this.call('l_Lean_Name_str___override', prefix, this.string(part)), box(0));
      this.names.set(text, o);
    }
    return o;
  }
}

/** A pattern at the lower end of C's stack, which a stack that has become too deep destroys. */
class StackGuard {
  constructor(heap, low) {
    Object.assign(this, { heap, low });
    this.bytes().fill(GUARD);
  }

  bytes() {
    return this.heap.views().U8.subarray(this.low, this.low + GUARD_BYTES);
  }

  check() {
    if (this.bytes().some((byte) => byte !== GUARD)) throw new Error('the stack has overflown');
  }
}

/** Lean itself reported a failure of an IO action; the session goes on. */
class LeanFailure extends Error {}

// Two names never have the same text: a metaprogram can make names that no text of Lean can.
const LETTER = 'A-Za-z_À-ÖØ-öø-ſΑ-ΟΡ\u03a2Τ-Ωα-κμ-\u03fb\u1f00-\u1ffe\u2100-\u214f'
  + '\u{1d49c}-\u{1d59f}';
const REST = "0-9'!?\u2080-\u2089\u2090-\u209c\u1d62-\u1d6a\u2c7c";
const PLAIN = new RegExp(`^[${LETTER}][${LETTER}${REST}]*$`, 'u'); // as Lean's lexer has it
const quoted = (part) => (PLAIN.test(part) ? part : `«${part.replaceAll('»', '»»')}»`);

const components = (text) => {
  const out = [];
  const pattern = /«((?:[^»]|»»)*)»|([^.]+)/gu;
  for (const [, quotedPart, plain] of text.matchAll(pattern)) {
    if (quotedPart !== undefined) out.push(quotedPart.replaceAll('»»', '»'));
    else out.push(/^\d+$/.test(plain) ? Number(plain) : plain);
  }
  return out;
};

module.exports = { Heap, LeanFailure, StackGuard, TAG, box, isScalar, unbox };
