'use strict';
// Runs Lean's own frontend: headers, modules, statements and proofs. It reports facts; what they
// mean for a verdict is decided by the verifier, in Python.

const { box, isScalar } = require('./heap.js');
const { Exporter, TooLarge } = require('./exporter.js');
const { DECLARATION, END_OF_INPUT } = require('./syntax.js');

const FILE = '<input>';
const TRUST_NOTHING_LESS = 1024; // trust level of imported .olean files, as `lean` itself has it
const PRIVATE_LEVEL = 2; // not a `module`, where #print axioms would be refused
const KEPT_CONTEXTS = 64;

const hasErrors = ({ messages }) => messages.some((m) => m.severity === 'error');

class Frontend {
  constructor(heap, expressions, syntax, environments) {
    Object.assign(this, { heap, expressions, syntax, environments });
    this.contexts = new Map(); // `${env}\n${text}` -> the scope, least recently used first
  }

  options() {
    return this.heap.constant('l_Lean_Options_empty');
  }

  importModules(names) {
    const h = this.heap;
    const imports = names.map((n) => h.construct(0, [h.inc(h.name(n))], [0, 1, 0]));
    return h.io(h.exports.l_Lean_importModules(h.array(imports), this.options(),
      TRUST_NOTHING_LESS, h.array([]), 0, 1, PRIVATE_LEVEL, box(1)) >>> 0);
  }

  input(text, end = Buffer.byteLength(text)) {
    const h = this.heap;
    return h.call('l_Lean_Parser_mkInputContext___redArg', h.string(text), h.string(FILE), box(0),
      box(end));
  }

  parserState(position) {
    return this.heap.construct(0, [box(position)], [0]);
  }

  /** A command state at the top level of an environment (owned). */
  freshState(env) {
    const h = this.heap;
    return h.call('l_Lean_Elab_Command_mkState', h.inc(env),
      h.constant('l_Lean_MessageLog_empty'), this.options());
  }

  /**
   * Elaborates the commands of a text in a command state (borrowed), in this thread. Lean's own
   * `IO.processCommands` would do it in a task; a task that waits for another one needs a further
   * thread, and each takes seconds to start here. `watch` is told each command with the
   * environments before and after it. `allowed` looks at a command before it runs; the first one
   * that it turns down ends the run.
   */
  run(state, text, { start = 0, watch = null, allowed = () => true } = {}) {
    const h = this.heap;
    const input = this.input(text);
    const frontend = this.frontend(state);
    const messages = [];
    let parser = this.parserState(start);
    let current = h.inc(state);
    for (let last = false; !last;) {
      const command = this.parseCommand(current, input, parser);
      parser = command.parser;
      messages.push(...command.messages);
      if (!allowed(command.syntax)) {
        h.dec(command.syntax);
        break;
      }
      h.dec(h.io(h.call('l_Lean_Elab_Frontend_elabCommandAtFrontend', h.inc(command.syntax),
        h.inc(input), h.inc(frontend), box(0))));
      const next = this.commandState(frontend);
      // The message log is that of the last command only.
      messages.push(...this.messages(h.field(next, 1)));
      if (watch) watch(command.syntax, this.environment(current), this.environment(next));
      last = this.syntax.kind(command.syntax) === END_OF_INPUT;
      h.dec(command.syntax);
      h.dec(current);
      current = next;
    }
    [parser, input, frontend].forEach((o) => h.dec(o));
    return { state: current, messages };
  }

  /** A reference to a frontend state that begins with a command state, without its messages. */
  frontend(state) {
    const h = this.heap;
    const value = h.construct(0, [h.inc(state), this.parserState(0), box(0), h.array([])]);
    const reference = h.exports.lean_st_mk_ref(value) >>> 0;
    h.dec(h.io(h.call('l_Lean_Elab_Frontend_setMessages___redArg',
      h.constant('l_Lean_MessageLog_empty'), h.inc(reference), box(0))));
    return reference;
  }

  /** The command state inside a frontend state (owned). */
  commandState(frontend) {
    const h = this.heap;
    const value = h.exports.lean_st_ref_get(frontend) >>> 0;
    const state = h.inc(h.field(value, 0));
    h.dec(value);
    return state;
  }

  environment(state) {
    return this.heap.field(state, 0);
  }

