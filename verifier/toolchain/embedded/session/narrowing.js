'use strict';
// Looks for values at which a statement fails. Variables are unknowns that become known as far as
// the evaluation of hypotheses and conclusion asks for them: what fails for every list that begins
// with 1 is seen to fail once. All values by size and seeded dives to larger ones take turns.

const {
  Machine, BLOCKED, KIND, PROOF, TERM, Undetermined, Exhausted, visit, suspended,
} = require('./machine.js');
const { install } = require('./arithmetic.js');
const { Propositions } = require('./propositions.js');
const { Unknowns, EXPLICIT } = require('./unknowns.js');

const BUDGETS = [0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 18];
const DIVES = [8, 40, 12, 160, 20, 80, 400]; // budgets
const FIRST = 1 / 8; // part of the steps that sizes have before the first dive
const PATIENCE = 400; // nodes of a dive, twice as many in each round
const STEPS_OF_A_NODE = 20; // what a choice costs beside evaluation
const STEPS_OF_A_CHECK = 400_000;
const TURN = 20_000; // steps of a dive, while that many are left
const INSTANCE = 3; // a binder in square brackets
const MANY_CANDIDATES = 12;
const FEW_OTHERS = 2; // numbers with which nothing is compared, in a dive
const LARGEST = 4_000; // nodes of a value that is shown

