'use strict';
// What the machine needs to know of the constants of an environment, read once each.

class Constants {
  constructor(heap, expressions, environments, env) {
    Object.assign(this, { heap, expressions, environments });
    this.env = heap.inc(env);
    this.known = new Map();
  }

  free() {
    this.heap.dec(this.env);
  }

  /** Kind, type and what belongs to the kind; null for a name that is not there. */
  describe(name) {
    if (!this.known.has(name)) this.known.set(name, this.read(name));
    return this.known.get(name);
  }

  read(name) {
    const e = this.environments;
    const info = e.find(this.env, name);
    if (info === null) return null;
    const kind = e.kind(info);
    const facts = { name, kind, type: this.expressions.json(e.type(info)), ...e.inductiveFacts(info) };
    if (kind === 'definition') facts.value = this.expressions.json(e.value(info));
    if (kind === 'definition' && facts.value === null) facts.kind = 'opaque';
    if (kind === 'recursor') Object.assign(facts, this.recursor(info));
    facts.proposition = kind === 'recursor' ? undefined : makesProposition(facts.type);
    this.heap.dec(info);
    if (kind === 'recursor') facts.proposition = this.makesPropositions(facts.family);
    return facts;
  }

  /**
   * What a definition stands for. Of a structurally recursive function Lean keeps the text with its
   * calls as well, which is computed with in far fewer steps than the recursor.
   */
  body(facts) {
    const written = this.describe(`${facts.name}._sunfold`);
    return written?.kind === 'definition' ? written.value : facts.value;
  }

  recursor(info) {
    const h = this.heap;
    const value = h.field(info, 0);
    const number = (i) => Number(h.nat(h.field(value, i)));
    const rules = h.listElements(h.field(value, 6)).map((rule) => ({
      constructor_: h.nameText(h.field(rule, 0)),
      fields: Number(h.nat(h.field(rule, 1))),
      rhs: this.expressions.json(h.field(rule, 2)),
    }));
    return {
      parameters: number(2), indices: number(3), motives: number(4), minors: number(5), rules,
      family: h.nameText(h.listElements(h.field(value, 1))[0]),
    };
  }

  /** Whether a constant is a family of propositions: an inductive one, or one that is defined. */
  makesPropositions(name) {
    return this.describe(name)?.proposition ?? false;
  }
}

function makesProposition(type) {
  let at = type;
  while (at[0] === 'p') at = at[3];
  return at[0] === 's' && at[1][0] === '0';
}

module.exports = { Constants };
