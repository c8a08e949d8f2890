import Lean

/-!
Reads what compiled modules declare: for each declaration that a person would look up a line of
JSON, module by module.

  lean --run main.lean REQUEST

REQUEST is a file of JSON: `imports`, the modules to load; `modules`, those of them to read;
`axioms`, whether to say what each declaration rests on; and `nonce`, with which every line of an
answer begins. The modules are loaded into an environment of
their own, so nothing that is imported above is visible among them.
-/

open Lean Meta

namespace Lemmata.Reading

/-- Larger types are not printed: nobody reads them, and their trees need not fit into memory. -/
def maxNodes : Nat := 20000

def maxSignature : Nat := 20000

/-! ## JSON, as text: most of the time goes into it -/

def nameJson (n : Name) : String := Json.renderString n.toString

def nameListJson (names : List Name) : String :=
  "[" ++ ",".intercalate (names.map nameJson) ++ "]"

def textsJson (texts : List String) : String :=
  "[" ++ ",".intercalate (texts.map Json.renderString) ++ "]"

partial def level (l : Level) (out : String) : String :=
  match l with
  | .zero => out ++ "[\"0\"]"
  | .succ l => level l (out ++ "[\"+\",") ++ "]"
  | .max a b => level b (level a (out ++ "[\"max\",") ++ ",") ++ "]"
  | .imax a b => level b (level a (out ++ "[\"imax\",") ++ ",") ++ "]"
  | .param n => out ++ "[\"u\"," ++ nameJson n ++ "]"
  | .mvar _ => out ++ "[\"m\"]"

def style : BinderInfo → String
  | .default => "0"
  | .implicit => "1"
  | .strictImplicit => "2"
  | .instImplicit => "3"

/-- An expression, without the universe levels of its constants. -/
partial def expression (e : Expr) (out : String) : String :=
  match e with
  | .bvar i => out ++ "[\"v\"," ++ i.repr ++ "]"
  | .sort l => level l (out ++ "[\"s\",") ++ "]"
  | .const n _ => out ++ "[\"c\"," ++ nameJson n ++ "]"
  | .app f x => expression x (expression f (out ++ "[\"a\",") ++ ",") ++ "]"
  | .lam n t b i => binder "l" n t b i out
  | .forallE n t b i => binder "p" n t b i out
  | .letE n t v b _ =>
    let typed := expression t (out ++ "[\"let\"," ++ nameJson n ++ ",")
    expression b (expression v (typed ++ ",") ++ ",") ++ "]"
  | .lit (.natVal n) => out ++ "[\"n\",\"" ++ n.repr ++ "\"]"
  | .lit (.strVal s) => out ++ "[\"t\"," ++ Json.renderString s ++ "]"
  | .mdata _ e => expression e out
  | .proj s i e => expression e (out ++ "[\"proj\"," ++ nameJson s ++ "," ++ i.repr ++ ",") ++ "]"
  | .fvar id => out ++ "[\"f\"," ++ nameJson id.name ++ "]"
  | .mvar id => out ++ "[\"m\"," ++ nameJson id.name ++ "]"
where
  binder (kind : String) (n : Name) (t b : Expr) (i : BinderInfo) (out : String) : String :=
    let typed := expression t (out ++ "[\"" ++ kind ++ "\"," ++ nameJson n ++ ",")
    expression b (typed ++ ",") ++ "," ++ style i ++ "]"

/-! ## What is worth a node -/

/-- The name of a private declaration as its author wrote it; any other name as it is. -/
def written (n : Name) : Name := (privateToUserName? n).getD n

/-- Last parts of the names of what Lean derives from an inductive type or a constructor. -/
def derivedParts : List String :=
  ["sizeOf_spec", "noConfusionType", "ctorIdx", "toCtorIdx", "ctorElimType", "inj", "injEq",
    "below", "ibelow"]

/-- Whether Lean made a constant by itself, or something below whose name it stands. -/
partial def isDerivedName (env : Environment) (n : Name) : Bool :=
  isAuxRecursor env n || isNoConfusion env n || isReservedName env n || isMatcherCore env n
    || (env.find? n matches some (.recInfo _))
    || match n with
      | .str parent part => (derivedParts.contains part &&
          (env.find? parent matches some (.inductInfo _) | some (.ctorInfo _)))
          || isDerivedName env parent
      | .num parent _ => isDerivedName env parent
      | .anonymous => false

