'use strict';
// What an unknown of a type can be: a constructor of new unknowns, a number, a simple function.

const { BLOCKED, KIND, PROOF, TERM, literal } = require('./machine.js');

const EXPLICIT = 0;
const SMALL = [0n, 1n, 2n, 3n, 4n, 5n];
const LARGE = [7n, 10n, 16n, 100n, 255n, 256n, 65536n];
const FEW = 5;
const PROPOSITIONS = ['True', 'False'];
const TYPES = ['Nat', 'Bool'];

class Unknowns {
  /** @param numbers literals that occur in what is searched */
  constructor(machine, numbers = []) {
    this.machine = machine;
    this.numbers = numbers;
  }

  /**
   * What an unknown can be: choices with a cost; `make` gives the value and the conditions on it.
   * `complete` says whether there are no others.
   * @param hint a number that it is compared with, or 'case' where only its constructor matters
   * @param random draws further numbers, in a dive
   */
  choices(unknown, hint, random) {
    const { machine } = this;
    const type = machine.require(unknown.type);
    if (type.k === KIND.pi) return this.functions(type);
    if (type.k === KIND.sort) {
      const names = type.level[0] === '0' ? PROPOSITIONS : TYPES;
      const known = names.map((n, cost) => plain(cost, machine.global(n)));
      return names === PROPOSITIONS ? whole(known) : known;
    }
    if (type.k !== KIND.neutral) return [];
    if (type.name === 'Nat') return this.naturals(unknown, hint, random);
    if (type.name === 'Int' && hint !== 'case') return this.integers(unknown, random);
    if (type.name === 'String') return ['', 'a', 'ab', 'b'].map((v, i) => plain(i ? 1 : 0, literal(v)));
    const facts = machine.constants.describe(type.name);
    if (facts?.kind !== 'inductive') return whole([]);
    const found = facts.constructors.map((c, i) => this.construction(c, i, facts, type));
    return whole(found.sort((a, b) => a.cost - b.cost));
  }

  /** How many choices there are for an unknown, about: of numbers and functions a few matter. */
  width(unknown, hint) {
    const { machine } = this;
    const before = machine.dependence;
    const type = machine.force(unknown.type);
    machine.dependence = before;
    if (type.k !== KIND.neutral) return FEW;
    if (['Nat', 'Int', 'String'].includes(type.name) && hint !== 'case') return FEW;
    return machine.constants.describe(type.name)?.constructors?.length ?? FEW;
  }

  /** Integers: those that it is compared with, small ones, and those of the statement. */
  integers(unknown, random) {
    const { machine } = this;
    const made = (z) => (z >= 0n ? machine.apply(machine.global('Int.ofNat'), [literal(z)])
      : machine.apply(machine.global('Int.negSucc'), [literal(-z - 1n)]));
    const costs = new Map();
    const add = (z, cost) => { if (!costs.has(z)) costs.set(z, cost); };
    const compared = this.hinted(unknown, add);
    [0n, 1n, -1n, 2n, 3n, -2n, 4n, 5n].forEach((z, i) => add(z, i >> 1));
    this.numbers.forEach((n) => [n, n + 1n, n - 1n, -n].forEach((z) => add(z, 2)));
    if (random !== null) add(BigInt(Math.floor(40 * random()) - 10), 3);
    [10n, -10n, 100n].forEach((z) => add(z, 4));
    const found = [...costs].map(([z, cost]) => ({
      cost, recursive: false, compared: compared.has(z), make: () => ({ value: made(z), conditions: [] }),
    }));
    return found.sort((a, b) => a.cost - b.cost);
  }

  /** Adds numbers that an unknown was compared with, which it returns, and their neighbours. */
  hinted(unknown, add) {
    const hints = [...this.machine.hints.get(unknown) ?? []];
    hints.forEach((n) => add(n, 0));
    hints.slice(0, 3).forEach((n) => [n + 1n, n - 1n].forEach((z) => add(z, 1)));
    return new Set(hints);
  }

  naturals(unknown, hint, random) {
    if (hint === 'case') {
      const facts = this.machine.constants.describe('Nat.succ');
      const make = () => {
        const below = this.machine.unknown(this.machine.global('Nat'));
        return { value: { k: KIND.constructor, name: 'Nat.succ', facts, args: [below] }, conditions: [] };
      };
      return whole([plain(0, literal(0n)), { cost: 1, recursive: true, make }]);
    }
    const costs = new Map();
    const add = (n, cost) => { if (n >= 0n && !costs.has(n)) costs.set(n, cost); };
    const compared = this.hinted(unknown, add);
    SMALL.forEach((n, i) => add(n, i >> 1));
    this.numbers.forEach((n) => [n, n + 1n, n - 1n].forEach((m) => add(m, 2)));
    if (random !== null) [30, 300].forEach((n) => add(BigInt(Math.floor(n * random())), 3));
    LARGE.forEach((n) => add(n, 4));
    const found = [...costs].map(([n, cost]) => ({ ...plain(cost, literal(n)), compared: compared.has(n) }));
    return found.sort((a, b) => a.cost - b.cost);
  }

  /**
   * A constructor as a choice. What makes values larger costs, and so does what a smaller value
   * could do as well: of an enumeration every element but the first.
   */
  construction(name, index, family, type) {
    const facts = this.machine.constants.describe(name);
    const recursive = facts.fields > 0 && mentions(facts.type, family.name);
    const make = () => this.construct(name, family, facts, type);
    const another = facts.fields === 0 && index > 0 && family.constructors.length > 2;
    return { cost: recursive || another ? 1 : 0, recursive, make };
  }

