'use strict';
// How the declarations of a module use constants: how often each occurs in statement and body, what
// the author names in a proof and under which tactic, and whether a proof still works when its
// command is written differently, in the very scope in which it stands.

const { box, isScalar } = require('./heap.js');
const { VALUES } = require('./outline.js');
const { DECLARATION, END_OF_INPUT } = require('./syntax.js');

const IN = 'Lean.Parser.Command.in';
const BY = 'Lean.Parser.Term.byTactic';
const SEQUENCES = new Set(['Lean.Parser.Tactic.tacticSeq1Indented',
  'Lean.Parser.Tactic.tacticSeqBracketed', 'Lean.Parser.Tactic.Conv.convSeq1Indented',
  'Lean.Parser.Tactic.Conv.convSeqBracketed']);
const THEN = 'Lean.Parser.Tactic.«tactic_<;>_»';
const ARGUMENTS = new Set(['Lean.Parser.Tactic.simpLemma', 'Lean.Parser.Tactic.rwRule',
  'Lean.Parser.Tactic.grindParam', 'Lean.Parser.Tactic.grindLemma']);
const MOST_NODES = 200_000; // of one expression; what lies behind is counted once

const hasErrors = (messages) => messages.some((m) => m.severity === 'error');

class ModuleUsage {
  /** Elaborates a module body on an environment, as `Frontend.extend` does. */
  constructor(frontend, { env }, text, start) {
    const { heap, syntax, environments, expressions } = frontend;
    Object.assign(this, { frontend, heap, syntax, environments, expressions, base: env });
    heap.inc(env);
    this.commands = [];
    this.states = []; // before each command, owned
    this.messages = [];
    this.elaborate(text, start, '');
    if (hasErrors(this.messages)) {
      this.forget();
      this.elaborate(text, start, 'noncomputable section\n');
    }
  }

  elaborate(text, start, scope) {
    const h = this.heap;
    const f = this.frontend;
    const bare = f.freshState(this.base);
    let state = f.run(bare, scope).state;
    h.dec(bare);
    const input = f.input(text);
    let parser = f.parserState(start);
    for (let last = false; !last;) {
      const parsed = f.parseCommand(state, input, parser);
      parser = parsed.parser;
      const next = this.next(state, parsed.syntax, input);
      this.messages.push(...parsed.messages, ...next.messages);
      last = this.syntax.kind(parsed.syntax) === END_OF_INPUT;
      this.note(parsed.syntax, state, next.state);
      h.dec(parsed.syntax);
      h.dec(state);
      state = next.state;
    }
    [state, parser, input].forEach((o) => h.dec(o));
  }

  /** The state behind a command (owned), and what Lean says. */
  next(state, command, input) {
    const h = this.heap;
    const frontend = this.frontend.frontend(state);
    h.dec(h.io(h.call('l_Lean_Elab_Frontend_elabCommandAtFrontend', h.inc(command), h.inc(input),
      h.inc(frontend), box(0))));
    const after = this.frontend.commandState(frontend);
    h.dec(frontend);
    return { state: after, messages: this.frontend.messages(h.field(after, 1)) };
  }

  /** Writes down what a command declared, if it did; the state before it is kept. */
  note(command, before, after) {
    const [was, now] = [before, after].map((s) => this.frontend.environment(s));
    const names = this.environments.added(was, now);
    const declared = names.filter((n) => !this.environments.isInternal(n)
      && !this.environments.isReserved(now, n));
    if (!declared.length) return;
    this.commands.push({
      span: this.syntax.span(command),
      declarations: declared.map((n) => this.counts(now, n)),
      ...this.mentions(command),
    });
    this.states.push(this.heap.inc(before));
  }

