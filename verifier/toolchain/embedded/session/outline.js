'use strict';
// A module with a description of its commands: what each declares, and where it has holes.
//
// The commands of the last runs are kept with the states behind them. A text that begins like an
// earlier one on the same environment goes on from there, so that the many variants of a module
// in which one hole after the other is filled cost no more than what differs.

const { box, isScalar } = require('./heap.js');
const { DECLARATION, END_OF_INPUT } = require('./syntax.js');

const COMMAND = 'Lean.Parser.Command.';
const IN = `${COMMAND}in`;
const VALUES = new Map([[`${COMMAND}declValSimple`, 'simple'], [`${COMMAND}declValEqns`, 'equations'],
  [`${COMMAND}whereStructInst`, 'structure']]);
const SIGNATURES = new Set([`${COMMAND}declSig`, `${COMMAND}optDeclSig`]);
const HOLES = new Map([['Lean.Parser.Term.sorry', 'term'], ['Lean.Parser.Tactic.tacticSorry', 'tactic'],
  ['Lean.Parser.Tactic.tacticAdmit', 'tactic']]);
const BY = 'Lean.Parser.Term.byTactic';
const OPENS = new Set([`${COMMAND}namespace`, `${COMMAND}section`]);
const KEPT_RUNS = 4;

class Outliner {
  constructor(frontend) {
    const { heap, syntax, environments } = frontend;
    Object.assign(this, { frontend, heap, syntax, environments });
    this.runs = []; // { env, scope, text, steps }, least recently used first
  }

  /** The operation: the result with the number of the environment. */
  answer(session, { env, text, start = 0 }) {
    const { env: made, kernel, placed, ...result } = this.outline(
      env, session.get('env', env), text, start);
    return { ...result, env: session.hold('env', { env: made, kernel, placed }) };
  }

  /**
   * Elaborates a module body as `Frontend.extend` does, and says what its commands are. `env` is
   * the number of the environment, `base` the environment itself.
   */
  outline(env, base, text, start) {
    const first = this.run(env, base, text, start, '');
    if (!this.hasErrors(first)) return this.result(first);
    const second = this.run(env, base, text, start, 'noncomputable section\n');
    return this.result(this.hasErrors(second) ? first : second);
  }

  hasErrors({ steps }) {
    return steps.some((s) => s.messages.some((m) => m.severity === 'error'));
  }

  result({ base, steps }) {
    const last = steps.length ? steps[steps.length - 1] : base;
    return {
      env: this.heap.inc(this.frontend.environment(last.state)),
      kernel: this.heap.inc(last.kernel),
      messages: steps.flatMap((s) => s.messages),
      declarations: steps.flatMap((s) => s.declarations),
      refused: steps.flatMap((s) => s.refused),
      placed: steps.flatMap((s) => s.placed),
      commands: steps.map((s) => s.command).filter((c) => c !== null),
    };
  }

  /** The steps of a text; those that an earlier run with the same beginning made are taken over. */
  run(env, { env: environment, kernel }, text, start, scope) {
    const h = this.heap;
    const bytes = Buffer.from(text);
    const shared = this.sharedSteps(env, scope, bytes, start);
    const bare = this.frontend.freshState(environment);
    const base = { state: this.frontend.run(bare, scope).state, kernel: h.inc(kernel), end: start };
    h.dec(bare);
    const run = { env, scope, start, bytes, base, steps: shared.map((s) => this.share(s)) };
    this.elaborate(run, text);
    this.keep(run);
    return run;
  }

  /** Keeps a run in the place of those that it has whole in itself, and of the oldest. */
  keep(run) {
    const isPart = (r) => r.env === run.env && r.scope === run.scope && r.start === run.start
      && commonPrefix(r.bytes, run.bytes) === r.bytes.length;
    this.runs.filter(isPart).forEach((r) => this.forget(r));
    this.runs = [...this.runs.filter((r) => !isPart(r)), run];
    if (this.runs.length > KEPT_RUNS) this.forget(this.runs.shift());
  }

  sharedSteps(env, scope, bytes, start) {
    const usable = (run) => {
      if (run.env !== env || run.scope !== scope || run.start !== start) return [];
      const common = commonPrefix(run.bytes, bytes);
      const { steps } = run;
      // Lean has looked one token beyond each command: the one behind it must be the same as well.
      return steps.slice(0, steps.findIndex((s, i) => i + 1 === steps.length || s.recovering
        || !(s.end === bytes.length ? s.end <= common : steps[i + 1].end <= common)));
    };
    return this.runs.map(usable).reduce((a, b) => (b.length > a.length ? b : a), []);
  }

  share(step) {
    [step.state, step.kernel].forEach((o) => this.heap.inc(o));
    return step;
  }

  forget({ base, steps }) {
    for (const { state, kernel } of [base, ...steps]) [state, kernel].forEach((o) => this.heap.dec(o));
  }

  /** Runs the commands behind the last step. */
  elaborate(run, text) {
    const h = this.heap;
    const f = this.frontend;
    const input = f.input(text);
    const before = run.steps.length ? run.steps[run.steps.length - 1] : run.base;
    const frontend = f.frontend(before.state);
    let parser = f.parserState(before.end);
    let { state, kernel } = before;
    for (let last = false; !last;) {
      const parsed = f.parseCommand(state, input, parser);
      parser = parsed.parser;
      h.dec(h.io(h.call('l_Lean_Elab_Frontend_elabCommandAtFrontend', h.inc(parsed.syntax),
        h.inc(input), h.inc(frontend), box(0))));
      last = this.syntax.kind(parsed.syntax) === END_OF_INPUT;
      const step = this.step(parsed, state, kernel, f.commandState(frontend));
      run.steps.push(step);
      ({ state, kernel } = step);
      h.dec(parsed.syntax);
    }
    [parser, input, frontend].forEach((o) => h.dec(o));
  }