  messages(log) {
    const h = this.heap;
    const array = h.call('l_Lean_MessageLog_toArray', h.inc(log));
    const out = h.elements(array).map((m) => {
      const json = h.call('l_Lean_Message_toJson', h.inc(m), box(0));
      const compressed = h.call('l_Lean_Json_compress', json);
      const { severity, data, pos, endPos } = JSON.parse(h.text(compressed));
      h.dec(compressed);
      return { severity, text: data, line: pos.line, column: pos.column, endLine: endPos?.line };
    });
    h.dec(array);
    return out;
  }

  /**
   * Parses one command in the scope of a command state, from a parser state (consumed): syntax
   * and next parser state (owned), the byte that was reached, messages.
   */
  parseCommand(state, input, parser) {
    const h = this.heap;
    const scope = h.field(h.field(state, 2), 0);
    const context = h.construct(0, [h.inc(this.environment(state)), h.inc(h.field(scope, 1)),
      h.inc(h.field(scope, 2)), h.inc(h.field(scope, 3))]);
    const result = h.call('l_Lean_Parser_parseCommand', h.inc(input), context, parser,
      h.constant('l_Lean_MessageLog_empty'));
    const [syntax, rest] = [h.field(result, 0), h.field(result, 1)];
    const out = {
      syntax: h.inc(syntax),
      parser: h.inc(h.field(rest, 0)),
      messages: this.messages(h.field(rest, 1)),
    };
    h.dec(result);
    return out;
  }

  /** The import names of a file, the byte where its body begins, and messages of its header. */
  header(text) {
    const h = this.heap;
    const result = h.io(h.call('l_Lean_Parser_parseHeader', this.input(text), box(0)));
    const [syntax, rest] = [h.field(result, 0), h.field(result, 1)];
    const imports = h.call('l_Lean_Elab_headerToImports', h.inc(syntax), box(1));
    const out = {
      imports: h.elements(imports).map((i) => h.nameText(h.field(i, 0))),
      bodyStart: Number(h.nat(h.field(h.field(rest, 0), 0))),
      messages: this.messages(h.field(rest, 1)),
    };
    h.dec(imports);
    h.dec(result);
    return out;
  }

  /**
   * Elaborates a module body; each constant is listed with the command that made it, and handed to
   * the kernel once more. `base` and the result are pairs of an elaborator's and a kernel's view.
   *
   * Code cannot be compiled here that calls core functions whose compiled parts the installation
   * does not carry (`List.reverse`, say). A definition needs no code to be reasoned about: a body
   * with errors is tried again with every definition `noncomputable`.
   */
  extend(base, text, start) {
    const first = this.elaborateModule(base, text, start, '');
    if (!hasErrors(first)) return first;
    const second = this.elaborateModule(base, text, start, 'noncomputable section\n');
    const [kept, dropped] = hasErrors(second) ? [first, second] : [second, first];
    [dropped.env, dropped.kernel].forEach((o) => this.heap.dec(o));
    return kept;
  }

  /** Elaborates a module body behind some commands that open its scope. */
  elaborateModule({ env, kernel }, text, start, scope) {
    const h = this.heap;
    const bare = this.freshState(env);
    const fresh = this.run(bare, scope).state;
    h.dec(bare);
    const declarations = [];
    const refused = [];
    const placed = [];
    let checked = h.inc(kernel);
    const watch = (syntax, before, after) => {
      const [command, span] = [this.syntax.kind(syntax), this.syntax.span(syntax)];
      const names = this.environments.added(before, after);
      for (const name of this.environments.inOrder(after, names)) {
        declarations.push({ name, command, span });
      }
      const again = this.environments.replay(checked, after, names);
      h.dec(checked);
      checked = again.kernel;
      refused.push(...again.refusals);
      placed.push(...again.placed);
    };
    const { state, messages } = this.run(fresh, text, { start, watch });
    const after = h.inc(this.environment(state));
    h.dec(fresh);
    h.dec(state);
    return { env: after, kernel: checked, messages, declarations, refused, placed };
  }