/-- Whether a constant is not one that a person would look up. -/
def isDerived (env : Environment) (n : Name) : Bool :=
  (written n).isInternalDetail || isReservedName env (written n) || isDerivedName env n

/-- What a constant was declared as: theorems of the library come without their proofs. -/
def kind (env : Environment) (n : Name) : String :=
  match getOriginalConstKind? env n with
  | some .axiom => "axiom"
  | some .defn => "definition"
  | some .thm => "theorem"
  | some .opaque => "opaque"
  | some .quot => "quotient"
  | some .induct => "inductive"
  | some .ctor => "constructor"
  | some .recursor => "recursor"
  | none => "axiom"

/-! ## Facts about one declaration -/

/-- What each argument is: a hypothesis, an instance, a type, a function, or another value. -/
def roles (type : Expr) : MetaM (List String) :=
  forallTelescope type fun xs _ => xs.toList.mapM fun x => do
    let decl ← x.fvarId!.getDecl
    if decl.binderInfo.isInstImplicit then return "instance"
    let t ← instantiateMVars decl.type
    if (← isClass? t).isSome then return "instance"
    if ← isProp t then return "hypothesis"
    match (← whnf t).getForallBody with
    | .sort .zero => return "function"
    | .sort _ => return "type"
    | _ => return if (← whnf t).isForall then "function" else "value"

/-- How often each constant stands in an expression; equal parts count once. -/
partial def occurrences (e : Expr) : List (Name × Nat) :=
  let ((), _, counts) := (visit e).run (({} : Std.HashSet Expr), ({} : NameMap Nat))
  counts.toList
where
  visit (e : Expr) : StateM (Std.HashSet Expr × NameMap Nat) Unit := do
    if let .const n _ := e then
      modify fun (seen, counts) => (seen, counts.insert n (counts.getD n 0 + 1))
      return
    if (← get).1.contains e then return
    modify fun (seen, counts) => (seen.insert e, counts)
    match e with
    | .app f x => visit f; visit x
    | .lam _ t b _ => visit t; visit b
    | .forallE _ t b _ => visit t; visit b
    | .letE _ t v b _ => visit t; visit v; visit b
    | .mdata _ e => visit e
    | .proj _ _ e => visit e
    | _ => return

structure Marks where
  simp : SimpTheorems
  ext : NameSet
  instances : Instances

def marks (env : Environment) : Marks where
  simp := simpExtension.getState env
  ext := (Ext.extExtension.getState env).tree.fold (init := {}) fun s _ t => s.insert t.declName
  instances := instanceExtension.getState env

def attributes (env : Environment) (m : Marks) (n : Name) : List String :=
  let found : List (String × Bool) := [
    ("class", isClass env n),
    ("ext", m.ext.contains n),
    ("instance", m.instances.instanceNames.contains n),
    ("irreducible", getReducibilityStatusCore env n matches .irreducible),
    ("noncomputable", isNoncomputable env n),
    ("protected", isProtected env n),
    ("reducible", getReducibilityStatusCore env n matches .reducible),
    ("simp", m.simp.lemmaNames.contains (.decl n) || m.simp.toUnfold.contains n),
    ("structure", isStructure env n)]
  (found.filter (·.2)).map (·.1)

/-- What is to be used instead of a deprecated name; nothing where it is not deprecated. -/
def deprecated (env : Environment) (n : Name) : String :=
  match Linter.deprecatedAttr.getParam? env n with
  | none => "null"
  | some entry => match entry.newName? with
    | some new => nameJson new
    | none => Json.renderString (entry.text?.getD "")

def position (n : Name) : MetaM String := do
  match ← findDeclarationRanges? n with
  | some ranges => return s!"[{ranges.range.pos.line},{ranges.range.endPos.line}]"
  | none => return "null"

def docstring (env : Environment) (n : Name) : MetaM String := do
  match ← findDocString? env n with
  | some doc => return Json.renderString doc
  | none => return "null"

def signature (n : Name) : MetaM String := do
  let text := toString (← PrettyPrinter.ppSignature n).fmt
  return if text.utf8ByteSize ≤ maxSignature then text else ""

