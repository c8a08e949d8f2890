'use strict';
// Writes declarations in the format of lean4export 3.1 (NDJSON): names, levels and expressions
// under ascending numbers, each before its first use, and declarations in dependency order.
// `mdata` is left out, since it has no meaning for a kernel.

const { isScalar } = require('./heap.js');

const FORMAT = '3.1.0';
const EXPORTER = { name: 'lemmata', version: '1' };
const MAX_LINES = 2_000_000; // of one export that is no base; more is refused
const BINDERS = ['default', 'implicit', 'strictImplicit', 'instImplicit'];
const HINTS = ['opaque', 'abbrev'];
const QUOTIENT = ['Quot', 'Quot.mk', 'Quot.lift', 'Quot.ind'];
const QUOTIENT_KINDS = ['type', 'ctor', 'lift', 'ind'];

class TooLarge extends Error {}

class Exporter {
  constructor(heap, expressions, environments, env) {
    Object.assign(this, { heap, expressions, environments, env });
    this.lines = [];
    this.written = 0;
    this.maxLines = MAX_LINES;
    this.names = new Map([['', 0]]); // text -> number
    this.nameOf = new Map(); // Name object -> number
    this.levels = new Map(); // line -> number
    this.levelOf = new Map(); // Level object -> number
    this.bodies = new Map(); // what an expression's line says -> number
    this.expressionOf = new Map(); // Expr object -> number
    this.nextLevel = 1;
    this.held = []; // infos whose objects must stay where they are, since numbers go by address
    this.done = new Set();
    this.axioms = [];
    this.assumed = [];
  }

  static meta(version, commit) {
    return JSON.stringify({
      meta: { exporter: EXPORTER, lean: { githash: commit, version }, format: { version: FORMAT } },
    });
  }

  line(text) {
    if (++this.written > this.maxLines) throw new TooLarge('the export is too large');
    this.lines.push(text);
  }

  /** What was written since the last call. */
  take() {
    const text = this.lines.map((l) => `${l}\n`).join('');
    this.lines = [];
    return text;
  }

  free() {
    this.held.forEach((o) => this.heap.dec(o));
    this.held = [];
  }

  name(o) {
    if (isScalar(o)) return 0;
    const known = this.nameOf.get(o);
    if (known !== undefined) return known;
    const h = this.heap;
    const pre = this.name(h.field(o, 0));
    const part = h.field(o, 1);
    const body = h.tag(o) === 2 ? `"num":{"pre":${pre},"i":${h.nat(part)}}`
      : `"str":{"pre":${pre},"str":${JSON.stringify(h.text(part))}}`;
    let id = this.names.get(body);
    if (id === undefined) {
      id = this.names.size;
      this.names.set(body, id);
      this.line(`{"in":${id},${body}}`);
    }
    this.nameOf.set(o, id);
    return id;
  }

  nameList(list) {
    return `[${this.heap.listElements(list).map((n) => this.name(n)).join(',')}]`;
  }

  level(o) {
    if (isScalar(o)) return 0;
    const known = this.levelOf.get(o);
    if (known !== undefined) return known;
    const h = this.heap;
    const field = (i) => this.level(h.field(o, i));
    let body;
    switch (h.tag(o)) {
      case 0: return 0;
      case 1: body = `"succ":${field(0)}`; break;
      case 2: body = `"max":[${field(0)},${field(1)}]`; break;
      case 3: body = `"imax":[${field(0)},${field(1)}]`; break;
      case 4: body = `"param":${this.name(h.field(o, 0))}`; break;
      default: throw new Error('a universe metavariable in a declaration');
    }
    let id = this.levels.get(body);
    if (id === undefined) {
      id = this.nextLevel++;
      this.levels.set(body, id);
      this.line(`{"il":${id},${body}}`);
    }
    this.levelOf.set(o, id);
    return id;
  }

  /** The expressions inside an expression, borrowed. */
  children(o) {
    const h = this.heap;
    switch (h.tag(o)) {
      case 5: return [h.field(o, 0), h.field(o, 1)];
      case 6: case 7: return [h.field(o, 1), h.field(o, 2)];
      case 8: return [h.field(o, 1), h.field(o, 2), h.field(o, 3)];
      case 10: return [h.field(o, 1)];
      case 11: return [h.field(o, 2)];
      default: return [];
    }
  }

  /** The number of an expression; not recursive, since expressions can be deep. */
  expression(root) {
    const pending = [root];
    while (pending.length) {
      const o = pending[pending.length - 1];
      if (this.expressionOf.has(o)) {
        pending.pop();
        continue;
      }
      const missing = this.children(o).filter((c) => !this.expressionOf.has(c));
      if (missing.length) pending.push(...missing.reverse());
      else {
        pending.pop();
        this.expressionOf.set(o, this.numbered(o));
      }
    }
    return this.expressionOf.get(root);
  }

