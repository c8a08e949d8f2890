'use strict';
// A lazy machine for kernel terms with unknowns, for searching and not for proving: what it finds,
// Lean proves. It computes in JavaScript what the kernel computes in far more steps, and where a
// result depends on a value that is still unknown it says on which.
//
// Values are shared and computed once. Unknowns are bound and freed again in the course of a
// search, so each result knows the latest choice on which it rests, and is forgotten with it.

const TERM = { variable: 0, constant: 1, apply: 2, lambda: 3, pi: 4, let: 5, value: 6, project: 7, closed: 8 };
const KIND = {
  thunk: 0, constructor: 1, lambda: 2, pi: 3, sort: 4, literal: 5, neutral: 6, unknown: 7,
  partial: 8, proof: 9, shaped: 10,
};
const MAX_DEPTH = 1_500;
const MANY = 400; // others that may settle a result

/**
 * In place of a result that depends on an unknown: on which, a literal that it is compared with if
 * there is one, others that may settle it as well (`Others`), and how to go on from where the
 * computation stopped. There is one object, since nothing waits twice at a time; the machine
 * returns it, and its users throw it.
 */
class Blocked {
  constructor() {
    this.unknown = null;
    this.hint = null;
    this.others = null;
    this.resume = null;
  }
}

/** What else may settle a result: a record of a wait, and more of them. */
class Others {
  constructor(waiting, more) {
    this.waiting = waiting;
    this.more = more;
    this.size = 1 + (waiting.others?.size ?? 0) + (more?.size ?? 0);
  }
}

/** Whether none of the unknowns of a wait has become known. */
function idle(waiting) {
  for (let at = waiting; ;) {
    if (at.unknown.binding !== null) return false;
    if (at.others === null) return true;
    for (let more = at.others.more; more !== null; more = more.more) if (!idle(more.waiting)) return false;
    at = at.others.waiting;
  }
}

/** Visits the records of a wait, those first that come first in the computation. */
function visit(waiting, see) {
  see(waiting);
  visitOthers(waiting.others, see);
}

function visitOthers(others, see) {
  if (others === null) return;
  visitOthers(others.more, see);
  visit(others.waiting, see);
}

/** Nothing can be said of a value: an axiom, a type, a quotient. */
class Undetermined extends Error {}

/** The machine has used up its steps, or what it may nest. */
class Exhausted extends Error {}

Error.stackTraceLimit = 10;
const BLOCKED = new Blocked();
const UNDETERMINED = new Undetermined('undetermined');
const PROOF = { k: KIND.proof };

class Machine {
  /**
   * @param constants describes constants by name: see `constants.js`
   */
  constructor(constants) {
    this.constants = constants;
    this.globals = new Map();
    this.level = 0; // number of choices that are made
    this.trail = [[]]; // for each choice, what is to be undone with it
    this.dependence = 0; // latest choice on which the present computation rests
    this.strict = false; // whether what the kernel would have to compute must be known
    this.hints = new Map(); // numbers with which unknowns were compared lately
    this.sharing = false; // whether the terms that are made are those of constants
    this.quiet = false; // whether what is computed lasts longer than the search
    this.depth = 0;
    this.steps = 0;
    this.maxSteps = Infinity;
    this.builtins = new Map();
  }

  // Choices

  /** Begins a choice; what is bound from here on is freed by `undo`. */
  choose() {
    this.level += 1;
    this.trail[this.level] = [];
  }

  /** Takes the latest choice back. */
  undo() {
    const undone = this.trail[this.level];
    for (let i = undone.length - 1; i >= 0; i -= 1) {
      const x = undone[i];
      if (x.thunk === undefined) x.binding = null;
      else {
        x.thunk.value = null;
        x.thunk.waiting = x.waiting;
        x.thunk.level = x.level;
      }
    }
    this.level -= 1;
  }

  bind(unknown, value) {
    unknown.binding = value;
    unknown.level = this.level;
    this.trail[this.level].push(unknown);
  }

  unknown(type, about = null) {
    return { k: KIND.unknown, type, binding: null, level: 0, about };
  }

  block(unknown, hint = null) {
    BLOCKED.unknown = unknown;
    BLOCKED.hint = hint;
    BLOCKED.others = null;
    BLOCKED.resume = null;
    if (typeof hint === 'bigint') this.compared(unknown, hint);
    return BLOCKED;
  }

  /** Remembers a number with which an unknown is compared: it is a good guess. */
  compared(unknown, number) {
    const known = this.hints.get(unknown);
    if (known === undefined) this.hints.set(unknown, new Set([number]));
    else known.add(number);
  }

  // Terms

