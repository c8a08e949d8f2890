'use strict';
// What an environment holds: its constants, what is new in it, what a proof rests on, and
// whether the kernel accepts it when everything below it is handed over once more.

const { box, isScalar, unbox } = require('./heap.js');

const KINDS = ['axiom', 'definition', 'theorem', 'opaque', 'quotient', 'inductive', 'constructor',
  'recursor'];
const KERNEL_ERRORS = ['unknownConstant', 'alreadyDeclared', 'declTypeMismatch', 'declHasMVars',
  'declHasFVars', 'funExpected', 'typeExpected', 'letTypeMismatch', 'exprTypeMismatch',
  'appTypeMismatch', 'invalidProj', 'thmTypeIsNotProp', 'other', 'deterministicTimeout',
  'excessiveMemory', 'deepRecursion', 'interrupted'];
const ORIGINALLY_AXIOM = 2; // Lean.ConstantKind
// Opaque functions that the kernel computes by running compiled code.
const COMPILED = new Set(['Lean.reduceBool', 'Lean.reduceNat']);
const SAFETY = ['unsafe', 'safe', 'partial'];
const TAGS = { axiom: 0, definition: 1, theorem: 2, opaque: 3, inductive: 6 }; // of a Declaration

class Environments {
  constructor(heap, expressions) {
    this.heap = heap;
    this.expressions = expressions;
    this.trueAxioms = new Map(); // imported name -> is it an axiom of the installation?
  }

  /** The ConstantInfo of a name (owned), or null. */
  find(env, name) {
    const h = this.heap;
    return this.some(
      h.call('l_Lean_Environment_find_x3f', h.inc(env), h.inc(h.name(name)), box(0)));
  }

  /** What an Option (consumed) holds (owned), or null. */
  some(option) {
    if (isScalar(option)) return null;
    const value = this.heap.inc(this.heap.field(option, 0));
    this.heap.dec(option);
    return value;
  }

  kind(info) {
    return KINDS[this.heap.tag(info)];
  }

  /** The common part of every constant: name, universe parameters, type. Borrowed. */
  header(info) {
    return this.heap.field(this.heap.field(info, 0), 0);
  }

  type(info) {
    return this.heap.field(this.header(info), 2);
  }

  levelParams(info) {
    const h = this.heap;
    return h.listElements(h.field(this.header(info), 1)).map((n) => h.nameText(n));
  }

  /** The body of a definition, theorem or opaque constant, or null. Borrowed. */
  value(info) {
    return ['definition', 'theorem', 'opaque'].includes(this.kind(info))
      ? this.heap.field(this.heap.field(info, 0), 1) : null;
  }

  /** `safe`, `unsafe` or `partial`. */
  safety(info) {
    const h = this.heap;
    const value = h.field(info, 0);
    const bool = (objects, offset) => (h.scalar(value, objects, offset) ? 'unsafe' : 'safe');
    switch (this.kind(info)) {
      case 'axiom': return bool(1, 0);
      case 'definition': return SAFETY[h.scalar(value, 4, 0)] || 'unknown';
      case 'opaque': return bool(3, 0);
      case 'inductive': return bool(6, 1);
      case 'constructor': return bool(5, 0);
      case 'recursor': return bool(7, 1);
      default: return 'safe';
    }
  }

  /** Definitions that were made together with one by mutual recursion, itself among them. */
  together(info) {
    const h = this.heap;
    if (this.kind(info) !== 'definition') return [];
    return h.listElements(h.field(h.field(info, 0), 3)).map((n) => h.nameText(n));
  }

  /** For an inductive type its constructors, for a constructor its type and numbers. */
  inductiveFacts(info) {
    const h = this.heap;
    const value = h.field(info, 0);
    if (this.kind(info) === 'inductive') {
      return {
        parameters: Number(h.nat(h.field(value, 1))),
        indices: Number(h.nat(h.field(value, 2))),
        constructors: h.listElements(h.field(value, 4)).map((n) => h.nameText(n)),
      };
    }
    if (this.kind(info) !== 'constructor') return {};
    return {
      inductive: h.nameText(h.field(value, 1)),
      parameters: Number(h.nat(h.field(value, 3))),
      fields: Number(h.nat(h.field(value, 4))),
    };
  }

