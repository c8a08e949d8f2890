'use strict';
// Functions that the machine computes by itself: arithmetic on naturals, and connectives that look
// at both sides before they wait for an unknown.

const { KIND, PROOF, TERM, BLOCKED, UNDETERMINED, literal } = require('./machine.js');

const TOO_BIG = 1n << 256n;
const MANY = 200n; // successors around an unknown
const bits = (n) => BigInt(n.toString(2).length);

const BINARY = {
  'Nat.sub': (a, b) => (a > b ? a - b : 0n),
  'Nat.mul': (a, b) => a * b,
  'Nat.div': (a, b) => (b === 0n ? 0n : a / b),
  'Nat.mod': (a, b) => (b === 0n ? a : a % b),
  'Nat.gcd': (a, b) => { while (b) [a, b] = [b, a % b]; return a; },
  'Nat.land': (a, b) => a & b,
  'Nat.lor': (a, b) => a | b,
  'Nat.xor': (a, b) => a ^ b,
  'Nat.pow': (a, b) => {
    if (a > 1n && bits(a) * b > 256n) throw UNDETERMINED;
    return a ** b;
  },
  'Nat.shiftLeft': (a, b) => {
    if (b > 256n) throw UNDETERMINED;
    return a << b;
  },
  'Nat.shiftRight': (a, b) => (b > 512n ? 0n : a >> b),
  'Nat.log2': (a) => (a ? bits(a) - 1n : 0n),
};

/** The number that a value is, or `BLOCKED`. */
function natural(machine, x, hint = null) {
  let extra = 0n;
  for (;;) {
    const v = machine.need(x, hint);
    if (v === BLOCKED) return BLOCKED;
    if (v.k === KIND.literal && typeof v.v === 'bigint') return v.v + extra;
    if (v.k !== KIND.constructor) throw UNDETERMINED;
    if (v.name === 'Nat.zero') return extra;
    if (v.name !== 'Nat.succ') throw UNDETERMINED;
    extra += 1n;
    [x] = v.args;
  }
}

/**
 * A number as far as it is known: `{ n }`, or `{ n, rest }` when it is n more than `rest`, of which
 * nothing is known before `unknown` is.
 */
function partly(machine, x) {
  let n = 0n;
  for (;;) {
    const before = machine.dependence;
    const v = machine.force(x);
    if (v === BLOCKED) return { n, rest: x, ...machine.aside(before), hint: null };
    if (v.k === KIND.unknown) return { n, rest: v, unknown: v, hint: null, others: null, dependence: 0 };
    if (v.k === KIND.literal && typeof v.v === 'bigint') return { n: n + v.v, rest: null };
    if (v.k !== KIND.constructor || v.name !== 'Nat.succ') throw UNDETERMINED;
    n += 1n;
    [x] = v.args;
  }
}

/** -1, 0 or 1; `BLOCKED` by an unknown only if it matters. */
function compare(machine, x, y) {
  const a = partly(machine, x);
  const b = partly(machine, y);
  if (a.rest === b.rest) return a.n < b.n ? -1 : a.n > b.n ? 1 : 0;
  if (b.rest === null && a.n > b.n) return 1;
  if (a.rest === null && b.n > a.n) return -1;
  if (a.rest === null) return machine.await_({ ...b, hint: b.rest === b.unknown ? a.n - b.n : null });
  const direct = b.rest === null && a.rest === a.unknown;
  return machine.await_({ ...a, hint: direct ? b.n - a.n : null });
}