  /** A term of the machine from the JSON of an expression. */
  term(j) {
    switch (j[0]) {
      case 'v': return { t: TERM.variable, i: j[1], loose: j[1] + 1 };
      case 'c': return { t: TERM.constant, name: j[1], value: null, loose: 0 };
      case 'a': {
        const args = [];
        let f = j;
        for (; f[0] === 'a'; f = f[1]) args.push(this.term(f[2]));
            return application(this.term(f), args.reverse(), this.sharing);
      }
      case 'l': case 'p': {
        const [type, body] = [this.term(j[2]), this.term(j[3])];
        const t = j[0] === 'l' ? TERM.lambda : TERM.pi;
        return { t, name: j[1], type, body, info: j[4], loose: Math.max(type.loose, body.loose - 1) };
      }
      case 'let': {
        const [value, body] = [this.term(j[3]), this.term(j[4])];
        return { t: TERM.let, value, body, loose: Math.max(value.loose, body.loose - 1) };
      }
      case 'n': return constant(literal(BigInt(j[1])));
      case 't': return constant({ k: KIND.literal, v: j[1] });
      case 's': return constant({ k: KIND.sort, level: j[1] });
      case 'proj': {
        const e = this.term(j[3]);
        return { t: TERM.project, i: j[2], e, loose: e.loose };
      }
      default: return constant({ k: KIND.neutral, name: '', args: [] });
    }
  }

  /** A term that belongs to a constant and outlasts the search. */
  lasting(j) {
    this.sharing = true;
    const n = this.term(j);
    this.sharing = false;
    return n;
  }

  /** What a term will be, computed when it is needed. */
  delay(n, env) {
    switch (n.t) {
      case TERM.variable: return lookup(env, n.i);
      case TERM.value: return n.value;
      case TERM.lambda: return { k: KIND.lambda, term: n, env };
      case TERM.constant: return n.value ?? suspended(n, null, this.quiet);
      case TERM.closed: return n.thunk;
      default: return suspended(n, env, this.quiet);
    }
  }

  /** The head form of a value, never a thunk or a bound unknown; or `BLOCKED`. */
  force(x) {
    for (;;) {
      if (x.k === KIND.thunk) {
        if (x.value === null) {
          x = this.compute(x);
          if (x === BLOCKED) return BLOCKED;
        } else {
          if (x.level > this.dependence) this.dependence = x.level;
          x = x.value;
        }
      } else if (x.k === KIND.unknown && x.binding !== null) {
        if (x.level > this.dependence) this.dependence = x.level;
        x = x.binding;
      } else return x;
    }
  }

  /** The head form of a value on which a computation depends, or `BLOCKED`. */
  need(x, hint = null) {
    const v = this.force(x);
    return v.k === KIND.unknown ? this.block(v, hint) : v;
  }

  compute(thunk) {
    return thunk.shared ? this.once(() => this.computed(thunk)) : this.computed(thunk);
  }

  /** What is done once for all searches costs none of them steps; what is given up does. */
  once(work) {
    const { steps, quiet } = this;
    this.quiet = true;
    try {
      const value = work();
      this.steps = steps;
      return value;
    } finally {
      this.quiet = quiet;
    }
  }

  computed(thunk) {
    const { waiting } = thunk;
    if (waiting !== null && idle(waiting)) {
      return this.await_(waiting, thunk.level);
    }
    const before = this.dependence;
    const resume = waiting === null ? null : waiting.resume;
    this.dependence = resume === null ? 0 : thunk.level;
    const level = waiting === null ? 0 : thunk.level;
    thunk.waiting = null;
    const value = resume === null ? this.evaluate(thunk.term, thunk.env) : resume();
    thunk.level = this.dependence;
    if (thunk.level > 0) this.trail[thunk.level].push({ thunk, waiting, level });
    if (before > this.dependence) this.dependence = before;
    if (value === BLOCKED) {
      const { unknown, hint, others, resume: next } = BLOCKED;
      thunk.waiting = { unknown, hint, others, resume: next };
      BLOCKED.resume = null;
    } else thunk.value = value;
    return value;
  }

  /** What a computation waits for, put aside; another part may still settle the whole. */
  aside(before) {
    const { unknown, hint, others } = BLOCKED;
    const waiting = { unknown, hint, others, dependence: this.dependence };
    this.dependence = before;
    return waiting;
  }

  /** Waits for what was put aside. */
  await_(waiting, dependence = waiting.dependence) {
    if (dependence > this.dependence) this.dependence = dependence;
    this.block(waiting.unknown, waiting.hint);
    BLOCKED.others = waiting.others;
    return BLOCKED;
  }

  /** The wait for one of two parts that were put aside, the first of them if there is a choice. */
  either(first, second) {
    const { unknown, hint, others } = first;
    const dependence = Math.max(first.dependence, second.dependence);
    const all = new Others(second, others);
    return { unknown, hint, others: all.size > MANY ? others : all, dependence };
  }

