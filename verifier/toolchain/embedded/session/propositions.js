'use strict';
// Whether propositions hold, as far as their structure says: connectives, equations by normal
// forms, inductive predicates by their constructors, quantifiers over few values.

const { KIND, PROOF, BLOCKED, Undetermined, UNDETERMINED, literal, suspended } = require('./machine.js');
const { compare, natural } = require('./arithmetic.js');

const MANY = 64; // values of a bounded quantifier
const DEEP = 40; // rules of an inductive predicate, one in another

class Propositions {
  constructor(machine) {
    this.machine = machine;
    this.nesting = 0;
  }

  /** Whether a proposition holds; throws where it depends on unknowns or cannot be told. */
  holds(proposition) {
    const v = this.machine.require(proposition);
    if (v.k === KIND.pi) return this.forAll(v);
    if (v.k !== KIND.neutral) throw UNDETERMINED;
    const { args } = v;
    switch (v.name) {
      case 'True': return true;
      case 'False': return false;
      case 'And': return this.either(args, false);
      case 'Or': return this.either(args, true);
      case 'Iff': return this.holds(args[0]) === this.holds(args[1]);
      case 'Eq': return this.equal(args[1], args[2]);
      case 'HEq': return this.equal(args[1], args[3]);
      case 'Nat.le': return this.compared(args[0], args[1]) <= 0;
      case 'Exists': throw UNDETERMINED;
      default: return this.derivable(v);
    }
  }

  /** Two propositions, of which one that is `dominant` settles the matter. */
  either(parts, dominant) {
    return this.all(parts.map((part) => () => this.holds(part) !== dominant)) !== dominant;
  }

  forAll(pi) {
    const { machine } = this;
    const domain = machine.domain(pi);
    if (machine.isProposition(domain)) {
      pi.conclusion ??= bodyAt(pi, PROOF);
      return this.implies(domain, pi.conclusion);
    }
    const values = this.few(domain) ?? this.bounded(pi);
    if (values === null) return this.sampled(pi, domain);
    return this.either(values.map((x) => bodyAt(pi, x)), false);
  }

  implies(premise, conclusion) {
    return !this.all([() => this.holds(premise), () => !this.holds(conclusion)]);
  }

  compared(x, y) {
    const order = compare(this.machine, x, y);
    if (order === BLOCKED) throw BLOCKED;
    return order;
  }

  /** All values of a type without fields, or null. */
  few(type) {
    const v = this.machine.require(type);
    const facts = v.k === KIND.neutral ? this.machine.constants.describe(v.name) : null;
    if (facts?.kind !== 'inductive' || facts.indices) return null;
    const constructors = facts.constructors.map((c) => this.machine.constants.describe(c));
    if (constructors.some((c) => c.fields)) return null;
    return constructors.map((c) => this.machine.apply(this.machine.global(c.name), v.args));
  }

  /** The values x of `∀ x, x ∈ l → …` and `∀ x, x < n → …`, or null. */
  bounded(pi) {
    const { machine } = this;
    const x = machine.unknown(null);
    const inner = machine.see(bodyAt(pi, x));
    if (inner.k !== KIND.pi) return null;
    const premise = machine.see(machine.domain(inner));
    if (premise.k !== KIND.neutral) return null;
    const is = (y) => machine.see(y) === x;
    if (premise.name === 'List.Mem' && is(premise.args[1])) return this.elements(premise.args[2]);
    if (premise.name !== 'Nat.le') return null;
    const least = machine.see(premise.args[0]);
    const strict = least.k === KIND.constructor && is(least.args[0]);
    if (!strict && least !== x) return null;
    const bound = natural(machine, premise.args[1]);
    if (bound === BLOCKED) throw BLOCKED;
    const n = bound + (strict ? 0n : 1n);
    return n > MANY ? null : Array.from({ length: Number(n) }, (_, i) => literal(BigInt(i)));
  }

  elements(list) {
    const found = [];
    for (;;) {
      const v = this.machine.require(list);
      if (v.name !== 'List.cons' || found.length > MANY) return found;
      found.push(v.args[1]);
      [, , list] = v.args;
    }
  }

  /** One instance refutes; that some hold says nothing. */
  sampled(pi, domain) {
    for (const x of this.samples(domain)) if (!this.holds(bodyAt(pi, x))) return false;
    throw UNDETERMINED;
  }