  /**
   * The scope behind context commands (`namespace`, `open`, `variable`, …): its command state, and
   * what the commands were. A command whose kind is not among `commands` is not run.
   */
  context(key, { env, kernel }, text, commands) {
    const id = `${key}\n${text}`;
    const known = this.contexts.get(id);
    if (known) {
      this.contexts.delete(id);
      this.contexts.set(id, known);
      return known;
    }
    const fresh = this.freshState(env);
    const options = new Set();
    let foreign = null;
    const allowed = (syntax) => {
      const kind = this.syntax.kind(syntax);
      this.syntax.inventory(syntax).options.forEach((o) => options.add(o));
      if (kind !== END_OF_INPUT && !commands.includes(kind)) foreign = kind;
      return foreign === null;
    };
    const { state, messages } = this.run(fresh, text, { allowed });
    this.heap.dec(fresh);
    const added = this.environments.added(env, this.environment(state));
    const scope = { state, kernel: this.heap.inc(kernel), messages, added, foreign, options: [...options] };
    this.contexts.set(id, scope);
    if (this.contexts.size > KEPT_CONTEXTS) this.forgetContext(this.contexts.keys().next().value);
    return scope;
  }

  forgetContext(id) {
    const { state, kernel } = this.contexts.get(id);
    this.heap.dec(state);
    this.heap.dec(kernel);
    this.contexts.delete(id);
  }

  forgetContexts(key) {
    const ids = [...this.contexts.keys()].filter((id) => id.startsWith(`${key}\n`));
    ids.forEach((id) => this.forgetContext(id));
  }

  /** Why `theorem name signature := value` is not just that, or null; and what is in it. */
  shape(state, { name, signature, value }) {
    const h = this.heap;
    const head = `theorem ${name} `;
    const text = `${head}${signature} := ${value}\n`;
    const bytes = (s) => Buffer.byteLength(s);
    const signatureEnd = bytes(head) + bytes(signature);
    const expected = { name: [8, 8 + bytes(name)], signatureEnd, valueStart: signatureEnd + 1 };
    const input = this.input(text);
    const first = this.parseCommand(state, input, this.parserState(0));
    const fault = this.faultOf(state, input, first, expected);
    const inventory = fault ? { kinds: [], options: [] } : this.syntax.inventory(first.syntax);
    const declared = fault ? null : this.declaredName(state, first.syntax);
    [first.syntax, first.parser, input].forEach((o) => h.dec(o));
    return { text, fault, declared, ...inventory };
  }

  faultOf(state, input, first, expected) {
    const error = first.messages.find((m) => m.severity === 'error');
    if (error) return { kind: 'parse', text: error.text };
    const difference = this.syntax.differsFromTheorem(first.syntax, expected);
    if (difference) return { kind: 'shape', text: difference };
    const rest = this.parseCommand(state, input, this.heap.inc(first.parser));
    const kind = this.syntax.kind(rest.syntax);
    [rest.syntax, rest.parser].forEach((o) => this.heap.dec(o));
    const trailing = rest.messages.find((m) => m.severity === 'error');
    if (trailing) return { kind: 'parse', text: trailing.text };
    return kind === END_OF_INPUT ? null : { kind: 'shape', text: `a second command of kind ${kind}` };
  }

  /** Full name that a theorem of this syntax gets in the namespace of a command state. */
  declaredName(state, command) {
    const h = this.heap;
    const namespace = h.nameText(h.field(h.field(h.field(state, 2), 0), 2));
    const name = this.syntax.declaredName(command);
    if (name.startsWith('_root_.')) return name.slice('_root_.'.length);
    return namespace ? `${namespace}.${name}` : name;
  }

  /**
   * Elaborates a statement alone. Its theorem (proved by `sorry`) gives the type. A text with
   * syntax of a kind in `forbidden` is not elaborated.
   */
  statement(context, name, signature, forbidden) {
    const { text, fault, declared, kinds, options } = this.shape(
      context.state, { name, signature, value: 'sorry' });
    if (fault) return { fault, messages: [] };
    if (kinds.some((k) => forbidden.includes(k))) return { fault, messages: [], kinds, options };
    const before = this.environment(context.state);
    const { state, messages } = this.run(context.state, text);
    const after = this.environment(state);
    const added = this.environments.added(before, after);
    const full = added.includes(declared) ? declared : null;
    const info = full === null ? null : this.environments.find(after, full);
    this.heap.dec(state);
    return { fault: null, messages, kinds, options, name: full, added, info };
  }