  evaluate(n, env) {
    if (n.t === TERM.constant) return n.value ?? (n.value = this.global(n.name));
    if (++this.steps > this.maxSteps) throw new Exhausted('steps');
    const { depth } = this;
    if (depth >= MAX_DEPTH) throw new Exhausted('depth');
    this.depth = depth + 1;
    while (n.t === TERM.let) {
      env = { head: this.delay(n.value, env), tail: env };
      n = n.body;
    }
    const value = this.headOf(n, env);
    this.depth = depth;
    return value;
  }

  headOf(n, env) {
    switch (n.t) {
      case TERM.variable: return this.force(lookup(env, n.i));
      case TERM.value: return n.value;
      case TERM.lambda: return { k: KIND.lambda, term: n, env };
      case TERM.pi: return { k: KIND.pi, term: n, env };
      case TERM.constant: return this.evaluate(n, env);
      case TERM.closed: return this.force(n.thunk);
      case TERM.project: {
        const e = this.delay(n.e, env);
        return this.after(e, (v) => this.project(v, n.i));
      }
      default: {
        const args = Array(n.args.length);
        for (let i = 0; i < args.length; i += 1) args[i] = this.delay(n.args[i], env);
        return this.apply(this.delay(n.f, env), args);
      }
    }
  }

  /** What follows from a value; it goes on there when it had to wait for the value. */
  after(x, next) {
    const v = this.need(x);
    if (v !== BLOCKED) return next(v);
    BLOCKED.resume = () => this.after(x, next);
    return BLOCKED;
  }

  /** A function at arguments, as far as the head form; or `BLOCKED`. */
  apply(f, args) {
    for (let i = 0; i < args.length;) {
      switch (f.k) {
        case KIND.lambda: {
          let { term, env } = f;
          while (i < args.length && term.t === TERM.lambda) {
            env = { head: args[i++], tail: env };
            term = term.body;
          }
          if (i === args.length) return this.evaluate(term, env);
          const rest = args.slice(i);
          const inner = suspended(term, env, this.quiet);
          return this.after(inner, (g) => this.apply(g, rest));
        }
        case KIND.partial: {
          const all = f.args.length ? f.args.concat(args.slice(i)) : i ? args.slice(i) : args;
          if (all.length < f.arity) return { ...f, args: all };
          const value = f.run(all);
          if (value === BLOCKED) {
            if (all.length > f.arity || BLOCKED.resume === null) {
              const whole = { ...f, args: [] };
              BLOCKED.resume = () => this.apply(whole, all);
            }
            return BLOCKED;
          }
          i = f.arity;
          f = value;
          args = all;
          break;
        }
        case KIND.neutral: return { ...f, args: f.args.concat(args.slice(i)) };
        case KIND.shaped: {
          const value = this.force(f.apply(this, args[i]));
          if (value === BLOCKED) {
            const [shaped, rest] = [f, args.slice(i)];
            BLOCKED.resume = () => this.apply(shaped, rest);
            return BLOCKED;
          }
          i += 1;
          f = value;
          break;
        }
        case KIND.proof: return PROOF;
        case KIND.unknown:
        case KIND.thunk: {
          const rest = i === 0 ? args : args.slice(i);
          const g = this.need(f);
          if (g === BLOCKED) {
            const waited = f;
            BLOCKED.resume = () => this.apply(waited, rest);
            return BLOCKED;
          }
          f = g;
          args = rest;
          i = 0;
          break;
        }
        default: throw UNDETERMINED;
      }
    }
    return f;
  }

  // For those who compute with propositions: what depends on an unknown is thrown

  /** As `force`. @throws BLOCKED */
  see(x) {
    return thrown(this.force(x));
  }

  /** As `need`. @throws BLOCKED */
  require(x, hint = null) {
    return thrown(this.need(x, hint));
  }

  /** The codomain of a pi at an argument. @throws BLOCKED */
  instantiate(pi, x) {
    return thrown(this.evaluate(pi.term.body, { head: x, tail: pi.env }));
  }

  /**
   * Whether a type (a value) is a proposition; of a predicate that is defined by recursion the name
   * says so, when it cannot be computed yet. @throws BLOCKED
   */
  isProposition(type) {
    const name = type.k === KIND.thunk ? headName(type.term) : null;
    if (name !== null && this.constants.makesPropositions(name)) return true;
    let v = this.see(type);
    while (v.k === KIND.pi) v = this.instantiate(v, PROOF);
    if (v.k !== KIND.neutral) return false;
    return this.constants.makesPropositions(v.name);
  }

  // Constants