function install(machine) {
  const define = (name, arity, run) =>
    machine.builtins.set(name, { k: KIND.partial, arity, args: [], run });
  const constant = (name) => machine.global(name);
  const bool = (b) => constant(b ? 'Bool.true' : 'Bool.false');
  const decided = (b, p) => machine.apply(
    constant(b ? 'Decidable.isTrue' : 'Decidable.isFalse'), [p, PROOF]);
  for (const [name, f] of Object.entries(BINARY)) {
    define(name, f.length, (args) => {
      const numbers = [];
      for (let i = 0; i < f.length; i += 1) {
        const n = natural(machine, args[i]);
        if (n === BLOCKED) return BLOCKED;
        numbers.push(n);
      }
      return literal(f(...numbers));
    });
  }
  machine.builtins.set('Nat.zero', literal(0n));
  define('Nat.pred', 1, ([a]) => {
    const v = machine.need(a);
    if (v === BLOCKED) return BLOCKED;
    if (v.k === KIND.constructor && v.name === 'Nat.succ') return machine.force(v.args[0]);
    return literal(v.v ? v.v - 1n : 0n);
  });
  define('Nat.add', 2, ([a, b]) => add(machine, a, b));
  const compared = (name, make) => define(name, 2, ([a, b]) => {
    const order = compare(machine, a, b);
    return order === BLOCKED ? BLOCKED : make(order);
  });
  compared('Nat.beq', (order) => bool(order === 0));
  compared('Nat.ble', (order) => bool(order <= 0));
  compared('Nat.decEq', (order) => decided(order === 0, PROOF)); // propositions are not looked at
  compared('Nat.decLe', (order) => decided(order <= 0, PROOF));
  compared('Nat.decLt', (order) => decided(order < 0, PROOF));
  for (const name of ['and', 'Bool.and']) {
    define(name, 2, (args) => connect(machine, args, 'Bool.false', 'Bool.true'));
  }
  for (const name of ['or', 'Bool.or']) {
    define(name, 2, (args) => connect(machine, args, 'Bool.true', 'Bool.false'));
  }
  define('instDecidableAnd', 4, (args) =>
    connect(machine, args.slice(2), 'Decidable.isFalse', 'Decidable.isTrue'));
  define('instDecidableOr', 4, (args) =>
    connect(machine, args.slice(2), 'Decidable.isTrue', 'Decidable.isFalse'));
  define('ite', 5, (args) => choose(machine, args));
  integers(machine, define, decided);
  // Recursion on a decreasing measure: it goes on as long as there are steps.
  const recursion = (name, before, measure) => define(name, before + 2, (args) => {
    const [f, x] = args.slice(before);
    if (machine.strict && measure !== null) {
      const size = machine.after(args[measure], (h) => machine.apply(h, [x]));
      if (size === BLOCKED || natural(machine, size) === BLOCKED) return BLOCKED;
    }
    const again = machine.apply(constant(name), args.slice(0, before + 1));
    const below = { k: KIND.partial, arity: 2, args: [], run: ([y]) => machine.apply(again, [y]) };
    return machine.apply(f, [x, below]);
  });
  recursion('WellFounded.fix', 4, null);
  recursion('WellFounded.Nat.fix', 3, 2);
}

/** The integer that a value is; null when it is known in part, `BLOCKED` when not at all. */
function integer(machine, x) {
  const v = machine.need(x);
  if (v === BLOCKED) return BLOCKED;
  if (v.k !== KIND.constructor || v.args.length !== 1) return null;
  const before = machine.dependence;
  const n = machine.force(v.args[0]);
  if (n === BLOCKED) {
    machine.dependence = before;
    return null;
  }
  if (n.k !== KIND.literal) return null;
  return v.name === 'Int.ofNat' ? n.v : -n.v - 1n;
}