  /**
   * Elaborates a proof of a statement and reports the facts on which a verdict rests. A text with
   * syntax of a kind in `forbidden` is not elaborated.
   */
  prove(statement, proof, { replay, exported }, forbidden) {
    const h = this.heap;
    const environments = this.environments;
    const { short: name, signature } = statement;
    const { text, fault, kinds, options } = this.shape(statement.state, { name, signature, value: proof });
    if (fault) return { fault, messages: [] };
    if (kinds.some((k) => forbidden.includes(k))) return { fault, messages: [], kinds, options };
    const before = this.environment(statement.state);
    const { state, messages } = this.run(statement.state, text);
    const after = this.environment(state);
    try {
      const facts = { fault: null, kinds, options, messages, name: statement.name };
      if (messages.some((m) => m.severity === 'error')) return facts;
      const info = environments.find(after, statement.name);
      const added = environments.added(before, after);
      facts.added = added.map((n) => this.describe(after, n));
      facts.present = info !== null;
      if (info === null) return facts;
      facts.kind = environments.kind(info);
      facts.typeMatches = this.sameStatement(info, statement.info);
      Object.assign(facts, environments.foundations(after, [statement.name]));
      facts.premises = this.premises(after, statement.name, new Set(added));
      if (replay) {
        const verdict = environments.verdict(statement.kernel, after, statement.name);
        facts.replay = verdict.replay;
        if (exported && verdict.replay === 'accepted') facts.delta = this.delta(after, verdict.placed);
        facts.axioms = [...new Set([...facts.axioms, ...verdict.axioms])].sort();
      }
      h.dec(info);
      return facts;
    } finally {
      h.dec(state);
    }
  }

  exporter(env) {
    return new Exporter(this.heap, this.expressions, this.environments, env);
  }

  /** Declarations in the order in which a kernel took them, for another kernel; null if too large. */
  delta(env, names) {
    const exporter = this.exporter(env);
    try {
      names.forEach((name) => exporter.declare(name));
      return exporter.take();
    } catch (error) {
      if (error instanceof TooLarge) return null;
      throw error;
    } finally {
      exporter.free();
    }
  }

  describe(env, name) {
    const info = this.environments.find(env, name);
    const out = {
      name,
      kind: this.environments.kind(info),
      safety: this.environments.safety(info),
      internal: this.environments.isInternal(name),
      reserved: this.environments.isReserved(env, name),
    };
    this.heap.dec(info);
    return out;
  }

  /** Equal types (up to names of bound variables) and equal universe parameters. */
  sameStatement(one, other) {
    const e = this.environments;
    const equal = this.heap.call('l_Lean_Expr_eqv', this.heap.inc(e.type(one)), this.heap.inc(e.type(other)));
    return equal === box(1)
      && JSON.stringify(e.levelParams(one)) === JSON.stringify(e.levelParams(other));
  }

  /** Constants that the proof term uses; auxiliaries of the proof itself are looked through. */
  premises(env, name, added) {
    const seen = new Set();
    const found = new Set();
    const pending = [name];
    while (pending.length) {
      const at = pending.pop();
      if (seen.has(at)) continue;
      seen.add(at);
      const info = this.environments.find(env, at);
      const { value } = this.environments.mentions(info);
      this.heap.dec(info);
      for (const used of value) (added.has(used) ? pending : { push: (n) => found.add(n) }).push(used);
    }
    return [...found].sort();
  }

  /** All that the knowledge base wants to know of a constant. */
  declaration(env, name, proofs) {
    const e = this.environments;
    const info = e.find(env, name);
    if (info === null) return null;
    const mentions = e.mentions(info);
    const out = {
      ...this.describe(env, name),
      levelParams: e.levelParams(info),
      type: this.expressions.json(e.type(info)),
      ...e.inductiveFacts(info),
      together: e.together(info),
      typeConstants: mentions.type.sort(),
      valueConstants: mentions.value.sort(),
      ...e.foundations(env, [name]),
      doc: e.docString(env, name),
    };
    if (proofs) out.value = e.value(info) === null ? null : this.expressions.json(e.value(info));
    this.heap.dec(info);
    return out;
  }
}

module.exports = { Frontend, DECLARATION };
