'use strict';
// The requests that a session answers. Environments, statements and evaluators are held here
// under small numbers; the client names them by those.

const { Evaluator } = require('./evaluator.js');

class BadRequest extends Error {}

class Session {
  constructor(heap, expressions, environments, frontend) {
    Object.assign(this, { heap, expressions, environments, frontend });
    this.held = { env: new Map(), statement: new Map(), evaluator: new Map() };
    this.next = 1;
    this.operations = new Map(Object.entries({
      header: (r) => frontend.header(r.text),
      import: (r) => this.import_(r),
      extend: (r) => this.extend(r),
      declarations: (r) => this.declarations(r),
      commands: (r) => this.commands(r),
      statement: (r) => this.statement(r),
      prove: (r) => this.prove(r),
      evaluator: (r) => this.evaluator(r),
      apply: (r) => this.apply(r),
      drop: (r) => this.drop(r),
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
    return { env: this.hold('env', this.frontend.importModules(imports)) };
  }

  extend({ env, text, start = 0 }) {
    const result = this.frontend.extend(this.get('env', env), text, start);
    return { ...result, env: this.hold('env', result.env) };
  }

  declarations({ env, names, proofs = false }) {
    const base = this.get('env', env);
    return { declarations: names.map((n) => this.frontend.declaration(base, n, proofs)) };
  }

  context(env, text) {
    return this.frontend.context(env, this.get('env', env), text);
  }

  /** Runs commands for their messages only; the environment that they make is dropped. */
  commands({ env, context = '', text }) {
    const { state, messages } = this.frontend.run(this.context(env, context).state, text);
    this.heap.dec(state);
    return { messages };
  }

  statement({ env, context = '', name, signature }) {
    const scope = this.context(env, context);
    const contextFaults = {
      contextMessages: scope.messages.filter((m) => m.severity === 'error'),
      contextAdded: scope.added,
    };
    const { info = null, ...facts } = this.frontend.statement(scope, name, signature);
    if (info === null) return { ...facts, ...contextFaults };
    const state = this.heap.inc(scope.state); // outlives its environment being dropped
    const id = this.hold('statement', { state, name: facts.name, short: name, signature, info });
    const e = this.environments;
    return {
      ...facts,
      ...contextFaults,
      statement: id,
      kind: e.kind(info),
      levelParams: e.levelParams(info),
      type: this.expressions.json(e.type(info)),
      constants: this.expressions.constants(e.type(info)).sort(),
    };
  }

  prove({ statement, proof, replay }) {
    const s = this.get('statement', statement);
    return this.frontend.prove(s, proof, replay);
  }

  evaluator({ env, functions }) {
    const { heap, expressions, environments } = this;
    const made = new Evaluator(heap, expressions, environments, this.get('env', env), functions);
    return { evaluator: this.hold('evaluator', made) };
  }

  apply({ evaluator, calls, maxSize }) {
    const e = this.get('evaluator', evaluator);
    const known = e.values.length;
    const results = calls.map((call) => e.apply(call, maxSize));
    return { results, values: e.structures.slice(known), known };
  }

  drop({ kind, ids }) {
    for (const id of ids) {
      const value = this.get(kind, id);
      if (kind === 'env') {
        this.frontend.forgetContexts(id);
        this.heap.dec(value);
      } else if (kind === 'statement') {
        this.heap.dec(value.info);
        this.heap.dec(value.state);
      } else value.free();
      this.held[kind].delete(id);
    }
    return {};
  }
}

module.exports = { Session, BadRequest };
