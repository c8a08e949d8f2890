'use strict';
// Computes with closed terms in Lean's kernel. Values are numbered, so that a function applied
// to values that are known already is one weak-head normalisation and not a term each time.

const { box, isScalar } = require('./heap.js');

const STUCK = -1; // no constructor form: an axiom, a hole, or a value of a type without one
const TOO_BIG = -2;
const WITHOUT_STRUCTURE = new Set([3, 6, 7]); // tags of sort, lambda, forall

/** A literal as a number, or as its digits when a JavaScript number cannot hold it. */
const number = (digits) => (Number.isSafeInteger(Number(digits)) ? Number(digits) : digits);

class Evaluator {
  constructor(heap, expressions, environments, env, functions) {
    Object.assign(this, { heap, expressions, environments });
    this.env = heap.inc(env);
    this.functions = functions.map((j) => expressions.make(j));
    this.values = []; // owned expressions in normal form
    this.structures = [];
    this.ids = new Map(); // structure text -> value id
    this.constructors = new Map(); // name -> number of parameters, or -1
  }

  free() {
    [...this.functions, ...this.values].forEach((o) => this.heap.dec(o));
    this.heap.dec(this.env);
  }

  whnf(e) {
    const h = this.heap;
    const context = h.call('lean_mk_empty_local_ctx', box(0));
    const result = h.exports.lean_kernel_whnf(h.inc(this.env), context, e) >>> 0;
    if (h.tag(result) !== 1) {
      h.dec(result);
      return null;
    }
    const out = h.inc(h.field(result, 0));
    h.dec(result);
    return out;
  }

  parameters(constructor) {
    if (!this.constructors.has(constructor)) {
      const info = this.environments.find(this.env, constructor);
      const facts = info === null ? {} : this.environments.inductiveFacts(info);
      this.constructors.set(constructor, facts.inductive ? facts.parameters : -1);
      if (info !== null) this.heap.dec(info);
    }
    return this.constructors.get(constructor);
  }

  /**
   * Normal form of an owned expression: [owned expression, structure, size], or a negative code.
   * Structure: a number or string for a literal, [constructor, ...fields], or ["?", text].
   */
  normalise(e, budget) {
    const h = this.heap;
    const head = this.whnf(e);
    if (head === null) return STUCK;
    if (h.tag(head) === 9) {
      const [kind, literal] = this.expressions.literal(h.field(head, 0));
      return [head, kind === 'n' ? number(literal) : literal, 1];
    }
    const [f, args] = this.expressions.spine(head);
    const count = h.tag(f) === 4 ? this.parameters(h.nameText(h.field(f, 0))) : -1;
    if (count < 0) return this.opaque(head);
    let out = h.inc(f);
    for (const parameter of args.slice(0, count)) out = this.expressions.app(out, h.inc(parameter));
    const structure = [h.nameText(h.field(f, 0))];
    let size = 1;
    for (const field of args.slice(count)) {
      const inner = size > budget ? TOO_BIG : this.normalise(h.inc(field), budget - size);
      if (typeof inner === 'number') {
        h.dec(out);
        h.dec(head);
        return inner;
      }
      out = this.expressions.app(out, inner[0]);
      structure.push(inner[1]);
      size += inner[2];
    }
    h.dec(head);
    return this.numeral(out, structure, size);
  }

  /** `Nat.succ 3` is 4: core naturals have literals as their normal form. */
  numeral(e, structure, size) {
    if (structure[0] === 'Nat.zero') return [e, 0, 1];
    if (structure[0] === 'Nat.succ' && !Array.isArray(structure[1])) {
      this.heap.dec(e);
      const digits = String(BigInt(structure[1]) + 1n);
      return [this.expressions.make(['n', digits]), number(digits), 1];
    }
    return [e, structure, size];
  }

  /** Functions and types are values without a structure; what is merely stuck is not a value. */
  opaque(e) {
    if (!WITHOUT_STRUCTURE.has(this.heap.tag(e))) {
      this.heap.dec(e);
      return STUCK;
    }
    return [e, ['?', JSON.stringify(this.expressions.json(e))], 1];
  }

  /** Applies functions[call[0]] to the values call[1..]; the id of the result, or a negative code. */
  apply(call, maxSize) {
    const h = this.heap;
    let e = h.inc(this.functions[call[0]]);
    for (const id of call.slice(1)) e = this.expressions.app(e, h.inc(this.values[id]));
    const result = this.normalise(e, maxSize);
    if (typeof result === 'number') return result;
    const [value, structure] = result;
    const key = JSON.stringify(structure);
    if (this.ids.has(key)) {
      h.dec(value);
      return this.ids.get(key);
    }
    this.ids.set(key, this.values.length);
    this.values.push(value);
    this.structures.push(structure);
    return this.values.length - 1;
  }
}

module.exports = { Evaluator, isScalar };
