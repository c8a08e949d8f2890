'use strict';
// Imports for an ordinary file, one without a `module` header.
//
// `importModules` of this build leaves the auxiliary functions that the compiler has made out of
// the table that says which module a name belongs to. Without them nothing that a local module
// compiled can run: no notation, no macro, no `#eval`. So the environment is made without its
// extensions' states, the table is completed, and the extensions are loaded then, as
// `importModules` itself does it.

const { box } = require('../session/heap.js');

const PRIVATE_LEVEL = 2; // all that an .olean file has to offer
const PERSISTENT = 1; // never freed, which saves counting references
const BARE = 0; // without states of extensions

const INSERT = 'l_Std_DHashMap_Internal_Raw_u2080_insertIfNew___at___00Lean_finalizeImport_spec__4'
  + '___redArg';
const LOAD_EXTENSIONS = 'l___private_Lean_Environment_0__Lean_finalizePersistentExtensions';

// Places of the fields of Lean's structures.
const ENV = { base: 0, checked: 2, realizedImports: 5, fields: 8, scalarBytes: 4 };
const KERNEL = { moduleIndex: 2, header: 5 };
const HEADER = { moduleData: 5 };
const MODULE_DATA = { extraNames: 3 };
const REALIZATION = { options: 1, references: 2 };
const FIELDS_AT = 8;
const WORD = 4;
const TASK_VALUE = 8;

class Importer {
  constructor(heap) {
    this.heap = heap;
  }

  /** The environment of imports (an array of `Import`, consumed); a failure is a LeanFailure. */
  import(imports, options, trust) {
    const h = this.heap;
    const bare = h.io(h.exports.l_Lean_importModules(imports, h.inc(options), trust, h.array([]),
      PERSISTENT, BARE, PRIVATE_LEVEL, box(1)) >>> 0);
    const modules = this.moduleData(bare);
    this.completeModuleIndex(bare, modules);
    const loaded = this.whileImporting(() => h.io(h.call(LOAD_EXTENSIONS, h.inc(bare),
      h.inc(modules), h.inc(options), box(0))));
    const env = this.withRealizations(loaded);
    h.exports.lean_mark_persistent(env);
    return env;
  }

  moduleData(env) {
    return this.heap.field(this.heap.call('l_Lean_Environment_header', this.heap.inc(env)),
      HEADER.moduleData);
  }

  completeModuleIndex(env, modules) {
    const h = this.heap;
    const kernels = this.kernels(env);
    let table = h.inc(h.field(kernels[0], KERNEL.moduleIndex));
    h.elements(modules).forEach((data, index) => {
      for (const name of h.elements(h.field(data, MODULE_DATA.extraNames))) {
        table = h.exports[INSERT](table, h.inc(name), box(index)) >>> 0;
      }
    });
    kernels.forEach((kernel) => this.setField(kernel, KERNEL.moduleIndex, h.inc(table)));
  }

  /** The views that an environment has of the kernel's: private, public, and as checked. */
  kernels(env) {
    const h = this.heap;
    const base = h.field(env, ENV.base);
    const checked = h.word(h.field(env, ENV.checked) + TASK_VALUE);
    return [h.field(base, 0), h.field(base, 1), checked];
  }

  setField(object, index, value) {
    this.heap.views().U32[(object + FIELDS_AT + WORD * index) >>> 2] = value;
  }

  whileImporting(work) {
    const h = this.heap;
    const flag = h.constant('l___private_Lean_ImportingFlag_0__Lean_importingRef');
    h.exports.lean_st_ref_set(flag, box(1));
    try {
      return work();
    } finally {
      h.exports.lean_st_ref_set(flag, box(0));
    }
  }

  /** The environment in which lemmas of imports are realized has the extensions' states too. */
  withRealizations(env) {
    const h = this.heap;
    const fields = Array.from({ length: ENV.fields }, (_, i) => h.field(env, i));
    const scalars = Array.from({ length: ENV.scalarBytes }, (_, i) => h.scalar(env, ENV.fields, i));
    const context = h.field(fields[ENV.realizedImports], 0);
    const copy = (realized) => {
      const all = fields.map((f, i) => (i === ENV.realizedImports ? realized : h.inc(f)));
      return h.construct(0, all, scalars);
    };
    const others = [REALIZATION.options, REALIZATION.references].map((i) => h.inc(h.field(context, i)));
    return copy(h.construct(1, [h.construct(0, [copy(box(0)), ...others])]));
  }
}

module.exports = { Importer };