  numbered(o) {
    const h = this.heap;
    const sub = (i) => this.expressionOf.get(h.field(o, i));
    if (h.tag(o) === 10) return sub(1);
    const body = this.body(o, sub);
    let id = this.bodies.get(body);
    if (id === undefined) {
      id = this.bodies.size;
      this.bodies.set(body, id);
      this.line(`{"ie":${id},${body}}`);
    }
    return id;
  }

  body(o, sub) {
    const h = this.heap;
    const binder = () => `{"name":${this.name(h.field(o, 0))},"type":${sub(1)},"body":${sub(2)},`
      + `"binderInfo":"${BINDERS[h.scalar(o, 3, 8)]}"}`;
    switch (h.tag(o)) {
      case 0: return `"bvar":${h.nat(h.field(o, 0))}`;
      case 3: return `"sort":${this.level(h.field(o, 0))}`;
      case 4: {
        const us = h.listElements(h.field(o, 1)).map((l) => this.level(l));
        return `"const":{"name":${this.name(h.field(o, 0))},"us":[${us.join(',')}]}`;
      }
      case 5: return `"app":{"fn":${sub(0)},"arg":${sub(1)}}`;
      case 6: return `"lam":${binder()}`;
      case 7: return `"forallE":${binder()}`;
      case 8: return `"letE":{"name":${this.name(h.field(o, 0))},"type":${sub(1)},`
        + `"value":${sub(2)},"body":${sub(3)},"nondep":${h.scalar(o, 4, 8) === 1}}`;
      case 9: {
        const literal = h.field(o, 0);
        const value = h.field(literal, 0);
        return h.tag(literal) === 0 ? `"natVal":"${h.nat(value)}"`
          : `"strVal":${JSON.stringify(h.text(value))}`;
      }
      case 11: return `"proj":{"typeName":${this.name(h.field(o, 0))},`
        + `"idx":${h.nat(h.field(o, 1))},"struct":${sub(2)}}`;
      default: throw new Error('a free variable or metavariable in a declaration');
    }
  }

  /** Name, universe parameters and type of a constant: what every declaration begins with. */
  head(info) {
    const h = this.heap;
    const header = this.environments.header(info);
    return `"name":${this.name(h.field(header, 0))},"levelParams":${this.nameList(h.field(header, 1))},`
      + `"type":${this.expression(h.field(header, 2))}`;
  }

  /** A constant's information; the elaborator does not list all that the kernel has made. */
  find(name) {
    const info = this.environments.find(this.env, name) ?? this.findInKernel(name);
    if (info === null) throw new Error(`no constant ${name}`);
    this.held.push(info);
    return info;
  }

  findInKernel(name) {
    const kernel = this.environments.kernel(this.env);
    const info = this.environments.kernelFind(kernel, name);
    this.heap.dec(kernel);
    return info;
  }

  /** Names that are declared together with a constant. */
  group(name, info) {
    if (this.environments.kind(info) === 'quotient') return QUOTIENT;
    const family = this.environments.family(info);
    return family.length ? family : [name];
  }

  /** What a group of declarations mentions beside itself. */
  needs(group, info) {
    if (group === QUOTIENT) return ['Eq'];
    if (this.environments.family(info).length) return this.environments.familyMentions(this.env, group);
    return this.environments.allMentions(info).filter((n) => n !== group[0]);
  }

  /**
   * Writes a constant with its group, if it is not written yet; the caller sees to the order.
   * Where something that its body needs is not there, only the type is written.
   */
  declare(name, hidden = false) {
    if (this.done.has(name)) return;
    const info = this.find(name);
    const group = this.group(name, info);
    if (this.done.has(group[0])) return;
    group.forEach((n) => this.done.add(n));
    if (group === QUOTIENT) {
      const heads = group.map((n) => this.head(this.find(n)));
      heads.forEach((head, i) => this.line(`{"quot":{${head},"kind":"${QUOTIENT_KINDS[i]}"}}`));
    }
    else if (this.environments.family(info).length) this.inductive(group);
    else this.line(this.single(name, info, hidden));
  }

  /** What a constant's type mentions. */
  typeNeeds(info) {
    return this.expressions.constants(this.environments.type(info));
  }

  single(name, info, hidden) {
    const h = this.heap;
    const value = h.field(info, 0);
    const kind = this.environments.kind(info);
    const head = this.head(info);
    if (kind === 'axiom' || hidden) {
      const isTrue = kind === 'axiom' && (!this.environments.isImported(info)
        || this.environments.isImportedAxiom(this.env, name));
      (isTrue ? this.axioms : this.assumed).push(name);
      return `{"axiom":{${head},"isUnsafe":false}}`;
    }
    const body = `${head},"value":${this.expression(h.field(value, 1))}`;
    switch (kind) {
      case 'definition': return `{"def":{${body},"hints":${this.hints(h.field(value, 2))},`
        + `"safety":"safe","all":${this.nameList(h.field(value, 3))}}}`;
      case 'theorem': return `{"thm":{${body},"all":${this.nameList(h.field(value, 2))}}}`;
      default: return `{"opaque":{${body},"isUnsafe":false,"all":${this.nameList(h.field(value, 2))}}}`;
    }
  }