  samples(type) {
    const v = this.machine.see(type);
    return v.k === KIND.neutral && v.name === 'Nat' ? [0n, 1n, 2n].map(literal) : [];
  }

  /** Whether normal forms are the same. */
  equal(x, y) {
    const { machine } = this;
    const a = machine.see(x);
    const b = machine.see(y);
    if (a === b) return true;
    if (isNumber(a) || isNumber(b)) return this.compared(a, b) === 0;
    if (a.k === KIND.unknown || b.k === KIND.unknown) throw machine.block(a.k === KIND.unknown ? a : b);
    if (a.k === KIND.proof || b.k === KIND.proof) return true;
    if (a.k === KIND.literal && b.k === KIND.literal) return a.v === b.v;
    if (a.k !== KIND.constructor || b.k !== KIND.constructor) throw UNDETERMINED;
    if (a.name !== b.name) return false;
    const n = a.facts.parameters;
    return this.all(a.args.slice(n).map((field, i) => () => this.equal(field, b.args[n + i])));
  }

  /** Whether all checks say yes; one that says no settles it. */
  all(checks) {
    let waiting = null;
    let open = false;
    for (const check of checks) {
      const { dependence: before, depth } = this.machine;
      try {
        if (!check()) return false;
      } catch (error) {
        if (error === BLOCKED) {
          const other = this.machine.aside(before);
          waiting = waiting === null ? other : this.machine.either(waiting, other);
        }
        else if (error instanceof Undetermined) open = true;
        else throw error;
        Object.assign(this.machine, { dependence: before, depth });
      }
    }
    if (waiting !== null) throw this.machine.await_(waiting);
    if (open) throw UNDETERMINED;
    return true;
  }

  /** Whether a rule of an inductive predicate gives it; that none does is an answer as well. */
  derivable(v) {
    const { machine } = this;
    const facts = machine.constants.describe(v.name);
    if (facts?.kind !== 'inductive' || this.nesting >= DEEP) throw UNDETERMINED;
    this.nesting += 1;
    try {
      let open = false;
      for (const rule of facts.constructors) {
        try {
          if (this.follows(rule, facts, v.args)) return true;
        } catch (error) {
          if (!(error instanceof Undetermined)) throw error;
          open = true;
        }
      }
      if (open) throw UNDETERMINED;
      return false;
    } finally {
      this.nesting -= 1;
    }
  }

  follows(rule, family, args) {
    const { machine } = this;
    const premises = [];
    const own = new Set();
    let type = machine.typeOf(rule);
    for (let i = 0; type.k === KIND.pi; i += 1) {
      const domain = machine.domain(type);
      let x = args[i];
      if (i >= family.parameters) {
        if (machine.isProposition(domain)) {
          x = PROOF;
          premises.push(domain);
        } else {
          x = machine.unknown(domain);
          own.add(x);
        }
      }
      type = machine.instantiate(type, x);
    }
    for (let i = family.parameters; i < args.length; i += 1) {
      if (!this.unify(type.args[i], args[i], own)) return false;
    }
    try {
      return this.all(premises.map((p) => () => this.holds(p)));
    } catch (error) {
      if (error === BLOCKED && own.has(error.unknown)) throw UNDETERMINED;
      throw error;
    }
  }

  /** Makes a pattern of unknowns of our own equal to a value, if it can be. */
  unify(pattern, value, own) {
    const { machine } = this;
    const p = machine.see(pattern);
    if (p.k === KIND.unknown && own.has(p)) {
      p.binding = value;
      p.level = machine.dependence;
      return true;
    }
    if (p.k !== KIND.constructor) return this.equal(p, value);
    const v = machine.require(value);
    if (isNumber(v) && p.name === 'Nat.succ' && v.k === KIND.literal) {
      return v.v > 0n && this.unify(p.args[0], literal(v.v - 1n), own);
    }
    if (v.k !== KIND.constructor) throw UNDETERMINED;
    if (v.name !== p.name) return false;
    for (let i = p.facts.parameters; i < p.args.length; i += 1) {
      if (!this.unify(p.args[i], v.args[i], own)) return false;
    }
    return true;
  }
}

const isNumber = (v) => v.name === 'Nat.succ' || (v.k === KIND.literal && typeof v.v === 'bigint');

function bodyAt(pi, x) {
  return suspended(pi.term.body, { head: x, tail: pi.env });
}

module.exports = { Propositions, bodyAt };