  /** Root of the map of the constants that were added to the imports (owned). */
  localConstants(env) {
    const h = this.heap;
    const constants = h.call('l_Lean_Environment_constants', h.inc(env));
    const root = h.inc(h.field(constants, 1));
    h.dec(constants);
    return root;
  }

  /** Names of all imported constants, module by module. */
  importedNames(env) {
    const h = this.heap;
    const header = h.call('l_Lean_Environment_header', h.inc(env));
    const names = h.elements(h.field(header, 5))
      .flatMap((module) => h.elements(h.field(module, 1)).map((n) => h.nameText(n)));
    h.dec(header);
    return names;
  }

  /** Names in the second environment's local constants that the first does not have. */
  added(before, after) {
    const h = this.heap;
    const old = this.localConstants(before);
    const now = this.localConstants(after);
    const names = new Set();
    this.mapDifference(old, now, (key) => names.add(h.nameText(key)));
    h.dec(old);
    h.dec(now);
    return [...names].filter((n) => {
      const info = this.find(before, n);
      if (info !== null) h.dec(info);
      return info === null;
    });
  }

  /** Visits the keys of a persistent hash map that are not in a node which both maps share. */
  mapDifference(old, now, visit) {
    const h = this.heap;
    if (old === now) return;
    if (h.tag(now) === 1) { // a collision node: keys, values
      for (const key of h.elements(h.field(now, 0))) visit(key);
      return;
    }
    const entries = h.elements(h.field(now, 0));
    const before = old && h.tag(old) === 0 ? h.elements(h.field(old, 0)) : [];
    entries.forEach((entry, i) => {
      if (isScalar(entry) || entry === before[i]) return;
      const was = before[i] && !isScalar(before[i]) ? before[i] : 0;
      if (h.tag(entry) === 0) visit(h.field(entry, 0));
      else this.mapDifference(was && h.tag(was) === 1 ? h.field(was, 0) : 0, h.field(entry, 0), visit);
    });
  }

  /** Whether a module is among the imports, directly or indirectly. */
  hasModule(env, name) {
    const h = this.heap;
    const index = h.call('l_Lean_Environment_getModuleIdx_x3f', h.inc(env), h.inc(h.name(name)));
    h.dec(index);
    return !isScalar(index);
  }

  /** Whether a constant (borrowed) lies in an .olean file, where objects have no count. */
  isImported(info) {
    return this.heap.isImmortal(info);
  }

  /**
   * Whether an imported constant was declared as an axiom. The .olean files show theorems, and
   * some definitions, without their bodies, so that these look like axioms as well; Lean keeps a
   * record of what they were.
   */
  isImportedAxiom(env, name) {
    if (!this.trueAxioms.has(name)) this.trueAxioms.set(name, this.wasAxiom(env, name));
    return this.trueAxioms.get(name);
  }

  wasAxiom(env, name) {
    const h = this.heap;
    const info = this.find(env, name);
    const looksLikeOne = info !== null && this.kind(info) === 'axiom';
    if (info !== null) h.dec(info);
    if (!looksLikeOne) return false;
    const kind = h.call('l_Lean_getOriginalConstKind_x3f', h.inc(env), h.inc(h.name(name)));
    const isAxiom = isScalar(kind) || unbox(h.field(kind, 0)) === ORIGINALLY_AXIOM;
    h.dec(kind);
    return isAxiom;
  }

  /** Constants that a declaration mentions: those of its type, and those of its value. */
  mentions(info) {
    const value = this.value(info);
    return {
      type: this.expressions.constants(this.type(info)),
      value: value === null ? [] : this.expressions.constants(value),
    };
  }