  /** How often each constant occurs in the statement and in the body of a constant. */
  counts(env, name) {
    const e = this.environments;
    const info = e.find(env, name);
    const [statement, value] = [new Map(), new Map()];
    this.count(e.type(info), statement, false);
    const body = e.value(info);
    if (body !== null) this.countThrough(env, name, body, value);
    this.heap.dec(info);
    const listed = (counts) => [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
    return { name, statement: listed(statement), value: listed(value) };
  }

  /** The constants of a body, with those of the auxiliaries that Lean made for it in their place. */
  countThrough(env, name, body, counts) {
    const e = this.environments;
    const seen = new Set([name]);
    const pending = [];
    const look = (expression) => {
      const found = new Map();
      this.count(expression, found, true);
      for (const [used, times] of found) {
        if (!this.isAuxiliary(used)) counts.set(used, (counts.get(used) ?? 0) + times);
        else if (!seen.has(used)) {
          seen.add(used);
          pending.push(used);
        }
      }
    };
    for (look(body); pending.length;) {
      const info = e.find(env, pending.pop());
      const value = info === null ? null : e.value(info);
      if (value !== null) look(value);
      if (info !== null) this.heap.dec(info);
    }
  }

  /** Whether Lean made a constant of this module by itself. */
  isAuxiliary(name) {
    if (!this.environments.isInternal(name)) return false;
    const imported = this.environments.find(this.base, name);
    if (imported !== null) this.heap.dec(imported);
    return imported === null;
  }

  /** Occurrences in an expression; `shared` counts what is one object in memory once. */
  count(expression, counts, shared) {
    const h = this.heap;
    const pointers = new Map();
    const seen = new Set();
    const pending = [expression];
    for (let budget = MOST_NODES; pending.length && budget > 0; budget -= 1) {
      const e = pending.pop();
      const tag = h.tag(e);
      if (tag === 4) pointers.set(e, (pointers.get(e) ?? 0) + 1);
      if (tag < 5 || tag === 9) continue;
      if (shared && seen.has(e)) continue;
      seen.add(e);
      const at = { 5: [0, 1], 6: [1, 2], 7: [1, 2], 8: [1, 2, 3], 10: [1], 11: [2] }[tag];
      pending.push(...at.map((i) => h.field(e, i)));
    }
    for (const [e, times] of pointers) {
      const name = h.nameText(h.field(e, 0));
      counts.set(name, (counts.get(name) ?? 0) + times);
    }
    if (!pending.length) return;
    for (const name of this.expressions.constants(expression)) {
      if (!counts.has(name)) counts.set(name, 1);
    }
  }

  /**
   * The identifiers in the body of a declaration, each with the innermost tactic around it (`term`
   * where there is none) and its place `[list, item]` among the lists of arguments of tactics.
   */
  mentions(command) {
    const found = { mentions: [], lists: [] };
    let inner = command;
    while (this.syntax.kind(inner) === IN) [, , inner] = this.syntax.children(inner);
    if (this.syntax.kind(inner) !== DECLARATION) return found;
    const parts = this.syntax.children(this.syntax.children(inner)[1]);
    const value = parts.find((p) => VALUES.has(this.syntax.kind(p)));
    if (value !== undefined) this.visit(value, 'term', null, found);
    return found;
  }

  visit(node, tactic, place, found) {
    if (isScalar(node)) return;
    if (this.heap.tag(node) === 3) {
      const span = this.syntax.span(node);
      if (span !== null) found.mentions.push({ text: this.syntax.token(node), span, tactic, place });
      return;
    }
    const kind = this.syntax.kind(node);
    const children = this.syntax.children(node);
    if (SEQUENCES.has(kind)) this.visitTactics(children, found);
    else if (kind === THEN) [children[0], children[2]].forEach((t) => this.visitTactic(t, found));
    else if (place === null && children.some((c) => ARGUMENTS.has(this.syntax.kind(c)))) {
      this.visitArguments(children, tactic, found);
    } else children.forEach((c) => this.visit(c, kind === BY ? 'by' : tactic, place, found));
  }

  visitTactics(children, found) {
    children.forEach((list) => this.syntax.children(list)
      .forEach((tactic) => this.visitTactic(tactic, found)));
  }

  visitTactic(node, found) {
    this.visit(node, this.firstToken(node), null, found);
  }

  visitArguments(children, tactic, found) {
    const list = found.lists.length;
    const items = children.filter((c) => this.syntax.children(c).length);
    found.lists.push(items.map((c) => this.syntax.span(c)));
    items.forEach((c, item) => this.visit(c, tactic, [list, item], found));
  }

  firstToken(node) {
    let token = '';
    this.syntax.walk(node, (n) => {
      const tag = this.heap.tag(n);
      if (token === '' && (tag === 2 || tag === 3)) token = this.syntax.token(n).trim();
    });
    return token;
  }

  answer() {
    return { commands: this.commands, failed: hasErrors(this.messages) };
  }

  /**
   * Elaborates another text in the place of a command, behind `scope`: null where the scope fails or
   * the text is not one command, else whether it is accepted and what the bodies then mention.
   */
  attempt(index, scope, text) {
    const h = this.heap;
    const ready = this.frontend.run(this.states[index], scope);
    const input = this.frontend.input(text);
    const parsed = this.frontend.parseCommand(ready.state, input, this.frontend.parserState(0));
    const usable = !hasErrors(ready.messages) && !hasErrors(parsed.messages);
    const outcome = usable ? this.outcome(ready.state, parsed.syntax, input) : null;
    [ready.state, input, parsed.syntax, parsed.parser].forEach((o) => h.dec(o));
    return { outcome };
  }

  outcome(state, command, input) {
    const { state: after, messages } = this.next(state, command, input);
    const now = this.frontend.environment(after);
    const names = this.environments.added(this.frontend.environment(state), now);
    const premises = new Set();
    for (const name of names) {
      const info = this.environments.find(now, name);
      this.environments.mentions(info).value.forEach((used) => premises.add(used));
      this.heap.dec(info);
    }
    const accepted = !hasErrors(messages) && !premises.has('sorryAx');
    this.heap.dec(after);
    return { accepted, premises: [...premises].sort() };
  }

  forget() {
    this.states.forEach((s) => this.heap.dec(s));
    Object.assign(this, { states: [], commands: [], messages: [] });
  }

  free() {
    this.forget();
    this.heap.dec(this.base);
  }
}

module.exports = { ModuleUsage };
