'use strict';
// Elaborates one file as the command `lean` does, with Lean's own functions: imports, then
// `parseCommand` and `elabCommandAtFrontend` until the end, `reportMessages` after each,
// `writeModule`. All of it runs in this thread; docs/toolchain.md tells why `lean_main` itself is
// not called.

const { basename, dirname } = require('path');

const { LeanFailure, box } = require('../session/heap.js');
const { capture } = require('./capture.js');
const { Importer } = require('./imports.js');
const { writeWhole } = require('./streams.js');

const REPORT = 'l___private_Lean_Language_Basic_0__Lean_Language_reportMessages';
const SET_OPTION = 'l___private_Lean_Shell_0__Lean_setConfigOption';
const OUTPUT = '/lemmata-output'; // in memory
const ANONYMOUS_MODULE = '_stdin';
const BELIEVER = 1024; // trust level of imported .olean files, as `lean` has it by default
const SEVERITY = { information: box(0), error: box(2) };
const NO_ERRORS = box(0);
const MESSAGE_END_AT = 16; // third field of a Message: `endPos`, which is optional

class FileFrontend {
  /** `config` is the request of `launch.py`; the text of the file has LF line ends. */
  constructor({ heap, guard, FS, silence }, config, text) {
    Object.assign(this, { heap, guard, FS, silence, config, text, errors: NO_ERRORS });
    this.options = this.givenOptions();
    this.module = this.moduleName();
    this.severities = this.severityOverrides();
    this.input = heap.call('l_Lean_Parser_mkInputContext___redArg', heap.string(text),
      heap.string(config.shown), box(0), heap.natural(String(Buffer.byteLength(text))));
  }

  /** Runs the whole file; returns whether there was no error. */
  run() {
    const h = this.heap;
    const frontend = this.begin();
    if (frontend === null) return false;
    while (!this.processCommand(frontend));
    this.env = h.inc(h.field(this.commandState(frontend), 0));
    if (this.config.stats) {
      h.io(h.call('l_Lean_Environment_displayStats', h.inc(this.env), box(0)));
    }
    if (this.errors !== NO_ERRORS) return false;
    return true;
  }

  /**
   * Writes the module: an .olean file, with parts beside it for a `module`. Lean writes it to
   * memory, since it makes files of random names, and this process may write a few named ones.
   */
  writeModule(path) {
    const [folder, name] = [OUTPUT, basename(path)];
    this.FS.mkdirTree(folder);
    this.heap.io(this.heap.call('l_Lean_writeModule', this.heap.inc(this.env),
      this.heap.string(`${folder}/${name}`), box(0)));
    for (const file of this.FS.readdir(folder).filter((f) => f.startsWith(name))) {
      writeWhole(`${dirname(path)}/${file}`, this.FS.readFile(`${folder}/${file}`));
    }
  }

  /** Calls `main` of the file with arguments; returns its exit code. */
  runMain(args) {
    const h = this.heap;
    return h.exports.lean_run_main(this.env, this.options, h.list(args.map((a) => h.string(a))))
      >>> 0;
  }

  /** The name of the module as text. */
  moduleText() {
    return this.heap.nameText(this.module);
  }

  givenOptions() {
    const h = this.heap;
    let options = h.exports.lean_internal_get_default_options(box(0)) >>> 0;
    for (const setting of this.config.options) {
      options = h.io(h.call(SET_OPTION, options, h.string(setting), box(0)));
    }
    return options;
  }

  /** The name that the place of the file below the root gives, as an object (owned). */
  moduleName() {
    const h = this.heap;
    const { file, root, olean } = this.config;
    const anonymous = () => h.inc(h.name(ANONYMOUS_MODULE));
    if (file === null) return anonymous();
    const from = root === null ? box(0) : h.construct(1, [h.string(root)]);
    try {
      return h.io(h.call('l_Lean_moduleNameOfFileName', h.string(file), from, box(0)));
    } catch (error) {
      if (olean !== null || !(error instanceof LeanFailure)) throw error;
      return anonymous();
    }
  }

  /** The map that makes messages of some kinds errors. */
  severityOverrides() {
    const h = this.heap;
    return this.config.errorKinds.reduce((map, kind) => (
      h.call('l_Lean_NameMap_insert___redArg', map, h.inc(h.name(kind)), SEVERITY.error)), box(1));
  }

  /** Reads the header and imports; a frontend state at the first command, or null after errors. */
  begin() {
    const h = this.heap;
    const result = h.io(h.call('l_Lean_Parser_parseHeader', h.inc(this.input), box(0)));
    const [syntax, rest] = [h.field(result, 0), h.field(result, 1)];
    const [parser, parsed] = [h.field(rest, 0), h.field(rest, 1)];
    if (this.hasErrors(parsed)) return this.report(parsed), null;
    const { env, log } = this.silence(() => this.importModules(syntax, parsed));
    this.report(log);
    if (this.hasErrors(log)) return null;
    // The imports may have made more options known.
    this.options = h.io(h.call('l_Lean_Language_Lean_reparseOptions', this.options, box(0)));
    return this.frontendState(env, parser);
  }