  hints(o) {
    const h = this.heap;
    return isScalar(o) ? `"${HINTS[h.tag(o)]}"` : `{"regular":${h.word(o + 8)}}`;
  }

  inductive(family) {
    const h = this.heap;
    const types = family.map((n) => this.find(n));
    const ctors = types.flatMap((t) => h.listElements(h.field(h.field(t, 0), 4)))
      .map((n) => this.find(h.nameText(n)));
    const recs = this.recursors(family, types).map((n) => this.find(n));
    [...ctors, ...recs].forEach((o) => this.done.add(
      h.nameText(h.field(this.environments.header(o), 0))));
    const all = (list, write) => `[${list.map((o) => `{${write.call(this, o, h.field(o, 0))}}`)}]`;
    this.line(`{"inductive":{"types":${all(types, this.typeFields)},`
      + `"ctors":${all(ctors, this.constructorFields)},"recs":${all(recs, this.recursorFields)}}}`);
  }

  /** `T.rec` for each type of a family, and `T.rec_1`, … for the types that are nested in it. */
  recursors(family, types) {
    const h = this.heap;
    const nested = Number(h.nat(h.field(h.field(types[0], 0), 5)));
    const more = Array.from({ length: nested }, (_, i) => `${family[0]}.rec_${i + 1}`);
    return [...family.map((n) => `${n}.rec`), ...more];
  }

  typeFields(info, v) {
    const h = this.heap;
    const flag = (i) => h.scalar(v, 6, i) === 1;
    return `${this.head(info)},"numParams":${h.nat(h.field(v, 1))},"numIndices":${h.nat(h.field(v, 2))},`
      + `"all":${this.nameList(h.field(v, 3))},"ctors":${this.nameList(h.field(v, 4))},`
      + `"numNested":${h.nat(h.field(v, 5))},"isRec":${flag(0)},"isUnsafe":${flag(1)},`
      + `"isReflexive":${flag(2)}`;
  }

  constructorFields(info, v) {
    const h = this.heap;
    return `${this.head(info)},"induct":${this.name(h.field(v, 1))},"cidx":${h.nat(h.field(v, 2))},`
      + `"numParams":${h.nat(h.field(v, 3))},"numFields":${h.nat(h.field(v, 4))},"isUnsafe":false`;
  }

  recursorFields(info, v) {
    const h = this.heap;
    const rules = h.listElements(h.field(v, 6)).map((r) => `{"ctor":${this.name(h.field(r, 0))},`
      + `"nfields":${h.nat(h.field(r, 1))},"rhs":${this.expression(h.field(r, 2))}}`);
    return `${this.head(info)},"all":${this.nameList(h.field(v, 1))},"numParams":${h.nat(h.field(v, 2))},`
      + `"numIndices":${h.nat(h.field(v, 3))},"numMotives":${h.nat(h.field(v, 4))},`
      + `"numMinors":${h.nat(h.field(v, 5))},"rules":[${rules}],"k":${h.scalar(v, 7, 0) === 1},`
      + `"isUnsafe":false`;
  }
}

/**
 * Writes constants and all that they rest on, imported ones too, a slice at a time: each call of
 * `next` writes some declarations and says of each group what it declares and needs.
 */
class ClosureExport {
  constructor(exporter, names) {
    Object.assign(this, { exporter, names, at: 0, open: new Set() });
    exporter.maxLines = Infinity;
  }

  free() {
    this.exporter.free();
    this.exporter.heap.dec(this.exporter.env);
  }

  next(count) {
    const groups = [];
    for (; this.at < this.names.length && groups.length < count; this.at++) {
      this.place(this.names[this.at], groups);
    }
    const { axioms, assumed } = this.exporter;
    const text = this.exporter.take();
    return { text, groups, axioms: axioms.splice(0), assumed: assumed.splice(0),
      left: this.names.length - this.at };
  }

  /** Writes what a constant needs, then the constant; with a stack of its own. */
  place(root, groups) {
    const x = this.exporter;
    const pending = [root];
    while (pending.length) {
      const name = pending[pending.length - 1];
      if (x.done.has(name) || !x.environments.isSafe(x.env, name)) {
        pending.pop();
        continue;
      }
      const info = x.find(name);
      const group = x.group(name, info);
      if (x.done.has(group[0])) {
        x.done.add(name);
        continue;
      }
      const needs = x.needs(group, info);
      if (!this.open.has(group[0])) {
        this.open.add(group[0]);
        pending.push(...needs.filter((n) => !x.done.has(n)).reverse());
        continue;
      }
      pending.pop();
      // An installation does not carry every body, and some theorems speak of what is not there.
      const hidden = needs.some((n) => !x.done.has(n));
      const written = hidden ? x.typeNeeds(info) : needs;
      if (hidden && (x.environments.family(info).length || written.some((n) => !x.done.has(n)))) continue;
      x.declare(name, hidden);
      groups.push([group[0], written]);
    }
  }
}

module.exports = { ClosureExport, Exporter, TooLarge };