/** A stream of numbers in [0, 1): mulberry32. */
function randomness(seed) {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = a;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** How the dives are made, one after the other: budgets take turns, with more and more patience. */
class Dives {
  constructor(seed, depth) {
    this.random = randomness(seed);
    this.budgets = DIVES.map((budget) => budget * depth);
    this.turn = 0;
  }

  /** What is drawn for the next dive, or null when all values of these budgets were searched. */
  next(searched) {
    if (searched >= Math.max(...this.budgets)) return null;
    for (;;) {
      const { turn } = this;
      this.turn += 1;
      const budget = this.budgets[turn % this.budgets.length];
      if (budget <= searched) continue;
      const nodes = PATIENCE * 2 ** Math.floor(turn / this.budgets.length);
      const { random } = this;
      return { budget, nodes, random, growth: random(), narrow: random() < 0.5, picky: random() < 0.5 };
    }
  }
}

class Narrowing {
  constructor(constants) {
    this.machine = new Machine(constants);
    install(this.machine);
    this.propositions = new Propositions(this.machine);
  }

  free() {
    this.machine.constants.free();
  }

  /**
   * @param type the statement as JSON, closed and without type variables
   * @returns `{ outcome, found, candidates, steps }`: `refuted` with what was found, `exhausted`
   *   when there are no more values, or `open`
   */
  search({ type, steps, milliseconds, seed, depth }) {
    const m = this.machine;
    Object.assign(this, { candidates: new Map(), cut: false, vague: false, found: null, searched: -1 });
    this.unknowns = new Unknowns(m, numbers(type));
    this.look = 0;
    this.end = performance.now() + milliseconds;
    m.steps = 0;
    m.dependence = 0;
    this.term = m.term(type);
    const goal = this.pose(this.term);
    if (goal === null) return { outcome: 'open', found: null, candidates: [], steps: m.steps };
    this.goal = goal;
    let outcome = 'open';
    try {
      outcome = this.explore(goal.conditions, { steps, seed, depth });
    } catch (error) {
      if (!(error instanceof Exhausted || error instanceof RangeError)) throw error;
    }
    while (m.level > 0) m.undo();
    return {
      outcome, found: this.found, candidates: [...this.candidates.values()], steps: m.steps,
    };
  }

  /**
   * All values by size, and random dives to larger ones, in turns that take about as many steps.
   * The sizes begin, so that what fails at small values is seen to fail there.
   */
  explore(conditions, { steps, seed, depth }) {
    const m = this.machine;
    const sizes = [...BUDGETS];
    const dives = new Dives(seed, depth);
    let [small, large] = [0, 0]; // steps
    while (m.steps < steps) {
      while (sizes[0] <= this.searched) sizes.shift();
      const before = m.steps;
      const bySize = sizes.length && small <= Math.max(large, steps * FIRST);
      const outcome = bySize ? this.bySize(conditions, sizes, Math.min(steps, before + steps / 2 - small))
        : this.dive(conditions, dives, steps);
      if (outcome !== null) return outcome;
      if (bySize) small += m.steps - before;
      else large += m.steps - before;
    }
    return 'open';
  }

  /** All values of the next size, until that many steps are used. */
  bySize(conditions, sizes, end) {
    const [budget] = sizes.splice(0, 1);
    Object.assign(this, { random: null, narrow: true, nodes: Infinity, cut: false });
    const answer = this.bounded(() => this.solve(conditions, budget, false), end);
    if (answer) return 'refuted';
    if (answer === null) sizes.length = 0;
    else this.searched = budget;
    if (answer === null || this.cut) return null;
    return this.vague ? 'open' : 'exhausted';
  }

  /**
   * Values in a random order of choices. What a budget has no room for, a smaller one has not
   * either.
   */
  dive(conditions, dives, steps) {
    const drawn = dives.next(this.searched);
    if (drawn === null) return 'open';
    Object.assign(this, drawn, { partial: false });
    const before = this.machine.steps;
    const share = Math.min(steps, before + Math.max(TURN, (steps - before) / 4));
    const answer = this.bounded(() => this.solve(conditions, drawn.budget, false), share);
    if (answer) return 'refuted';
    if (answer === false && !this.partial) this.searched = drawn.budget;
    return null;
  }

  /** The result of a part of the search, or null when its steps are used up. */
  bounded(part, steps) {
    this.limit = steps;
    try {
      return part();
    } catch (error) {
      if (!(error instanceof Exhausted) || performance.now() > this.end) throw error;
      return null;
    } finally {
      this.machine.maxSteps = Infinity;
      while (this.machine.level > 0) this.machine.undo();
      this.machine.depth = 0;
    }
  }

  /**
   * Whether there are values, not costlier than the budget, for which the conditions hold. The
   * values stay bound only until the caller has written them down.
   */
  solve(conditions, budget, vague) {
    const m = this.machine;
    const rest = [];
    const waits = [];
    m.hints.clear();
    for (const condition of conditions) {
      try {
        if (!this.check(condition)) return false;
      } catch (error) {
        if (error === BLOCKED) {
          rest.push(condition);
          waits.push({ ...m.aside(m.dependence), whole: condition.whole !== undefined });
        } else if (error instanceof Undetermined) vague = true;
        else throw error;
      }
    }
    if (waits.length === 0) return this.arrived(vague);
    if (vague && this.candidates.size >= MANY_CANDIDATES) {
      this.vague = true;
      return false;
    }
    const waiting = this.preferred(waits);
    if (--this.nodes < 0) throw new Exhausted('nodes');
    m.steps += STEPS_OF_A_NODE;
    let choices;
    try {
      m.dependence = 0;
      choices = this.unknowns.choices(waiting.unknown, waiting.hint, this.random);
      if (!choices.complete) this.cut = true;
    } catch (error) {
      if (!(error instanceof Undetermined || error === BLOCKED)) throw error;
      this.vague = true;
      return false;
    }
    for (const choice of this.ordered(choices, budget)) {
      if (choice.cost > budget) {
        this.cut = true;
        continue;
      }
      m.choose();
      let made = null;
      try {
        made = choice.make();
      } catch (error) {
        if (!(error instanceof Undetermined || error === BLOCKED)) throw error;
      }
      if (made !== null) {
        m.bind(waiting.unknown, made.value);
        if (this.solve([...made.conditions, ...rest], budget - choice.cost, vague)) return true;
      }
      m.undo();
    }
    return false;
  }

  /**
   * The wait to go on with: the first one, or the first of those whose unknowns have the fewest
   * constructors.
   */
  preferred(waits) {
    const [first] = waits;
    const all = waits.filter((w) => w.whole === first.whole);
    let chosen = first;
    if (this.narrow) {
      let least = Infinity;
      const look = (w) => {
        if (w.unknown.looked === this.look) return;
        w.unknown.looked = this.look;
        const width = this.unknowns.width(w.unknown, w.hint);
        if (width >= least) return;
        least = width;
        chosen = w;
      };
      this.look += 1;
      all.forEach((w) => visit(w, look));
    }
    const { unknown } = chosen;
    const compare = (w) => {
      if (w.unknown === unknown && typeof w.hint === 'bigint') this.machine.compared(unknown, w.hint);
    };
    all.forEach((w) => visit(w, compare));
    return chosen;
  }

  /** Small ones first; in a dive at random, rather larger or rather smaller. */
  ordered(choices, budget) {
    if (this.random === null) return choices;
    if (this.picky && choices.some((c) => c.compared)) choices = this.likely(choices);
    const weight = (c) => (0.05 + (c.recursive ? this.growth : 1 - this.growth)) / (1 + c.cost) ** 2;
    return choices.map((c) => [this.random() ** (1 / weight({ ...c, cost: c.recursive ? 0 : c.cost })), c])
      .sort((a, b) => b[0] - a[0]).map(([, c]) => c).filter((c) => c.cost <= budget);
  }

  /** Of numbers: those that something is compared with, and few others, which seldom differ. */
  likely(choices) {
    this.partial = true;
    const others = choices.filter((c) => !c.compared);
    const few = Array.from({ length: FEW_OTHERS }, () => others[Math.floor(this.random() * others.length)]);
    return choices.filter((c) => c.compared || few.includes(c));
  }

  check(condition) {
    const m = this.machine;
    m.dependence = 0;
    m.depth = 0;
    const left = this.limit - m.steps;
    if (left <= 0 || performance.now() > this.end) throw new Exhausted('budget');
    const allowed = Math.min(left, STEPS_OF_A_CHECK);
    m.maxSteps = m.steps + allowed;
    try {
      if (condition.same) return this.propositions.equal(...condition.same);
      if (condition.whole) return this.whole(condition.whole);
      return this.propositions.holds(condition.proposition) === condition.wanted;
    } catch (error) {
      if (error instanceof RangeError) throw new Undetermined('deep');
      if (!(error instanceof Exhausted) || (error.message === 'steps' && allowed === left)) throw error;
      throw new Undetermined('long');
    }
  }

  /** Waits for every unknown of a value. */
  whole(x) {
    const v = this.machine.require(x);
    if (v.k === KIND.constructor) v.args.slice(v.facts.parameters).forEach((a) => this.whole(a));
    if (v.k === KIND.shaped) parts(v.shape).forEach((a) => this.whole(a));
    return true;
  }

  /** Writes values down; values for which not all could be told are only candidates. */
  arrived(vague) {
    const m = this.machine;
    m.maxSteps = m.steps + STEPS_OF_A_CHECK;
    m.depth = 0;
    let row = null;
    try {
      row = this.goal.arguments.map(([name, x]) => [name, this.shown(x)]);
    } catch (error) {
      if (!(error instanceof Exhausted || error instanceof RangeError)) throw error;
      this.vague = true;
      return false;
    }
    if (vague) {
      this.vague = true;
      if (this.candidates.size < MANY_CANDIDATES) this.candidates.set(JSON.stringify(row), row);
      return false;
    }
    if (!this.holdsAgain()) {
      this.vague = true;
      return false;
    }
    this.found = { values: row, sides: this.sides() };
    return true;
  }

  /** Whether the kernel could compute at these values as well: it counts down where we do not. */
  holdsAgain() {
    const m = this.machine;
    const again = this.pose(this.term);
    if (again === null) return false;
    bindAll(again.arguments, this.goal.arguments);
    m.strict = true;
    try {
      return again.conditions.every((condition) => this.check(condition));
    } catch (error) {
      if (!(error instanceof Undetermined || error === BLOCKED)) throw error;
      return false;
    } finally {
      m.strict = false;
    }
  }

  /** The sides of an equation in the conclusion, or null. */
  sides() {
    try {
      const v = this.machine.see(this.goal.conclusion);
      if (v.k !== KIND.neutral || v.name !== 'Eq') return null;
      return [this.shown(v.args[1]), this.shown(v.args[2])];
    } catch (error) {
      if (error === BLOCKED || error instanceof Undetermined || error instanceof Exhausted
        || error instanceof RangeError) return null;
      throw error;
    }
  }

  /** A value as data: ["n", digits], ["t", text], ["c", name, …explicit fields], ["f", …], … */
  shown(x, budget = { left: LARGEST }) {
    if (--budget.left < 0) throw new Exhausted('size');
    if (Array.isArray(x)) return x.map((y) => (typeof y === 'string' ? y : this.shown(y, budget)));
    const v = this.machine.see(x);
    switch (v.k) {
      case KIND.literal: return typeof v.v === 'bigint' ? ['n', String(v.v)] : ['t', v.v];
      case KIND.proof: return ['p'];
      case KIND.shaped: return ['f', ...this.shape(v.shape, budget)];
      case KIND.neutral: return ['s', v.name, ...v.args.map((a) => this.shown(a, budget))];
      case KIND.constructor: {
        const n = v.facts.parameters;
        const explicit = binders(v.facts).slice(n);
        const fields = v.args.slice(n).filter((_, i) => explicit[i] === EXPLICIT);
        return ['c', v.name, ...fields.map((a) => this.shown(a, budget))];
      }
      default: return ['?'];
    }
  }

  shape(shape, budget) {
    if (shape === null) return ['?'];
    return shape.map((part) => {
      if (typeof part === 'string' || typeof part === 'number') return part;
      return Array.isArray(part) ? this.shape(part, budget) : this.shown(part, budget);
    });
  }

  /** Makes the variables of a statement unknowns, and what is to hold of them conditions. */
  pose(term) {
    const m = this.machine;
    m.maxSteps = m.steps + STEPS_OF_A_CHECK;
    m.depth = 0;
    const conditions = [];
    const named = [];
    const wholes = [];
    try {
      let at = m.see(m.delay(term, null));
      let conclusion = at;
      while (at.k === KIND.pi) {
        const domain = m.domain(at);
        let x;
        if (at.term.info === INSTANCE) {
          x = { k: KIND.neutral, name: '', args: [] };
          named.push(['', ['i']]);
        } else if (m.isProposition(domain)) {
          x = PROOF;
          if (!this.substituted(at)) named.push(['', this.assume(domain, conditions, wholes)]);
          else named.push(['', ['p']]);
        } else {
          x = m.unknown(domain);
          named.push([at.term.name, x]);
          wholes.push({ whole: x });
        }
        conclusion = suspended(at.term.body, { head: x, tail: at.env });
        at = this.head(conclusion);
      }
      conditions.push({ proposition: conclusion, wanted: false }, ...wholes);
      return { arguments: named, conditions, conclusion };
    } catch (error) {
      if (error === BLOCKED || error instanceof Undetermined || error instanceof Exhausted
        || error instanceof RangeError) return null;
      throw error;
    }
  }

  /** The head form of a proposition, or something else where it depends on an unknown. */
  head(proposition) {
    try {
      return this.machine.see(proposition);
    } catch (error) {
      if (error === BLOCKED || error instanceof Undetermined) return { k: KIND.neutral, name: '', args: [] };
      throw error;
    }
  }

  /** A hypothesis as conditions; how to write its proof: ["p"], or with witnesses. */
  assume(proposition, conditions, wholes) {
    const m = this.machine;
    const v = this.head(proposition);
    if (v.k === KIND.neutral && v.name === 'And') {
      return ['and', ...v.args.map((p) => this.assume(p, conditions, wholes))];
    }
    if (v.k === KIND.neutral && v.name === 'Exists') {
      const witness = m.unknown(v.args[0]);
      wholes.push({ whole: witness });
      const body = m.delay(APPLIED, { head: witness, tail: { head: v.args[1], tail: null } });
      return ['and', witness, this.assume(body, conditions, wholes)];
    }
    conditions.push({ proposition, wanted: true });
    return ['p'];
  }

  /** Solves a hypothesis `x = t` or `t = x` for a variable that is still free. */
  substituted(pi) {
    const args = equation(pi.term.type);
    if (args === null) return false;
    for (const [one, other] of [args, [args[1], args[0]]]) {
      if (one.t !== TERM.variable || occurs(other, one.i)) continue;
      const x = this.machine.delay(one, pi.env);
      if (x.k !== KIND.unknown || x.binding !== null) continue;
      if ([...free(other, 0)].some((i) => bound(this.machine.delay({ t: TERM.variable, i }, pi.env)))) continue;
      x.binding = this.machine.delay(other, pi.env);
      return true;
    }
    return false;
  }
}

const APPLIED = {
  t: TERM.apply, f: { t: TERM.variable, i: 1 }, args: [{ t: TERM.variable, i: 0 }],
};

/** Makes unknowns what others have become. */
function bindAll(unknowns, values) {
  unknowns.forEach((x, i) => {
    if (Array.isArray(x)) bindAll(x, values[i]);
    else if (x.k === KIND.unknown && x.binding === null) x.binding = values[i];
  });
}

const parts = (shape) => (shape === null ? [] : shape.flatMap((p) =>
  (Array.isArray(p) ? parts(p) : typeof p === 'object' ? [p] : [])));

function binders(facts) {
  if (!facts.binders) {
    facts.binders = [];
    for (let at = facts.type; at[0] === 'p'; at = at[3]) facts.binders.push(at[4]);
  }
  return facts.binders;
}

/** The sides of a term that is an equation, or null. */
function equation(term) {
  if (term.t !== TERM.apply) return null;
  const { f, args } = term.f.t === TERM.closed ? term.f.thunk.term : term.f;
  const all = term.f.t === TERM.closed ? [...args, ...term.args] : term.args;
  const head = term.f.t === TERM.closed ? f : term.f;
  return head.name === 'Eq' && all.length === 3 ? all.slice(1) : null;
}

/** Whether a term mentions a variable. */
function occurs(n, i) {
  return free(n, 0).has(i);
}

/** Whether a variable has been solved: what it stands for may mention others. */
const bound = (x) => x.k === KIND.unknown && x.binding !== null;

function free(n, depth, found = new Set()) {
  switch (n.t) {
    case TERM.variable:
      if (n.i >= depth) found.add(n.i - depth);
      break;
    case TERM.apply:
      free(n.f, depth, found);
      n.args.forEach((a) => free(a, depth, found));
      break;
    case TERM.lambda:
    case TERM.pi:
      free(n.type, depth, found);
      free(n.body, depth + 1, found);
      break;
    case TERM.let:
      free(n.value, depth, found);
      free(n.body, depth + 1, found);
      break;
    case TERM.project:
      free(n.e, depth, found);
      break;
    default:
  }
  return found;
}

/** The literals of an expression in JSON. */
function numbers(j, found = new Set()) {
  if (j[0] === 'n') found.add(BigInt(j[1]));
  else for (const part of j) if (Array.isArray(part)) numbers(part, found);
  return [...found];
}

module.exports = { Narrowing };