  /** The value of a constant. */
  global(name) {
    let value = this.globals.get(name);
    if (value === undefined) {
      value = this.builtins.get(name) ?? this.once(() => this.make(name));
      this.globals.set(name, value);
    }
    return value;
  }

  make(name) {
    const facts = this.constants.describe(name);
    switch (facts?.kind) {
      case 'definition': {
        const before = this.dependence;
        const value = this.evaluate(this.lasting(this.constants.body(facts)), null);
        this.dependence = before;
        return value;
      }
      case 'constructor': {
        const arity = facts.parameters + facts.fields;
        const run = (args) => ({
          k: KIND.constructor, name, facts, args: arity === args.length ? args : args.slice(0, arity),
        });
        return arity ? { k: KIND.partial, arity, args: [], run } : run([]);
      }
      case 'recursor': return this.recursor(facts);
      default: return { k: KIND.neutral, name, facts, args: [] };
    }
  }

  /** The type of a constant, as a value. */
  typeOf(name) {
    const facts = this.constants.describe(name);
    facts.typeTerm ??= this.lasting(facts.type);
    return this.evaluate(facts.typeTerm, null);
  }

  /**
   * A recursor. A proof is never looked at: what a proposition with one constructor says, that
   * constructor says, and well-founded recursion goes on as long as there are steps.
   */
  recursor(facts) {
    const { parameters, motives, minors, indices, rules, proposition } = facts;
    const at = parameters + motives + minors + indices;
    const leading = parameters + motives + minors;
    const reduce = (rule, args, fields) => {
      rule.term ??= this.once(() => this.evaluate(this.lasting(rule.rhs), null));
      return this.apply(rule.term, args.slice(0, leading).concat(fields));
    };
    const run = (args) => {
      if (proposition) {
        if (rules.length !== 1) throw UNDETERMINED;
        const fields = facts.name === 'Acc.rec' ? [args[at - 1], PROOF]
          : Array(rules[0].fields).fill(PROOF);
        return reduce(rules[0], args, fields);
      }
      const major = this.need(args[at], 'case');
      if (major === BLOCKED) return BLOCKED;
      if (major.k === KIND.literal && typeof major.v === 'bigint') {
        return major.v === 0n ? reduce(rules[0], args, [])
          : reduce(rules[1], args, [literal(major.v - 1n)]);
      }
      if (major.k !== KIND.constructor) throw UNDETERMINED;
      const rule = rules.find((r) => r.constructor_ === major.name);
      return reduce(rule, args, major.args.slice(major.facts.parameters));
    };
    return { k: KIND.partial, arity: at + 1, args: [], run };
  }

  project(value, i) {
    if (value.k === KIND.constructor) return this.force(value.args[value.facts.parameters + i]);
    if (value.k === KIND.proof) return PROOF;
    throw UNDETERMINED;
  }

  /** The domain of a pi, the same object each time, so that what is known of it is kept. */
  domain(pi) {
    return pi.domain ?? (pi.domain = this.delay(pi.term.type, pi.env));
  }
}

const literal = (v) => ({ k: KIND.literal, v });

function thrown(value) {
  if (value === BLOCKED) throw BLOCKED;
  return value;
}

const constant = (value) => ({ t: TERM.value, value, loose: 0 });

/**
 * An application, the part of it apart that is closed: that is computed once. So `x - 1` finds the
 * subtraction of its type once, and a table that a statement speaks of is made once.
 */
function application(f, args, shared) {
  let n = 0;
  if (f.loose === 0) while (n < args.length && args[n].loose === 0) n += 1;
  if (n > 0) f = closed({ t: TERM.apply, f, args: args.slice(0, n), loose: 0 }, shared);
  if (n === args.length) return f;
  const rest = args.slice(n);
  return { t: TERM.apply, f, args: rest, loose: Math.max(f.loose, ...rest.map((a) => a.loose)) };
}

/** A value that is computed when it is needed; a shared one is the same in all searches. */
function suspended(term, env, shared = false) {
  return { k: KIND.thunk, term, env, value: null, waiting: null, level: 0, shared };
}

function closed(term, shared) {
  const thunk = suspended(term, null, shared);
  return { t: TERM.closed, thunk, loose: 0 };
}

/** The constant that a term applies, or null. */
function headName(term) {
  let at = term;
  while (at.t === TERM.apply || at.t === TERM.closed) at = at.t === TERM.apply ? at.f : at.thunk.term;
  return at.t === TERM.constant ? at.name : null;
}

function lookup(env, i) {
  for (; i > 0; i -= 1) env = env.tail;
  return env.head;
}

module.exports = {
  Machine, Blocked, Undetermined, Exhausted, BLOCKED, UNDETERMINED, PROOF, TERM, KIND, literal, visit, suspended,
};
