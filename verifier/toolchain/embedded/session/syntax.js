'use strict';
// Reads Lean's syntax trees: kinds, spans in bytes, and the shape of a candidate theorem.

const { isScalar } = require('./heap.js');

const THEOREM = 'Lean.Parser.Command.theorem';
const DECLARATION = 'Lean.Parser.Command.declaration';
const END_OF_INPUT = 'Lean.Parser.Command.eoi';
const SET_OPTION = new Set(['Lean.Parser.Command.set_option', 'Lean.Parser.Term.set_option',
  'Lean.Parser.Tactic.set_option']);

class SyntaxReader {
  constructor(heap) {
    this.heap = heap;
  }

  kind(stx) {
    return this.heap.tag(stx) === 1 ? this.heap.nameText(this.heap.field(stx, 1)) : '';
  }

  children(stx) {
    return this.heap.tag(stx) === 1 ? this.heap.elements(this.heap.field(stx, 2)) : [];
  }

  /** [start, end) in bytes of the tokens below a tree, or null when it has none. */
  span(stx) {
    let first = null;
    let last = null;
    this.walk(stx, (node) => {
      const tag = this.heap.tag(node);
      if (tag !== 2 && tag !== 3) return;
      const info = this.heap.field(node, 0);
      if (isScalar(info) || this.heap.tag(info) !== 0) return;
      if (first === null) first = Number(this.heap.nat(this.heap.field(info, 1)));
      last = Number(this.heap.nat(this.heap.field(info, 3)));
    });
    return first === null ? null : [first, last];
  }

  walk(stx, visit) {
    const pending = [stx];
    while (pending.length) {
      const node = pending.pop();
      if (isScalar(node)) continue;
      visit(node);
      pending.push(...this.children(node).reverse());
    }
  }

  /** The text of an identifier or atom. */
  token(stx) {
    const h = this.heap;
    if (h.tag(stx) === 2) return h.text(h.field(stx, 1));
    return h.tag(stx) === 3 ? h.nameText(h.field(stx, 2)) : '';
  }

  /** The name in the declaration of a command, as it is written. */
  declaredName(command) {
    const declaration = this.children(command)[1];
    const [, id] = this.children(declaration);
    return this.token(this.children(id)[0]);
  }

  /** All kinds of syntax below a tree, and the options that it sets. */
  inventory(stx) {
    const kinds = new Set();
    const options = new Set();
    this.walk(stx, (node) => {
      const kind = this.kind(node);
      if (!kind) return;
      kinds.add(kind);
      if (SET_OPTION.has(kind)) options.add(this.token(this.children(node)[1]));
    });
    return { kinds: [...kinds], options: [...options] };
  }

  /**
   * Why a parsed command is not the theorem that the verifier wrote down, or null if it is:
   * its name, its signature and its value must lie exactly where the verifier put them.
   */
  differsFromTheorem(command, expected) {
    if (this.kind(command) !== DECLARATION) return `a command of kind ${this.kind(command)}`;
    const [modifiers, declaration] = this.children(command);
    if (this.span(modifiers) !== null) return 'modifiers before the theorem';
    if (this.kind(declaration) !== THEOREM) return `a declaration of kind ${this.kind(declaration)}`;
    const [, id, signature, value] = this.children(declaration);
    const at = { name: this.span(id), signature: this.span(signature), value: this.span(value) };
    if (!at.name || at.name[0] !== expected.name[0] || at.name[1] !== expected.name[1]) {
      return 'the name reaches beyond its place';
    }
    if (!at.signature || at.signature[1] !== expected.signatureEnd) {
      return 'the statement does not end where its text ends';
    }
    if (!at.value || at.value[0] !== expected.valueStart) return 'the proof begins elsewhere';
    return null;
  }
}

module.exports = { DECLARATION, END_OF_INPUT, SyntaxReader };