  /**
   * What a set of constants rests on: `axioms` that are reached through local declarations (with
   * them the functions by which the kernel trusts the compiler), and `unsafe` local declarations
   * on the way. The declarations are those of the elaborator, or those that `find` finds.
   */
  foundations(env, roots, find = (name) => this.find(env, name)) {
    const h = this.heap;
    const seen = new Set();
    const axioms = new Set();
    const unsafe = new Set();
    const pending = [...roots];
    while (pending.length) {
      const name = pending.pop();
      if (seen.has(name)) continue;
      seen.add(name);
      const info = find(name);
      if (info === null) {
        axioms.add(name); // unknown to the environment: the audit must see it
        continue;
      }
      if (this.isImported(info)) {
        if (COMPILED.has(name) || this.isImportedAxiom(env, name)) axioms.add(name);
        continue;
      }
      if (this.kind(info) === 'axiom') axioms.add(name);
      if (this.safety(info) !== 'safe') unsafe.add(name);
      const { type, value } = this.mentions(info);
      pending.push(...type, ...value, ...(this.inductiveFacts(info).constructors || []));
      h.dec(info);
    }
    return { axioms: [...axioms].sort(), unsafe: [...unsafe].sort() };
  }

  /** The kernel's own view of an environment (owned). */
  kernel(env) {
    return this.heap.exports.lean_elab_environment_to_kernel_env(this.heap.inc(env)) >>> 0;
  }

  /** The ConstantInfo of a name in a kernel environment (owned), or null. */
  kernelFind(kernel, name) {
    const h = this.heap;
    return this.some(h.exports.lean_environment_find(h.inc(kernel), h.inc(h.name(name))) >>> 0);
  }

  kernelHas(kernel, name) {
    const info = this.kernelFind(kernel, name);
    if (info !== null) this.heap.dec(info);
    return info !== null;
  }

  /**
   * Hands constants to the kernel once more, each after all that it mentions. The kernel
   * environment (borrowed) has grown from the imports in this way alone, so nothing gets into it
   * that an elaborator added unchecked. Returns the one with the constants (owned), the names that
   * were added (one for a family of inductive types), and for each constant that was refused why.
   * Unsafe and partial constants have no place in it.
   */
  replay(kernel, env, names) {
    const state = {
      kernel: this.heap.inc(kernel), env, open: new Set(), refused: new Map(), placed: [],
    };
    const refusals = names.filter((name) => this.isSafe(env, name))
      .map((name) => this.place(state, name)).filter((r) => r !== null);
    return { kernel: state.kernel, refusals, placed: state.placed };
  }

  isSafe(env, name) {
    const info = this.find(env, name);
    const safe = info !== null && this.safety(info) === 'safe';
    if (info !== null) this.heap.dec(info);
    return safe;
  }

  /**
   * The kernel's word on a constant and all below it: `replay` is `accepted` or why it refuses,
   * `axioms` are those that it rests on in the kernel's own view, `placed` what was added.
   */
  verdict(kernel, env, name) {
    if (!this.isSafe(env, name)) return { replay: `${name}: not safe`, axioms: [], placed: [] };
    const again = this.replay(kernel, env, [name]);
    const [refusal] = again.refusals;
    const { axioms } = refusal === undefined
      ? this.foundations(env, [name], (n) => this.kernelFind(again.kernel, n)) : { axioms: [] };
    this.heap.dec(again.kernel);
    return { replay: refusal ?? 'accepted', axioms, placed: again.placed };
  }

  /** Adds a constant, and before it what it mentions; says why it was refused, or null. */
  place(state, name) {
    if (state.refused.has(name)) return state.refused.get(name);
    if (this.kernelHas(state.kernel, name)) return null;
    if (state.open.has(name)) return `${name}: it rests on itself`;
    state.open.add(name);
    const refusal = this.placeNew(state, name);
    state.open.delete(name);
    if (refusal !== null) state.refused.set(name, refusal);
    return refusal;
  }

  placeNew(state, name) {
    const info = this.find(state.env, name);
    if (info === null) return `${name}: unknownConstant`;
    try {
      const family = this.family(info);
      if (family.length && family[0] !== name) {
        return this.place(state, family[0]) ?? (this.kernelHas(state.kernel, name) ? null
          : `${name}: the kernel does not make it`);
      }
      const others = family.length ? this.familyMentions(state.env, family) : this.allMentions(info);
      for (const other of others) {
        const refusal = this.place(state, other);
        if (refusal !== null) return refusal;
      }
      return this.addToKernel(state, name, info);
    } finally {
      this.heap.dec(info);
    }
  }