/-- The axioms below a declaration. A theorem without its proof looks like one, and is none. -/
def axioms (env : Environment) (n : Name) : List Name :=
  let ((), found) := ((CollectAxioms.collect n).run env).run {}
  found.axioms.toList.filter fun a => kind env a == "axiom"

def countsJson (counts : List (Name × Nat)) : String :=
  "{" ++ ",".intercalate (counts.map fun (n, k) => nameJson n ++ ":" ++ k.repr) ++ "}"

def describe (env : Environment) (m : Marks) (withAxioms : Bool) (n : Name) (c : ConstantInfo) : MetaM String := do
  let kind := kind env n
  let fits := c.type.sizeWithoutSharing ≤ maxNodes
  let value := c.value? (allowOpaque := true)
  let signature ← if fits then signature n else pure ""
  let roles ← if fits then roles c.type else pure []
  let fields := [
    ("name", nameJson n),
    ("kind", Json.renderString kind),
    ("signature", Json.renderString (signature)),
    ("type", if fits then expression c.type "" else "null"),
    ("roles", textsJson roles),
    ("levels", nameListJson c.levelParams),
    ("body", match value with | some v => countsJson (occurrences v) | none => "null"),
    ("axioms", if withAxioms then nameListJson (axioms env n) else "null"),
    ("doc", ← docstring env n),
    ("lines", ← position n),
    ("attributes", textsJson (attributes env m n)),
    ("deprecated", deprecated env n),
    ("private", toString (isPrivateName n)),
    ("safe", toString !(c.isUnsafe || c.isPartial))]
  return "{" ++ ",".intercalate (fields.map fun (key, value) => s!"\"{key}\":{value}") ++ "}"

/-- A declaration whose facts cannot be told is told with why, and the next one comes. -/
def described (env : Environment) (m : Marks) (withAxioms : Bool) (n : Name) (c : ConstantInfo) : MetaM String := do
  try
    withCurrHeartbeats (describe env m withAxioms n c)
  catch error =>
    let why ← error.toMessageData.toString
    return s!"\{\"name\":{nameJson n},\"failure\":{Json.renderString why}}"

/-! ## The command -/

structure Request where
  nonce : String
  imports : Array Name
  modules : Array Name
  axioms : Bool

def names (j : Json) (key : String) : Except String (Array Name) := do
  (← (← j.getObjVal? key).getArr?).mapM fun n => return (← n.getStr?).toName

def request (text : String) : Except String Request := do
  let j ← Json.parse text
  return {
    nonce := ← (← j.getObjVal? "nonce").getStr?
    imports := ← names j "imports"
    modules := ← names j "modules"
    axioms := ← (← j.getObjVal? "axioms").getBool? }

def answer (nonce text : String) : IO Unit := do
  let out ← IO.getStdout
  out.putStr (nonce ++ text ++ "\n")
  out.flush

def readModule (r : Request) (m : Marks) (module : Name) : MetaM Unit := do
  let env ← getEnv
  let some index := env.getModuleIdx? module | throwError "no module {module}"
  for n in env.header.moduleData[index.toNat]!.constNames do
    let some c := env.find? n | continue
    unless isDerived env n do
      answer r.nonce (← described env m r.axioms n c)
  answer r.nonce s!"\{\"end\":{nameJson module}}"

def readModules (r : Request) : MetaM Unit := do
  let m := marks (← getEnv)
  for module in r.modules do
    readModule r m module

unsafe def run (r : Request) : IO Unit := do
  enableInitializersExecution
  let imports := r.imports.map fun m => { module := m : Import }
  let env ← importModules imports {} (trustLevel := 1024) (loadExts := true)
  let options := Options.empty |>.setBool `pp.proofs false
  let context : Core.Context := {
    fileName := "", fileMap := default, options, maxHeartbeats := 20000000, maxRecDepth := 8192 }
  discard <| ((readModules r).run').toIO context { env }

unsafe def command (args : List String) : IO Unit := do
  let text ← IO.FS.readFile ((args.head?).getD "")
  match request text with
  | .error why => throw (.userError s!"not a request: {why}")
  | .ok r =>
    answer r.nonce "{\"ready\":true}"
    try
      run r
      answer r.nonce "{\"done\":true}"
    catch error =>
      answer r.nonce s!"\{\"fatal\":{Json.renderString (toString error)}}"

end Lemmata.Reading