  /** On this platform `processHeader` takes every file for a `module`: only modules get it. */
  importModules(syntax, log) {
    const h = this.heap;
    const isModule = h.call('l_Lean_Elab_HeaderSyntax_isModule', h.inc(syntax)) === box(1);
    if (isModule) return this.processHeader(syntax, log);
    const imports = h.call('l_Lean_Elab_headerToImports', h.inc(syntax), box(1));
    try {
      const env = new Importer(h).import(imports, this.options, this.trust());
      return { env: h.call('l_Lean_Environment_setMainModule', env, h.inc(this.module)), log };
    } catch (error) {
      if (!(error instanceof LeanFailure)) throw error;
      return { env: null, log: this.added(log, error.message, SEVERITY.error, this.start(syntax)) };
    }
  }

  processHeader(syntax, log) {
    const h = this.heap;
    [syntax, this.options, log, this.input, this.module].forEach((o) => h.inc(o));
    const pair = h.io(h.exports.l_Lean_Elab_processHeader(syntax, this.options, log, this.input,
      this.trust(), h.array([]), 1, this.module) >>> 0);
    return { env: h.field(pair, 0), log: h.field(pair, 1) };
  }

  /** The position of the first token of a tree. */
  start(syntax) {
    const found = this.heap.call('l_Lean_Syntax_getPos_x3f', this.heap.inc(syntax), box(0));
    return found === box(0) ? box(0) : this.heap.field(found, 0);
  }

  trust() {
    return this.config.trust ?? BELIEVER;
  }

  frontendState(env, parser) {
    const h = this.heap;
    const state = h.call('l_Lean_Elab_Command_mkState', h.inc(env), this.noMessages(),
      h.inc(this.options));
    const value = h.construct(0, [state, h.inc(parser), box(0), h.array([])]);
    return h.exports.lean_st_mk_ref(value) >>> 0;
  }

  /** Parses, elaborates and reports on the next command; returns whether it was the last. */
  processCommand(frontend) {
    const h = this.heap;
    const syntax = this.parseCommand(frontend);
    const { text } = capture(h, () => h.io(h.call('l_Lean_Elab_Frontend_elabCommandAtFrontend',
      h.inc(syntax), h.inc(this.input), h.inc(frontend), box(0))));
    this.guard.check();
    const log = h.field(this.commandState(frontend), 1);
    const start = h.field(this.state(frontend), 2);
    this.report(text ? this.added(log, text, SEVERITY.information, start) : log);
    this.setState('setMessages', frontend, this.noMessages());
    return h.call('l_Lean_Parser_isTerminalCommand', syntax) === box(1);
  }

  /** The next command (owned); what is wrong with its syntax is reported before it runs. */
  parseCommand(frontend) {
    const h = this.heap;
    h.dec(h.io(h.call('l_Lean_Elab_Frontend_updateCmdPos___redArg', h.inc(frontend), box(0))));
    const state = this.commandState(frontend);
    const scope = h.field(h.field(state, 2), 0);
    const context = h.construct(0, [h.field(state, 0), h.field(scope, 1), h.field(scope, 2),
      h.field(scope, 3)].map((o) => h.inc(o)));
    const parser = h.inc(h.field(this.state(frontend), 1));
    const parsed = h.call('l_Lean_Parser_parseCommand', h.inc(this.input), context, parser,
      this.noMessages());
    const [syntax, rest] = [h.inc(h.field(parsed, 0)), h.field(parsed, 1)];
    this.report(h.field(rest, 1));
    this.setState('setParserState', frontend, h.inc(h.field(rest, 0)));
    h.dec(parsed);
    return syntax;
  }

  setState(setter, frontend, value) {
    const h = this.heap;
    h.dec(h.io(h.call(`l_Lean_Elab_Frontend_${setter}___redArg`, value, h.inc(frontend), box(0))));
  }

  noMessages() {
    return this.heap.constant('l_Lean_MessageLog_empty');
  }

  /** The value of a frontend state (borrowed; the reference holds it). */
  state(frontend) {
    const value = this.heap.exports.lean_st_ref_get(frontend) >>> 0;
    this.heap.dec(value);
    return value;
  }

  commandState(frontend) {
    return this.heap.field(this.state(frontend), 0);
  }

  hasErrors(log) {
    return this.heap.call('l_Lean_MessageLog_hasErrors', this.heap.inc(log)) === box(1);
  }

  /** A log (borrowed) with one more message at a position, which is a Nat. */
  added(log, text, severity, position) {
    const h = this.heap;
    const map = h.call('l_String_toFileMap', h.string(this.text));
    const data = h.call('l_Lean_stringToMessageData', h.string(text));
    const message = h.call('l_Lean_Elab_mkMessageCore', h.string(this.config.shown), map, data,
      severity, position, position);
    h.views().U32[(message + MESSAGE_END_AT) >>> 2] = box(0); // of no extent
    return h.call('l_Lean_MessageLog_add', message, h.inc(log));
  }

  /** Lets Lean print the messages of a log, and counts the errors. */
  report(log) {
    const h = this.heap;
    this.errors = h.io(h.call(REPORT, h.inc(log), h.inc(this.options),
      box(this.config.json ? 1 : 0), h.inc(this.severities), this.errors, box(0)));
  }
}

module.exports = { FileFrontend };
