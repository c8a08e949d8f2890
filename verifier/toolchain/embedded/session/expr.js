'use strict';
// Expressions of Lean's kernel as JSON and back. `mdata` is dropped: it has no meaning.
//
//   ["v", i]  bvar        ["s", level]  sort         ["c", name, [levels]]  constant
//   ["a", f, x]  app      ["l", name, type, body, info]  lambda     ["p", …]  forall
//   ["let", name, type, value, body]   ["n", "12"]  Nat   ["t", "x"]  String
//   ["proj", structure, i, e]          ["f", name]  fvar, ["m", name]  mvar (never in a result)
//   level: ["0"], ["+", l], ["max", l, k], ["imax", l, k], ["u", name]

const { box, isScalar } = require('./heap.js');

const TOO_LARGE = 200_000; // nodes of the printed tree

class Expressions {
  constructor(heap) {
    this.heap = heap;
  }

  level(o) {
    const h = this.heap;
    switch (h.tag(o)) {
      case 0: return ['0'];
      case 1: return ['+', this.level(h.field(o, 0))];
      case 2: return ['max', this.level(h.field(o, 0)), this.level(h.field(o, 1))];
      case 3: return ['imax', this.level(h.field(o, 0)), this.level(h.field(o, 1))];
      case 4: return ['u', h.nameText(h.field(o, 0))];
      default: return ['m'];
    }
  }

  /** JSON of an expression, or null when it would have more than `TOO_LARGE` nodes. */
  json(o) {
    let budget = TOO_LARGE;
    const h = this.heap;
    const binder = (kind, e) => [kind, h.nameText(h.field(e, 0)), walk(h.field(e, 1)),
      walk(h.field(e, 2)), h.scalar(e, 3, 8)];
    const walk = (e) => {
      if (--budget < 0) throw TOO_LARGE;
      switch (h.tag(e)) {
        case 0: return ['v', Number(h.nat(h.field(e, 0)))];
        case 1: return ['f', h.nameText(h.field(e, 0))];
        case 2: return ['m', h.nameText(h.field(e, 0))];
        case 3: return ['s', this.level(h.field(e, 0))];
        case 4: return ['c', h.nameText(h.field(e, 0)),
          h.listElements(h.field(e, 1)).map((l) => this.level(l))];
        case 5: return ['a', walk(h.field(e, 0)), walk(h.field(e, 1))];
        case 6: return binder('l', e);
        case 7: return binder('p', e);
        case 8: return ['let', h.nameText(h.field(e, 0)), walk(h.field(e, 1)),
          walk(h.field(e, 2)), walk(h.field(e, 3))];
        case 9: return this.literal(h.field(e, 0));
        case 10: return walk(h.field(e, 1));
        default: return ['proj', h.nameText(h.field(e, 0)), Number(h.nat(h.field(e, 1))),
          walk(h.field(e, 2))];
      }
    };
    try {
      return walk(o);
    } catch (e) {
      if (e === TOO_LARGE) return null;
      throw e;
    }
  }

  literal(o) {
    const value = this.heap.field(o, 0);
    return this.heap.tag(o) === 0 ? ['n', this.heap.nat(value)] : ['t', this.heap.text(value)];
  }

  makeLevel(j) {
    const x = this.heap.exports;
    const h = this.heap;
    switch (j[0]) {
      case '0': return h.call('lean_level_mk_zero', box(0));
      case '+': return x.lean_level_mk_succ(this.makeLevel(j[1])) >>> 0;
      case 'max': return x.lean_level_mk_max(this.makeLevel(j[1]), this.makeLevel(j[2])) >>> 0;
      case 'imax': return x.lean_level_mk_imax(this.makeLevel(j[1]), this.makeLevel(j[2])) >>> 0;
      case 'u': return x.lean_level_mk_param(h.inc(h.name(j[1]))) >>> 0;
      default: throw new Error(`not a level: ${JSON.stringify(j)}`);
    }
  }

  /** An owned expression from its JSON. */
  make(j) {
    const x = this.heap.exports;
    const h = this.heap;
    switch (j[0]) {
      case 'v': return x.lean_expr_mk_bvar(box(j[1])) >>> 0;
      case 's': return x.lean_expr_mk_sort(this.makeLevel(j[1])) >>> 0;
      case 'c': return x.lean_expr_mk_const(
        h.inc(h.name(j[1])), h.list((j[2] || []).map((l) => this.makeLevel(l)))) >>> 0;
      case 'a': return x.lean_expr_mk_app(this.make(j[1]), this.make(j[2])) >>> 0;
      case 'l': return x.lean_expr_mk_lambda(
        h.inc(h.name(j[1])), this.make(j[2]), this.make(j[3]), j[4] || 0) >>> 0;
      case 'p': return x.lean_expr_mk_forall(
        h.inc(h.name(j[1])), this.make(j[2]), this.make(j[3]), j[4] || 0) >>> 0;
      case 'n': return x.lean_expr_mk_lit(h.construct(0, [h.natural(j[1])])) >>> 0;
      case 't': return x.lean_expr_mk_lit(h.construct(1, [h.string(j[1])])) >>> 0;
      default: throw new Error(`not an expression: ${JSON.stringify(j).slice(0, 80)}`);
    }
  }

  app(f, x) {
    return this.heap.exports.lean_expr_mk_app(f, x) >>> 0;
  }

  /** Head and arguments of an application, borrowed. */
  spine(e) {
    const args = [];
    for (; this.heap.tag(e) === 5; e = this.heap.field(e, 0)) args.push(this.heap.field(e, 1));
    return [e, args.reverse()];
  }

  /** Names of the constants of an expression, without repetition. */
  constants(e) {
    const h = this.heap;
    const found = h.call('l_Lean_Expr_getUsedConstants', h.inc(e));
    const out = h.elements(found).map((n) => h.nameText(n));
    h.dec(found);
    return out;
  }
}

module.exports = { Expressions, isScalar };
