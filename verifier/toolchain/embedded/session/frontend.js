'use strict';
// Runs Lean's own frontend: headers, modules, statements and proofs. It reports facts; what they
// mean for a verdict is decided by the verifier, in Python.

const { box, isScalar } = require('./heap.js');
const { DECLARATION, END_OF_INPUT } = require('./syntax.js');

const FILE = '<input>';
const TRUST_NOTHING_LESS = 1024; // trust level of imported .olean files, as `lean` itself has it
const PRIVATE_LEVEL = 2; // not a `module`, where #print axioms would be refused

class Frontend {
  constructor(heap, expressions, syntax, environments) {
    Object.assign(this, { heap, expressions, syntax, environments });
    this.contexts = new Map(); // `${env}\n${text}` -> Command.State with that scope
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

  /** Elaborates the commands of text[start, end) in a command state (borrowed). */
  run(state, text, start = 0, end = undefined) {
    const h = this.heap;
    const final = h.io(h.call('l_Lean_Elab_IO_processCommands', this.input(text, end),
      this.parserState(start), h.inc(state), box(0)));
    const after = h.inc(h.field(final, 0));
    h.dec(final);
    return { state: after, messages: this.messages(h.field(after, 1)) };
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

  /** Parses one command of a text in the scope of a command state: syntax (owned) and its end. */
  parse(state, text, start) {
    const h = this.heap;
    const scope = h.field(h.field(state, 2), 0);
    const context = h.construct(0, [h.inc(this.environment(state)), h.inc(h.field(scope, 1)),
      h.inc(h.field(scope, 2)), h.inc(h.field(scope, 3))]);
    const result = h.call('l_Lean_Parser_parseCommand', this.input(text), context,
      this.parserState(start), h.constant('l_Lean_MessageLog_empty'));
    const [syntax, rest] = [h.field(result, 0), h.field(result, 1)];
    const out = {
      syntax: h.inc(syntax),
      end: Number(h.nat(h.field(h.field(rest, 0), 0))),
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

  /** Elaborates a module body command by command, so that each constant has its place. */
  extend(env, text, start) {
    const h = this.heap;
    let state = this.freshState(env);
    const messages = [];
    const declarations = [];
    for (let at = start; ;) {
      const { syntax, end } = this.parse(state, text, at);
      const kind = this.syntax.kind(syntax);
      const span = this.syntax.span(syntax);
      h.dec(syntax);
      const next = this.run(state, text, at, end);
      messages.push(...next.messages);
      const names = this.environments.added(this.environment(state), this.environment(next.state));
      h.dec(state);
      state = next.state;
      for (const name of this.environments.inOrder(this.environment(state), names)) {
        declarations.push({ name, command: kind, span });
      }
      if (kind === END_OF_INPUT || end <= at) break;
      at = end;
    }
    const after = h.inc(this.environment(state));
    h.dec(state);
    return { env: after, messages, declarations };
  }

  /** The command state behind the context commands (`namespace`, `open`, `variable`, …). */
  context(key, env, text) {
    const id = `${key}\n${text}`;
    if (!this.contexts.has(id)) {
      const fresh = this.freshState(env);
      const { state, messages } = this.run(fresh, text);
      this.heap.dec(fresh);
      const added = this.environments.added(env, this.environment(state));
      this.contexts.set(id, { state, messages, added });
    }
    return this.contexts.get(id);
  }

  forgetContexts(key) {
    for (const [id, { state }] of this.contexts) {
      if (!id.startsWith(`${key}\n`)) continue;
      this.heap.dec(state);
      this.contexts.delete(id);
    }
  }

  /** Why `theorem name signature := value` is not just that, or null; and what is in it. */
  shape(state, { name, signature, value }) {
    const h = this.heap;
    const head = `theorem ${name} `;
    const text = `${head}${signature} := ${value}\n`;
    const bytes = (s) => Buffer.byteLength(s);
    const signatureEnd = bytes(head) + bytes(signature);
    const expected = { name: [8, 8 + bytes(name)], signatureEnd, valueStart: signatureEnd + 1 };
    const first = this.parse(state, text, 0);
    const errors = first.messages.filter((m) => m.severity === 'error');
    let fault = null;
    if (errors.length) fault = { kind: 'parse', text: errors[0].text };
    else {
      const difference = this.syntax.differsFromTheorem(first.syntax, expected);
      if (difference) fault = { kind: 'shape', text: difference };
      else fault = this.trailing(state, text, first.end);
    }
    const inventory = fault ? { kinds: [], options: [] } : this.syntax.inventory(first.syntax);
    h.dec(first.syntax);
    return { text, fault, ...inventory };
  }

  trailing(state, text, at) {
    const rest = this.parse(state, text, at);
    const kind = this.syntax.kind(rest.syntax);
    this.heap.dec(rest.syntax);
    if (rest.messages.some((m) => m.severity === 'error')) {
      return { kind: 'parse', text: rest.messages[0].text };
    }
    return kind === END_OF_INPUT ? null : { kind: 'shape', text: `a second command of kind ${kind}` };
  }

  /** Elaborates a statement alone. Its theorem (proved by `sorry`) gives the type. */
  statement(context, name, signature) {
    const { text, fault, kinds, options } = this.shape(context.state, { name, signature, value: 'sorry' });
    if (fault) return { fault, messages: [] };
    const before = this.environment(context.state);
    const { state, messages } = this.run(context.state, text);
    const after = this.environment(state);
    const added = this.environments.added(before, after);
    const full = added.find((n) => n === name || n.endsWith(`.${name}`)) || null;
    const info = full === null ? null : this.environments.find(after, full);
    this.heap.dec(state);
    return { fault: null, messages, kinds, options, name: full, added, info };
  }

  /** Elaborates a proof of a statement and reports the facts on which a verdict rests. */
  prove(statement, proof, replay) {
    const h = this.heap;
    const environments = this.environments;
    const { short: name, signature } = statement;
    const { text, fault, kinds, options } = this.shape(statement.state, { name, signature, value: proof });
    if (fault) return { fault, messages: [] };
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
      if (replay) facts.replay = environments.replay(before, after, added);
      h.dec(info);
      return facts;
    } finally {
      h.dec(state);
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