  construct(name, family, facts, type) {
    const { machine } = this;
    const args = [];
    const conditions = [];
    let at = machine.typeOf(name);
    for (let i = 0; i < facts.parameters + facts.fields; i += 1) {
      const domain = machine.domain(at);
      let x = type.args[i];
      if (i >= facts.parameters) {
        if (machine.isProposition(domain)) {
          x = PROOF;
          conditions.push({ proposition: domain, wanted: true });
        } else x = machine.unknown(domain);
      }
      args.push(x);
      at = machine.instantiate(at, x);
    }
    for (let i = facts.parameters; i < type.args.length; i += 1) {
      conditions.push({ same: [at.args[i], type.args[i]] });
    }
    const value = args.length ? machine.apply(machine.global(name), args) : machine.global(name);
    return { value, conditions };
  }

  /** A few functions of a type, whose parts are unknowns again. */
  functions(pi) {
    const { machine } = this;
    const domain = machine.domain(pi);
    const codomain = machine.see(machine.delay(pi.term.body, { head: PROOF, tail: pi.env }));
    const from = machine.see(domain);
    const name = from.k === KIND.neutral ? from.name : '';
    const found = [shaped(0, () => {
      const c = machine.unknown(codomain);
      return { shape: ['constant', c], apply: () => c };
    })];
    if (this.sameType(from, codomain)) found.push(shaped(0, () => ({ shape: ['same'], apply: (m, x) => x })));
    let inner = codomain;
    let between = 0;
    while (inner.k === KIND.pi) {
      inner = machine.instantiate(inner, PROOF);
      between += 1;
    }
    if (between && this.sameType(from, inner)) {
      found.push(shaped(1, () => ({ shape: ['first', between], apply: (m, x) => keep(x, between) })));
    }
    if (between === 1) found.push(...this.pairing(from, codomain, inner));
    if (name === 'Nat') found.push(...this.ofNumbers(codomain));
    else found.push(...this.byCases(from, codomain));
    return found;
  }

  /** `fun x y => C x y` for the constructors whose arguments are of these types. */
  pairing(from, pi, result) {
    const { machine } = this;
    const facts = result.k === KIND.neutral ? machine.constants.describe(result.name) : null;
    if (facts?.kind !== 'inductive') return [];
    const second = machine.see(machine.domain(pi));
    return facts.constructors.filter((name) => {
      const c = machine.constants.describe(name);
      if (c.fields !== 2) return false;
      let at = machine.typeOf(name);
      for (const p of result.args.slice(0, c.parameters)) at = machine.instantiate(at, p);
      if (!this.sameType(machine.see(machine.domain(at)), from)) return false;
      at = machine.instantiate(at, PROOF);
      return at.k === KIND.pi && this.sameType(machine.see(machine.domain(at)), second);
    }).map((name) => shaped(1, () => ({
      shape: ['pair', name],
      apply: (m, x) => curried((y) => m.apply(m.global(name), [...result.args, x, y])),
    })));
  }

  ofNumbers(codomain) {
    const { machine } = this;
    const test = () => {
      const parts = [machine.unknown(machine.global('Nat')), machine.unknown(codomain), machine.unknown(codomain)];
      const apply = (m, x) => {
        const b = m.apply(m.global('Nat.beq'), [x, parts[0]]);
        if (b === BLOCKED) return BLOCKED;
        return b.name === 'Bool.true' ? parts[1] : parts[2];
      };
      return { shape: ['if', ...parts], apply };
    };
    const found = [shaped(1, test)];
    if (codomain.k === KIND.neutral && codomain.name === 'Nat') {
      const one = literal(1n);
      found.push(shaped(1, () => ({
        shape: ['successor'], apply: (m, x) => m.apply(m.global('Nat.add'), [x, one]),
      })));
    }
    return found;
  }

  byCases(from, codomain) {
    const { machine } = this;
    const facts = from.k === KIND.neutral ? machine.constants.describe(from.name) : null;
    if (facts?.kind !== 'inductive' || facts.constructors.length < 2 || facts.indices) return [];
    return [shaped(1, () => {
      const results = new Map(facts.constructors.map((c) => [c, machine.unknown(codomain)]));
      const fields = (c) => machine.constants.describe(c).fields;
      return {
        shape: ['cases', from.name, ...[...results].map(([c, r]) => [fields(c), r])],
        apply: (m, x) => {
          const v = m.need(x, 'case');
          return v === BLOCKED ? BLOCKED : results.get(v.name);
        },
      };
    })];
  }

  /** Whether types are the same, as far as their names say. */
  sameType(a, b) {
    const { machine } = this;
    if (a.k !== KIND.neutral || b.k !== KIND.neutral || a.name !== b.name) return false;
    return a.args.length === b.args.length
      && a.args.every((x, i) => this.sameType(machine.see(x), machine.see(b.args[i])));
  }
}

const whole = (choices) => Object.assign(choices, { complete: true });

const plain = (cost, value) => ({ cost, recursive: false, make: () => ({ value, conditions: [] }) });

const shaped = (cost, make) => ({
  cost, recursive: false, make: () => ({ value: { k: KIND.shaped, ...make() }, conditions: [] }),
});

const curried = (apply) => ({ k: KIND.shaped, shape: null, apply: (m, y) => apply(y) });
const keep = (x, n) => (n ? { k: KIND.shaped, shape: null, apply: () => keep(x, n - 1) } : x);

/** Whether the fields of a constructor are of the family itself, perhaps inside another type. */
function mentions(type, name) {
  for (let at = type; at[0] === 'p'; at = at[3]) if (JSON.stringify(at[2]).includes(`["c","${name}"`)) return true;
  return false;
}

module.exports = { Unknowns, EXPLICIT, TERM };
