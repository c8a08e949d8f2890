'use strict';
// The requests that a session answers. Environments, statements and evaluators are held here
// under small numbers; the client names them by those.

const { Evaluator } = require('./evaluator.js');
const { Constants } = require('./constants.js');
const { ClosureExport } = require('./exporter.js');
const { Narrowing } = require('./narrowing.js');
const { Outliner } = require('./outline.js');
const { ModuleUsage } = require('./usage.js');

class BadRequest extends Error {}

class Session {
  constructor(heap, expressions, environments, frontend) {
    Object.assign(this, { heap, expressions, environments, frontend });
    const kinds = ['env', 'statement', 'evaluator', 'narrowing', 'closure', 'usage'];
    this.held = Object.fromEntries(kinds.map((kind) => [kind, new Map()]));
    this.next = 1;
    const outliner = new Outliner(frontend);
    this.operations = new Map(Object.entries({
      header: (r) => frontend.header(r.text),
      import: (r) => this.import_(r),
      extend: (r) => this.extend(r),
      outline: (r) => outliner.answer(this, r),
      declarations: (r) => this.declarations(r),
      commands: (r) => this.commands(r),
      statement: (r) => this.statement(r),
      prove: (r) => this.prove(r),
      evaluator: (r) => this.evaluator(r),
      apply: (r) => this.apply(r),
      narrowing: (r) => this.narrowing(r),
      narrow: (r) => this.narrow(r),
      delta: (r) => this.delta(r),
      closure: (r) => this.closure(r),
      slice: (r) => this.slice(r),
      usage: (r) => this.usage(r),
      attempt: (r) => this.attempt(r),
    }));
  }

  handle(op, request) {
    const operation = this.operations.get(op);
    if (!operation) throw new BadRequest(`no operation ${op}`);
    return operation(request);
  }

  hold(kind, value) {
    const id = this.next++;
    this.held[kind].set(id, value);
    return id;
  }

  get(kind, id) {
    const value = this.held[kind].get(id);
    if (value === undefined) throw new BadRequest(`no ${kind} ${id}`);
    return value;
  }

  import_({ imports }) {
    const env = this.frontend.importModules(imports);
    const kernel = this.environments.kernel(env);
    return { env: this.hold('env', { env, kernel, placed: [] }) };
  }

  extend({ env, text, start = 0 }) {
    const { kernel, placed, ...result } = this.frontend.extend(this.get('env', env), text, start);
    return { ...result, env: this.hold('env', { env: result.env, kernel, placed }) };
  }

  /** What an environment adds to the one below it, for another kernel. */
  delta({ env }) {
    const held = this.get('env', env);
    return { delta: this.frontend.delta(held.env, held.placed) };
  }

  /** Begins an export of some constants, or else of all, with all that they rest on. */
  closure({ env, names = null }) {
    const base = this.heap.inc(this.get('env', env).env);
    const chosen = names ?? this.environments.importedNames(base);
    return { closure: this.hold('closure', new ClosureExport(this.frontend.exporter(base), chosen)) };
  }

  /** The next slice of an export. */
  slice({ closure, count }) {
    return this.get('closure', closure).next(count);
  }

  /** How the declarations of a module body use constants; the states are kept for attempts. */
  usage({ env, text, start = 0 }) {
    const usage = new ModuleUsage(this.frontend, this.get('env', env), text, start);
    return { ...usage.answer(), handle: this.hold('usage', usage) };
  }

  attempt({ usage, command, scope, text }) {
    return this.get('usage', usage).attempt(command, scope, text);
  }

  declarations({ env, names, proofs = false }) {
    const base = this.get('env', env).env;
    return { declarations: names.map((n) => this.frontend.declaration(base, n, proofs)) };
  }

  context({ env, context, contextKinds }) {
    return this.frontend.context(env, this.get('env', env), context, contextKinds);
  }

  /** Runs commands for their messages only; the environment that they make is dropped. */
  commands(request) {
    const scope = this.context(request);
    if (scope.foreign !== null) throw new BadRequest(`a context with a command ${scope.foreign}`);
    const { state, messages } = this.frontend.run(scope.state, request.text);
    this.heap.dec(state);
    return { messages };
  }

  statement(request) {
    const { name, signature, forbidden } = request;
    const scope = this.context(request);
    const contextFacts = {
      withoutInit: !this.environments.hasModule(this.get('env', request.env).env, 'Init'),
      contextMessages: scope.messages.filter((m) => m.severity === 'error'),
      contextAdded: scope.added,
      contextForeign: scope.foreign,
      contextOptions: scope.options,
    };
    if (scope.foreign !== null) return { fault: null, ...contextFacts };
    const { info = null, ...facts } = this.frontend.statement(scope, name, signature, forbidden);
    if (info === null) return { ...facts, ...contextFacts };
    const state = this.heap.inc(scope.state); // outlives its environment being dropped
    const kernel = this.heap.inc(scope.kernel);
    const id = this.hold('statement', { state, kernel, name: facts.name, short: name, signature, info });
    const e = this.environments;
    return {
      ...facts,
      ...contextFacts,
      statement: id,
      kind: e.kind(info),
      levelParams: e.levelParams(info),
      type: this.expressions.json(e.type(info)),
      constants: this.expressions.constants(e.type(info)).sort(),
    };
  }

  prove({ statement, proof, replay, exported, forbidden }) {
    const held = this.get('statement', statement);
    return this.frontend.prove(held, proof, { replay, exported }, forbidden);
  }

  evaluator({ env, functions }) {
    const { heap, expressions, environments } = this;
    const made = new Evaluator(heap, expressions, environments, this.get('env', env).env, functions);
    return { evaluator: this.hold('evaluator', made) };
  }

  /** Results of the calls that fit into a slice of time, at least of the first one. */
  apply({ evaluator, calls, maxSize, sliceMs }) {
    const e = this.get('evaluator', evaluator);
    const known = e.values.length;
    const results = [];
    const end = performance.now() + sliceMs;
    for (const call of calls) {
      results.push(e.apply(call, maxSize));
      if (performance.now() > end) break;
    }
    return { results, values: e.structures.slice(known), known };
  }

  /** Begins searches for counterexamples in an environment; what they learn of it is kept. */
  narrowing({ env }) {
    const { heap, expressions, environments } = this;
    const made = new Narrowing(new Constants(heap, expressions, environments, this.get('env', env).env));
    return { narrowing: this.hold('narrowing', made) };
  }

  /** Looks for values at which a statement fails. */
  narrow({ narrowing, ...request }) {
    return this.get('narrowing', narrowing).search(request);
  }

  /** Forgets what is held under some numbers. */
  release(kind, ids) {
    for (const id of ids) {
      const value = this.get(kind, id);
      if (kind === 'env') {
        this.frontend.forgetContexts(id);
        this.heap.dec(value.env);
        this.heap.dec(value.kernel);
      } else if (kind === 'statement') {
        this.heap.dec(value.info);
        this.heap.dec(value.state);
        this.heap.dec(value.kernel);
      } else value.free();
      this.held[kind].delete(id);
    }
  }
}

module.exports = { Session, BadRequest };