/** Functions on integers, which are done by their definitions where something is unknown. */
function integers(machine, define, decided) {
  const ofNat = (n) => machine.apply(machine.global('Int.ofNat'), [literal(n)]);
  const made = (z) => (z >= 0n ? ofNat(z)
    : machine.apply(machine.global('Int.negSucc'), [literal(-z - 1n)]));
  const arithmetic = {
    'Int.add': (a, b) => made(a + b),
    'Int.sub': (a, b) => made(a - b),
    'Int.mul': (a, b) => made(a * b),
  };
  const comparisons = {
    'Int.decEq': (a, b) => decided(a === b, PROOF),
    'Int.decLt': (a, b) => decided(a < b, PROOF),
    'Int.decLe': (a, b) => decided(a <= b, PROOF),
  };
  const installed = (name, f, compares) => {
    let defined = null;
    define(name, 2, (args) => {
      const a = integer(machine, args[0]);
      if (a === BLOCKED && !compares) return BLOCKED;
      if (a === BLOCKED) return guessed(machine, args);
      const b = a === null ? null : integer(machine, args[1]);
      if (b === BLOCKED) return compares ? guessed(machine, [args[1], args[0]]) : BLOCKED;
      if (b !== null) return f(a, b);
      defined ??= machine.make(name);
      return machine.apply(defined, args);
    });
  };
  for (const [name, f] of Object.entries(arithmetic)) installed(name, f, false);
  for (const [name, f] of Object.entries(comparisons)) installed(name, f, true);
}

/** Waits for the first of two integers, with the other one as a guess. */
function guessed(machine, [x, y]) {
  const waiting = machine.aside(machine.dependence);
  const direct = machine.force(x);
  if (direct.k !== KIND.unknown) return machine.await_(waiting);
  const other = integer(machine, y);
  const hint = typeof other === 'bigint' ? other : null;
  return machine.await_({ ...waiting, unknown: direct, hint });
}

/** A sum; of what is known partly, as much as is known. */
function add(machine, a, b) {
  const x = partly(machine, a);
  const y = partly(machine, b);
  const known = x.n + y.n;
  if (known > TOO_BIG) throw UNDETERMINED;
  if (x.rest === null && y.rest === null) return literal(known);
  const rest = x.rest ?? y.rest;
  if ((x.rest !== null && y.rest !== null) || known > MANY) return machine.await_(x.rest === null ? y : x);
  return known ? successors(machine, known, rest) : machine.need(rest);
}

function successors(machine, n, rest) {
  const facts = machine.constants.describe('Nat.succ');
  let v = rest;
  for (; n > 0n; n -= 1n) v = { k: KIND.constructor, name: 'Nat.succ', facts, args: [v] };
  return v;
}

/**
 * A choice. One that cannot be made yet between a constant and what turns out to be the same
 * constant is settled: `if … then false else b` is false if `b` is.
 */
function choose(machine, [, , decision, yes, no]) {
  const before = machine.dependence;
  const made = machine.need(decision);
  if (made !== BLOCKED) {
    if (made.name === 'Decidable.isTrue') return machine.force(yes);
    if (made.name === 'Decidable.isFalse') return machine.force(no);
    throw UNDETERMINED;
  }
  const [name, other] = named(machine, yes) ? [named(machine, yes), no] : [named(machine, no), yes];
  if (name === null) return BLOCKED;
  const waiting = machine.aside(before);
  const value = machine.need(other);
  if (value === BLOCKED) return machine.await_(machine.either(waiting, machine.aside(before)));
  return value.name === name ? value : machine.await_(waiting);
}

/** The constructor without arguments that a value is, if one sees it, or null. */
function named(machine, x) {
  if (x.k === KIND.constructor) return x.args.length ? null : x.name;
  if (x.k !== KIND.thunk || x.term.t !== TERM.constant) return null;
  const facts = machine.constants.describe(x.term.name);
  return facts?.kind === 'constructor' && facts.parameters + facts.fields === 0 ? x.term.name : null;
}

/** A connective: the dominant value on either side settles it. */
function connect(machine, [a, b], dominant, other) {
  const before = machine.dependence;
  const left = machine.need(a);
  if (left !== BLOCKED) {
    if (left.name === dominant) return left;
    if (left.name !== other) throw UNDETERMINED;
    return machine.need(b);
  }
  const waiting = machine.aside(before);
  const right = machine.need(b);
  if (right === BLOCKED) return machine.await_(machine.either(waiting, machine.aside(before)));
  return right.name === dominant ? right : machine.await_(waiting);
}

module.exports = { install, natural, compare, successors };