  step({ syntax, parser, messages }, before, kernel, state) {
    const e = this.environments;
    const [was, now] = [before, state].map((s) => this.frontend.environment(s));
    const names = e.added(was, now);
    const again = e.replay(kernel, now, names);
    const [kind, span] = [this.syntax.kind(syntax), this.syntax.span(syntax)];
    const declarations = e.inOrder(now, names).map((name) => ({ name, command: kind, span }));
    return {
      state,
      kernel: again.kernel,
      end: Number(this.heap.nat(this.heap.field(parser, 0))),
      recovering: this.heap.scalar(parser, 1, 0) !== 0,
      messages: [...messages, ...this.frontend.messages(this.heap.field(state, 1))],
      declarations,
      refused: again.refusals,
      placed: again.placed,
      command: span === null ? null : this.command(syntax, span),
    };
  }

  /** What a command is: its parts as spans in bytes, and its holes. */
  command(syntax, span) {
    const scopes = [];
    let inner = syntax;
    for (; this.syntax.kind(inner) === IN; [, , inner] = this.syntax.children(inner)) {
      scopes.push(this.scope(this.syntax.children(inner)[0]));
    }
    const out = { ...this.scope(syntax), prefixes: scopes, holes: this.holes(syntax, span[0]) };
    if (this.syntax.kind(inner) === DECLARATION) out.declaration = this.declaration(inner);
    return out;
  }

  /** Kind and span of a command, and how many scopes it opens or closes. */
  scope(syntax) {
    const kind = this.syntax.kind(syntax);
    return {
      kind,
      span: this.syntax.span(syntax),
      opens: OPENS.has(kind) ? Math.max(1, this.nameDepth(syntax)) : 0,
      closes: kind === `${COMMAND}end` ? Math.max(1, this.nameDepth(syntax)) : 0,
    };
  }

  /** The number of components of the last name in a command, 0 when it has none. */
  nameDepth(syntax) {
    let depth = 0;
    this.syntax.walk(syntax, (node) => {
      if (this.heap.tag(node) !== 3) return;
      depth = 0;
      for (let at = this.heap.field(node, 2); !isScalar(at); at = this.heap.field(at, 0)) depth += 1;
    });
    return depth;
  }

  declaration(command) {
    const [modifiers, declaration] = this.syntax.children(command);
    const parts = this.syntax.children(declaration);
    const find = (test) => parts.find((p) => test(this.syntax.kind(p)));
    const value = find((k) => VALUES.has(k));
    const form = value === undefined ? null : VALUES.get(this.syntax.kind(value));
    const id = find((k) => k === `${COMMAND}declId`);
    const signature = find((k) => SIGNATURES.has(k));
    const term = form === 'simple' ? this.syntax.children(value)[1] : null;
    const span = (node) => (node === undefined || node === null ? null : this.syntax.span(node));
    return {
      kind: this.syntax.kind(declaration),
      span: span(declaration),
      modifiers: span(modifiers),
      name: id === undefined ? null : this.syntax.token(this.syntax.children(id)[0]),
      nameSpan: span(id),
      signature: span(signature),
      value: span(value),
      form,
      term: span(term),
      bare: term !== null && this.isHole(term),
    };
  }

  /** Whether a term is a hole and nothing else: `sorry`, `by sorry`, `by admit`. */
  isHole(term) {
    if (HOLES.has(this.syntax.kind(term))) return true;
    if (this.syntax.kind(term) !== BY) return false;
    const tokens = this.syntax.span(term);
    const holes = this.holes(term, tokens[0]);
    const [by] = this.syntax.children(term).map((c) => this.syntax.span(c));
    let between = 0; // tokens that are neither `by` nor the hole
    this.syntax.walk(term, (node) => {
      if (this.heap.tag(node) !== 2 && this.heap.tag(node) !== 3) return;
      const at = this.syntax.span(node);
      const known = at === null || at[0] === by[0] || holes.some((x) => x.span[0] === at[0]);
      if (!known) between += 1;
    });
    return holes.length === 1 && between === 0;
  }

  /**
   * The holes below a tree in the order of the text. `anchor` is where the innermost tactic begins
   * that the hole belongs to (the hole itself, if it is a tactic), or else the command.
   */
  holes(syntax, start) {
    const found = [];
    const visit = (node, anchor) => {
      if (isScalar(node)) return;
      const kind = this.syntax.kind(node);
      const tactic = kind.startsWith('Lean.Parser.Tactic.') && !kind.includes('tacticSeq');
      const span = HOLES.has(kind) || tactic ? this.syntax.span(node) : null;
      if (HOLES.has(kind) && span !== null) {
        const form = HOLES.get(kind);
        found.push({ form, span, anchor: form === 'tactic' ? span[0] : anchor });
        return;
      }
      const below = tactic && span !== null ? span[0] : anchor;
      this.syntax.children(node).forEach((child) => visit(child, below));
    };
    visit(syntax, start);
    return found;
  }
}

function commonPrefix(one, other) {
  const limit = Math.min(one.length, other.length);
  let at = 0;
  while (at < limit && one[at] === other[at]) at += 1;
  return at;
}

module.exports = { Outliner, VALUES };