  addToKernel(state, name, info) {
    const h = this.heap;
    const declaration = this.declaration(state.env, info);
    if (declaration === null) return `${name}: ${this.safety(info)} ${this.kind(info)}`;
    const result = h.exports.lean_add_decl(h.inc(state.kernel), 0, declaration, box(0)) >>> 0;
    h.dec(declaration);
    const accepted = h.tag(result) === 1;
    const refusal = accepted ? null
      : `${name}: ${KERNEL_ERRORS[h.tag(h.field(result, 0))] || 'rejected'}`;
    if (accepted) {
      h.dec(state.kernel);
      state.kernel = h.inc(h.field(result, 0));
      state.placed.push(name);
    }
    h.dec(result);
    return refusal;
  }

  /** The inductive types that a type, constructor or recursor was declared with; else nothing. */
  family(info) {
    const h = this.heap;
    const value = h.field(info, 0);
    switch (this.kind(info)) {
      case 'inductive': return h.listElements(h.field(value, 3)).map((n) => h.nameText(n));
      case 'recursor': return h.listElements(h.field(value, 1)).map((n) => h.nameText(n));
      case 'constructor': return [h.nameText(h.field(value, 1))];
      default: return [];
    }
  }

  /** What the types and constructors of a family mention beside themselves. */
  familyMentions(env, family) {
    const own = new Set(family);
    const found = new Set();
    for (const type of this.types(env, family)) {
      for (const { name, info } of [type, ...type.constructors]) {
        own.add(name);
        for (const other of this.expressions.constants(this.type(info))) found.add(other);
      }
    }
    return [...found].filter((n) => !own.has(n));
  }

  /** The inductive types of a family with their constructors (infos borrowed). */
  types(env, family) {
    const member = (name) => {
      const info = this.find(env, name);
      if (info === null) throw new Error(`an inductive type without ${name}`);
      this.heap.dec(info); // the environment holds it
      return { name, info };
    };
    return family.map((name) => {
      const type = member(name);
      const { constructors = [] } = this.inductiveFacts(type.info);
      return { ...type, constructors: constructors.map(member) };
    });
  }

  allMentions(info) {
    const { type, value } = this.mentions(info);
    return [...type, ...value];
  }

  /** A Declaration (owned) that makes a constant, or null where it is not safe or not made so. */
  declaration(env, info) {
    const h = this.heap;
    const tag = TAGS[this.kind(info)];
    if (tag === undefined || this.safety(info) !== 'safe') return null;
    const value = h.field(info, 0);
    if (tag !== TAGS.inductive) return h.construct(tag, [h.inc(value)]);
    const named = ({ name, info: i }, rest = []) =>
      h.construct(0, [h.inc(h.name(name)), h.inc(this.type(i)), ...rest]);
    const types = this.types(env, this.family(info)).map((type) =>
      named(type, [h.list(type.constructors.map((c) => named(c)))]));
    const parameters = [h.inc(h.field(this.header(info), 1)), h.inc(h.field(value, 1))];
    return h.construct(tag, [...parameters, h.list(types)], [0]);
  }

  /** The names so that each comes after those of them that it mentions. */
  inOrder(env, names) {
    const among = new Set(names);
    const placed = new Set();
    const order = [];
    const place = (name) => {
      if (placed.has(name)) return;
      placed.add(name);
      const info = this.find(env, name);
      const { type, value } = this.mentions(info);
      for (const other of [...type, ...value]) if (among.has(other)) place(other);
      this.heap.dec(info);
      order.push(name);
    };
    names.forEach(place);
    return order;
  }

  isInternal(name) {
    const h = this.heap;
    return h.call('l_Lean_Name_isInternalDetail', h.inc(h.name(name))) === box(1);
  }

  /** Whether Lean makes a constant of this name by itself on demand, such as `f.eq_1`. */
  isReserved(env, name) {
    const h = this.heap;
    return h.call('l_Lean_isReservedName', h.inc(env), h.inc(h.name(name))) === box(1);
  }

  docString(env, name) {
    const h = this.heap;
    const option = h.io(h.call('l_Lean_findSimpleDocString_x3f', h.inc(env), h.inc(h.name(name)),
      box(1), box(0)));
    if (isScalar(option)) return null;
    const text = h.text(h.field(option, 0));
    h.dec(option);
    return text;
  }
}

module.exports = { Environments };
