import Lean

/-!
Elaborates candidates and reports facts about them. A candidate is data here, from a file of JSON:
nothing of it is ever a part of this text, and Lean's own parser says where it ends.

  lean --run main.lean REQUEST

The imports of the candidates are loaded into an environment of their own, so nothing that is
imported above is visible to them. Each answer is a line that begins with the request's nonce.
What the facts mean for a verdict is decided by the verifier, in Python; the same facts come from
the embedded Lean's `frontend.js` and `environment.js`.

The style is narrow on purpose: explicit recursion, no generic functions over lists or arrays. The
embedded Lean carries no compiled code for those, and runs this file as well.
-/

open Lean Elab

namespace Lemmata

/-! ## JSON -/

def isIdentifierRest : List Char → Bool
  | [] => true
  | c :: cs => isIdRest c && isIdentifierRest cs

def isIdentifier : List Char → Bool
  | [] => false
  | c :: cs => isIdFirst c && isIdentifierRest cs

/-- A component of a name, in « » unless it is an identifier: no two names have one text. -/
def component (s : String) : String :=
  if isIdentifier s.toList then s else "«" ++ s ++ "»"

def nameText : Name → String
  | .anonymous => ""
  | .str .anonymous s => component s
  | .num .anonymous n => n.repr
  | .str p s => nameText p ++ "." ++ component s
  | .num p n => nameText p ++ "." ++ n.repr

def nameJson (n : Name) : Json := .str (nameText n)

partial def pushNames (names : Array Name) (i : Nat) (out : Array Json) : Array Json :=
  if h : i < names.size then pushNames names (i + 1) (out.push (nameJson names[i])) else out

def namesJson (names : Array Name) : Json := .arr (pushNames names 0 #[])

partial def pushNameList (names : List Name) (out : Array Name) : Array Name :=
  match names with
  | [] => out
  | n :: ns => pushNameList ns (out.push n)

def nat (n : Nat) : Json := .num (.fromNat n)

def field (j : Json) (key : String) : Json :=
  match j.getObjVal? key with
  | .ok value => value
  | .error _ => .null

def text (j : Json) (key : String) : String :=
  match (field j key).getStr? with
  | .ok value => value
  | .error _ => ""

def natural (j : Json) (key : String) : Nat :=
  match (field j key).getNat? with
  | .ok value => value
  | .error _ => 0

def flag (j : Json) (key : String) : Bool :=
  match (field j key).getBool? with
  | .ok value => value
  | .error _ => false

def items (j : Json) (key : String) : Array Json :=
  match (field j key).getArr? with
  | .ok value => value
  | .error _ => #[]

partial def pushAllJson (found : Array Json) (i : Nat) (out : Array Json) : Array Json :=
  if h : i < found.size then pushAllJson found (i + 1) (out.push found[i]) else out

partial def contains (found : Array Json) (s : String) (i : Nat) : Bool :=
  if h : i < found.size then
    match found[i] with
    | .str t => t == s || contains found s (i + 1)
    | _ => contains found s (i + 1)
  else false

/-! ## Expressions

In the format of `session/expr.js`: `mdata` is dropped, since it has no meaning.
-/

def tagged (tag : String) (rest : Array Json) : Json := .arr (pushAllJson rest 0 #[.str tag])

def levelJson : Level → Json
  | .zero => tagged "0" #[]
  | .succ l => tagged "+" #[levelJson l]
  | .max l k => tagged "max" #[levelJson l, levelJson k]
  | .imax l k => tagged "imax" #[levelJson l, levelJson k]
  | .param n => tagged "u" #[nameJson n]
  | .mvar _ => tagged "m" #[]

partial def pushLevels (levels : List Level) (out : Array Json) : Array Json :=
  match levels with
  | [] => out
  | l :: ls => pushLevels ls (out.push (levelJson l))

def binderNumber : BinderInfo → Nat
  | .default => 0
  | .implicit => 1
  | .strictImplicit => 2
  | .instImplicit => 3

partial def exprJson : Expr → Json
  | .bvar i => tagged "v" #[nat i]
  | .fvar id => tagged "f" #[nameJson id.name]
  | .mvar id => tagged "m" #[nameJson id.name]
  | .sort l => tagged "s" #[levelJson l]
  | .const n ls => tagged "c" #[nameJson n, .arr (pushLevels ls #[])]
  | .app f x => tagged "a" #[exprJson f, exprJson x]
  | .lam n t b i => tagged "l" #[nameJson n, exprJson t, exprJson b, nat (binderNumber i)]
  | .forallE n t b i => tagged "p" #[nameJson n, exprJson t, exprJson b, nat (binderNumber i)]
  | .letE n t v b _ => tagged "let" #[nameJson n, exprJson t, exprJson v, exprJson b]
  | .lit (.natVal n) => tagged "n" #[.str n.repr]
  | .lit (.strVal t) => tagged "t" #[.str t]
  | .mdata _ e => exprJson e
  | .proj n i e => tagged "proj" #[nameJson n, nat i, exprJson e]

/-- What is left of a number of nodes after those of an expression; 0 when there are too many. -/
partial def left (e : Expr) (budget : Nat) : Nat :=
  if budget == 0 then 0 else
    match e with
    | .app f x => left x (left f (budget - 1))
    | .lam _ t b _ => left b (left t (budget - 1))
    | .forallE _ t b _ => left b (left t (budget - 1))
    | .letE _ t v b _ => left b (left v (left t (budget - 1)))
    | .mdata _ e => left e (budget - 1)
    | .proj _ _ e => left e (budget - 1)
    | _ => budget - 1

/-- An expression, or nothing when it has more than 200,000 nodes. -/
def boundedExprJson (e : Expr) : Json := if left e 200001 == 0 then .null else exprJson e

/-! ## Messages -/

def severityText : MessageSeverity → String
  | .information => "information"
  | .warning => "warning"
  | .error => "error"

def isError (m : Message) : Bool :=
  match m.severity with
  | .error => true
  | _ => false

def messageJson (m : Message) : IO Json := do
  let said ← m.data.toString
  let endLine := match m.endPos with
    | some p => nat p.line
    | none => .null
  return Json.mkObj [("severity", .str (severityText m.severity)), ("text", .str said),
    ("line", nat m.pos.line), ("column", nat m.pos.column), ("endLine", endLine)]

partial def pushMessages (found : Array Message) (errorsOnly : Bool) (i : Nat) (out : Array Json) :
    IO (Array Json) :=
  if h : i < found.size then do
    let m := found[i]
    if errorsOnly && !isError m then pushMessages found errorsOnly (i + 1) out
    else pushMessages found errorsOnly (i + 1) (out.push (← messageJson m))
  else return out

partial def pushAll (found : Array Message) (i : Nat) (out : Array Message) : Array Message :=
  if h : i < found.size then pushAll found (i + 1) (out.push found[i]) else out

partial def firstError (found : Array Message) (i : Nat) : Option Message :=
  if h : i < found.size then
    if isError found[i] then some found[i] else firstError found (i + 1)
  else none

/-! ## Commands -/

/-- The commands of a text that ran: the state behind them, and what Lean said. -/
structure Ran where
  state : Command.State
  messages : Array Message

def currentScope (state : Command.State) : Command.Scope :=
  match state.scopes with
  | scope :: _ => scope
  | [] => { header := "" }

/-- One command, parsed in the scope of a state. -/
def parseOne (input : Parser.InputContext) (state : Command.State)
    (at_ : Parser.ModuleParserState) : Syntax × Parser.ModuleParserState × MessageLog :=
  let scope := currentScope state
  let place : Parser.ParserModuleContext := {
    env := state.env
    options := scope.opts
    currNamespace := scope.currNamespace
    openDecls := scope.openDecls
  }
  Parser.parseCommand input place at_ {}

def elaborate (input : Parser.InputContext) (stx : Syntax) (state : Command.State) :
    IO Command.State := do
  let commandState := { state with messages := {} }
  let frontend ← IO.mkRef ({ commandState, parserState := {}, cmdPos := 0 } : Frontend.State)
  Frontend.elabCommandAtFrontend stx { inputCtx := input } frontend
  return (← frontend.get).commandState

def isEnd (stx : Syntax) : Bool := stx.getKind == `Lean.Parser.Command.eoi

/--
Runs the commands of a text. `allowed` looks at each before it runs, and the first one that it
turns down ends the run; `watch` is told each one with the environments before and after it.
-/
partial def run (input : Parser.InputContext) (state : Command.State)
    (at_ : Parser.ModuleParserState) (said : Array Message) (allowed : Syntax → IO Bool)
    (watch : Syntax → Environment → Environment → IO Unit) : IO Ran := do
  let (stx, next, log) := parseOne input state at_
  let said := pushAll log.toArray 0 said
  if !(← allowed stx) then return { state, messages := said }
  let after ← elaborate input stx state
  let said := pushAll after.messages.toArray 0 said
  watch stx state.env after.env
  if isEnd stx then return { state := after, messages := said }
  run input after next said allowed watch

def anything (_ : Syntax) : IO Bool := return true

def unseen (_ : Syntax) (_ _ : Environment) : IO Unit := return ()

def inputOf (s : String) : Parser.InputContext := by
  first
  | exact { inputString := s, fileName := "<input>", fileMap := s.toFileMap, endPos := s.rawEndPos }
  | exact Parser.mkInputContext s "<input>"

def runText (state : Command.State) (s : String) : IO Ran :=
  run (inputOf s) state {} #[] anything unseen

/-! ## Syntax -/

/-- Kinds of syntax below a tree, and the options that it sets. -/
structure Inventory where
  seen : NameSet := {}
  kinds : Array Name := #[]
  options : Array Name := #[]

def setsOption (kind : Name) : Bool :=
  kind == `Lean.Parser.Command.set_option || kind == `Lean.Parser.Term.set_option
    || kind == `Lean.Parser.Tactic.set_option

mutual

partial def inventory (stx : Syntax) (found : Inventory) : Inventory :=
  match stx with
  | .node _ kind children =>
    let found := if found.seen.contains kind then found else
      { found with seen := found.seen.insert kind, kinds := found.kinds.push kind }
    let found := if setsOption kind then
      { found with options := found.options.push (stx.getArg 1).getId } else found
    inventoryAll children 0 found
  | _ => found

partial def inventoryAll (children : Array Syntax) (i : Nat) (found : Inventory) : Inventory :=
  if h : i < children.size then inventoryAll children (i + 1) (inventory children[i] found)
  else found

end

def startsAt (stx : Syntax) (byte : Nat) : Bool :=
  match stx.getPos? with
  | some p => p.byteIdx == byte
  | none => false

def endsAt (stx : Syntax) (byte : Nat) : Bool :=
  match stx.getTailPos? with
  | some p => p.byteIdx == byte
  | none => false

/-- Where the verifier put the parts of a theorem, in bytes. -/
structure Places where
  nameStart : Nat
  nameEnd : Nat
  signatureEnd : Nat
  valueStart : Nat

/-- Why a parsed command is not the theorem that was written down, or `none` if it is. -/
def difference (stx : Syntax) (places : Places) : Option String :=
  let declaration := stx.getArg 1
  let kind := stx.getKind
  if kind != `Lean.Parser.Command.declaration then some ("a command of kind " ++ nameText kind)
  else if (stx.getArg 0).getPos?.isSome then some "modifiers before the theorem"
  else if declaration.getKind != `Lean.Parser.Command.theorem then
    some ("a declaration of kind " ++ nameText declaration.getKind)
  else if !(startsAt (declaration.getArg 1) places.nameStart
      && endsAt (declaration.getArg 1) places.nameEnd) then
    some "the name reaches beyond its place"
  else if !(endsAt (declaration.getArg 2) places.signatureEnd) then
    some "the statement does not end where its text ends"
  else if !(startsAt (declaration.getArg 3) places.valueStart) then
    some "the proof begins elsewhere"
  else none

def faultJson (kind said : String) : Json := Json.mkObj [("kind", .str kind), ("text", .str said)]

/-- A candidate as Lean's parser reads it; without a fault it is one theorem. -/
structure Shape where
  source : String
  fault : Option Json
  declared : Name
  found : Inventory

def faultOf (input : Parser.InputContext) (state : Command.State) (places : Places)
    (stx : Syntax) (next : Parser.ModuleParserState) (log : MessageLog) : IO (Option Json) := do
  if let some e := firstError log.toArray 0 then
    return some (faultJson "parse" (← e.data.toString))
  if let some why := difference stx places then return some (faultJson "shape" why)
  let (rest, _, log) := parseOne input state next
  if let some e := firstError log.toArray 0 then
    return some (faultJson "parse" (← e.data.toString))
  if isEnd rest then return none
  return some (faultJson "shape" ("a second command of kind " ++ nameText rest.getKind))

/-- The full name that a theorem of this syntax gets. -/
def declaredName (state : Command.State) (stx : Syntax) : Name :=
  let id := (((stx.getArg 1).getArg 1).getArg 0).getId
  if (`_root_).isPrefixOf id then id.replacePrefix `_root_ .anonymous
  else (currentScope state).currNamespace ++ id

def shape (state : Command.State) (name signature value : String) : IO Shape := do
  let head := "theorem " ++ name ++ " "
  let source := head ++ signature ++ " := " ++ value ++ "\n"
  let signatureEnd := head.utf8ByteSize + signature.utf8ByteSize
  let nameEnd := 8 + name.utf8ByteSize
  let valueStart := signatureEnd + 1
  let places : Places := { nameStart := 8, nameEnd, signatureEnd, valueStart }
  let input := inputOf source
  let (stx, next, log) := parseOne input state {}
  let fault ← faultOf input state places stx next log
  if fault.isSome then return { source, fault, declared := .anonymous, found := {} }
  return { source, fault, declared := declaredName state stx, found := inventory stx {} }

partial def isForbidden (kinds : Array Name) (forbidden : Array Json) (i : Nat) : Bool :=
  if h : i < kinds.size then
    contains forbidden (nameText kinds[i]) 0 || isForbidden kinds forbidden (i + 1)
  else false

/-! ## Constants -/

def kindText : ConstantInfo → String
  | .axiomInfo _ => "axiom"
  | .defnInfo _ => "definition"
  | .thmInfo _ => "theorem"
  | .opaqueInfo _ => "opaque"
  | .quotInfo _ => "quotient"
  | .inductInfo _ => "inductive"
  | .ctorInfo _ => "constructor"
  | .recInfo _ => "recursor"

def isTheorem : ConstantInfo → Bool
  | .thmInfo _ => true
  | _ => false

def safetyText (info : ConstantInfo) : String :=
  if info.isUnsafe then "unsafe" else if info.isPartial then "partial" else "safe"

def isSafe (info : ConstantInfo) : Bool := !info.isUnsafe && !info.isPartial

def valueOf : ConstantInfo → Option Expr
  | .defnInfo v => some v.value
  | .thmInfo v => some v.value
  | .opaqueInfo v => some v.value
  | _ => none

partial def pushNew (found : Array Name) (i : Nat) (out : Array Name) : Array Name :=
  if h : i < found.size then pushNew found (i + 1) (out.push found[i]) else out

def valueMentions (info : ConstantInfo) : Array Name :=
  match valueOf info with
  | some v => v.getUsedConstants
  | none => #[]

/-- Constants that a declaration mentions, in its type and in its value. -/
def mentions (info : ConstantInfo) : Array Name :=
  pushNew (valueMentions info) 0 info.type.getUsedConstants

def describe (env : Environment) (name : Name) (info : ConstantInfo) : Json :=
  Json.mkObj [("name", nameJson name), ("kind", .str (kindText info)),
    ("safety", .str (safetyText info)), ("internal", .bool name.isInternalDetail),
    ("reserved", .bool (isReservedName env name))]

partial def pushDescribed (env : Environment) (names : Array Name) (i : Nat) (out : Array Json) :
    Array Json :=
  if h : i < names.size then
    let out := match env.find? names[i] with
      | some info => out.push (describe env names[i] info)
      | none => out
    pushDescribed env names (i + 1) out
  else out

/-- A map of constants as it lies in memory. -/
abbrev Node := PersistentHashMap.Node Name ConstantInfo

def isNew (before : Environment) (name : Name) : Bool := !before.constants.contains name

mutual

/-- Pushes the names of a map that are not in the part of it that an older map shares. -/
unsafe def pushDifference (before : Environment) (old : Option Node) (now : Node)
    (out : Array Name) : Array Name :=
  match now with
  | .collision names _ _ => pushFresh before names 0 out
  | .entries now => match old with
    | some (.entries old) => pushEntries before old now 0 out
    | _ => pushEntries before #[] now 0 out

unsafe def pushEntries (before : Environment) (old now : Array (PersistentHashMap.Entry Name
    ConstantInfo Node)) (i : Nat) (out : Array Name) : Array Name :=
  if h : i < now.size then
    let was := if h : i < old.size then some old[i] else none
    let out := match now[i], was with
      | .null, _ => out
      | .entry name _, _ => if isNew before name then out.push name else out
      | .ref node, some (.ref other) =>
        if ptrAddrUnsafe node == ptrAddrUnsafe other then out
        else pushDifference before (some other) node out
      | .ref node, _ => pushDifference before none node out
    pushEntries before old now (i + 1) out
  else out

unsafe def pushFresh (before : Environment) (names : Array Name) (i : Nat) (out : Array Name) :
    Array Name :=
  if h : i < names.size then
    pushFresh before names (i + 1) (if isNew before names[i] then out.push names[i] else out)
  else out

end

unsafe def addedUnsafe (before after : Environment) : Array Name :=
  pushDifference before (some before.constants.map₂.root) after.constants.map₂.root #[]

/-- Constants of the second environment that the first does not have. -/
@[implemented_by addedUnsafe] opaque added (before after : Environment) : Array Name

partial def among (names : Array Name) (name : Name) (i : Nat) : Bool :=
  if h : i < names.size then names[i] == name || among names name (i + 1) else false

/-! ## What a constant rests on -/

/-- The environment behind the imports, which no candidate has touched, and what was found in it. -/
structure Library where
  env : Environment
  /-- Imported constants whose axioms were found. -/
  known : IO.Ref NameSet
  /-- Axioms, and for each the imported constants that rest on it. -/
  axioms : IO.Ref (Array Name)
  resting : IO.Ref (Array NameSet)

/-- Opaque functions that the kernel computes by running compiled code. -/
def isCompiled (name : Name) : Bool := name == `Lean.reduceBool || name == `Lean.reduceNat

/-- Without its proof an imported theorem looks like an axiom; Lean remembers what it was. -/
def wasAxiom (env : Environment) (name : Name) : Bool :=
  match (by first | exact getOriginalConstKind? env name | exact some ConstantKind.axiom) with
  | some ConstantKind.axiom => true
  | some _ => false
  | none => true

/-- A set of axioms: which of the axioms found so far are in it. -/
abbrev Bits := Nat

partial def positionOf (axioms : Array Name) (name : Name) (i : Nat) : Nat :=
  if h : i < axioms.size then if axioms[i] == name then i else positionOf axioms name (i + 1)
  else axioms.size

/-- The set of one axiom. -/
def axiomBit (library : Library) (name : Name) : IO Bits := do
  let axioms ← library.axioms.get
  let at_ := positionOf axioms name 0
  if at_ == axioms.size then
    library.axioms.set (axioms.push name)
    library.resting.set ((← library.resting.get).push {})
  return Nat.shiftLeft 1 at_

partial def bitsOf (resting : Array NameSet) (name : Name) (i : Nat) (bits : Bits) : Bits :=
  if h : i < resting.size then
    let bits := if resting[i].contains name then Nat.lor bits (Nat.shiftLeft 1 i) else bits
    bitsOf resting name (i + 1) bits
  else bits

partial def bitsOfAll (resting : Array NameSet) (names : Array Name) (i : Nat) (bits : Bits) :
    Bits :=
  if h : i < names.size then
    bitsOfAll resting names (i + 1) (bitsOf resting names[i] 0 bits)
  else bits

partial def restsOn (name : Name) (bits : Bits) (i : Nat) (resting : Array NameSet) :
    Array NameSet :=
  if h : i < resting.size then
    if Nat.testBit bits i then
      restsOn name bits (i + 1) (resting.set i (resting[i].insert name) h)
    else restsOn name bits (i + 1) resting
  else resting

/-- The first type of the family of an inductive type, of a constructor or of a recursor. -/
def familyHead (env : Environment) (info : ConstantInfo) : Name :=
  match info with
  | .inductInfo v => v.all.headD v.name
  | .ctorInfo v => match env.find? v.induct with
    | some (.inductInfo i) => i.all.headD v.induct
    | _ => v.induct
  | .recInfo v => v.all.headD v.name
  | info => info.name

mutual

/-- What the types and constructors of a family mention. -/
partial def familyMentions (env : Environment) (all : List Name) (out : Array Name) : Array Name :=
  match all with
  | [] => out
  | name :: rest =>
    match env.find? name with
    | some (.inductInfo v) =>
      let out := pushNew v.type.getUsedConstants 0 out
      familyMentions env rest (constructorMentions env v.ctors out)
    | _ => familyMentions env rest out

partial def constructorMentions (env : Environment) (names : List Name) (out : Array Name) :
    Array Name :=
  match names with
  | [] => out
  | name :: rest =>
    match env.find? name with
    | some info => constructorMentions env rest (pushNew info.type.getUsedConstants 0 out)
    | none => constructorMentions env rest out

end

/-- What comes before a constant, its own family aside: a family is one node. -/
def below (env : Environment) (info : ConstantInfo) : Array Name :=
  match info with
  | .inductInfo v => familyMentions env v.all #[]
  | _ => mentions info

partial def pushUnknown (known : NameSet) (names : Array Name) (i : Nat)
    (out : List (Name × Bool)) : List (Name × Bool) :=
  if h : i < names.size then
    pushUnknown known names (i + 1)
      (if known.contains names[i] then out else (names[i], false) :: out)
  else out

/-- The axioms of one imported constant, after all below it. -/
def settle (library : Library) (name : Name) (info : ConstantInfo) : IO Unit := do
  let isAxiom := match info with
    | .axiomInfo _ => isCompiled name || wasAxiom library.env name
    | _ => isCompiled name
  let own ← if isAxiom then axiomBit library name else pure 0
  let resting ← library.resting.get
  let bits := bitsOf resting (familyHead library.env info) 0 own
  library.resting.set (restsOn name (bitsOfAll resting (below library.env info) 0 bits) 0 resting)

/--
Finds the axioms of imported constants: each is visited once in the life of the process, first to
be opened, and again when all below it is known. On a Lean whose library carries its proofs these
are walked as well.
-/
partial def walkImported (library : Library) (pending : List (Name × Bool)) : IO Unit := do
  match pending with
  | [] => return ()
  | (name, opened) :: rest =>
    let known ← library.known.get
    if !opened && known.contains name then walkImported library rest
    else match library.env.find? name with
      | none =>
        library.known.set (known.insert name)
        let bits ← axiomBit library name -- unknown to the environment: the audit must see it
        library.resting.set (restsOn name bits 0 (← library.resting.get))
        walkImported library rest
      | some info =>
        if opened then
          settle library name info
          walkImported library rest
        else
          library.known.set (known.insert name)
          let next := pushUnknown known (below library.env info) 0 ((name, true) :: rest)
          walkImported library ((familyHead library.env info, false) :: next)

partial def pushBits (axioms : Array Name) (bits : Nat) (i : Nat) (out : NameSet) : NameSet :=
  if h : i < axioms.size then
    pushBits axioms bits (i + 1) (if Nat.testBit bits i then out.insert axioms[i] else out)
  else out

/-- What constants rest on: axioms, and unsafe or partial declarations on the way. -/
structure Foundations where
  seen : NameSet := {}
  axioms : NameSet := {}
  unsafe_ : NameSet := {}

def importedAxioms (library : Library) (name : Name) (found : NameSet) : IO NameSet := do
  walkImported library [(name, false)]
  let bits := bitsOf (← library.resting.get) name 0 0
  return pushBits (← library.axioms.get) bits 0 found

def constructorsOf : ConstantInfo → List Name
  | .inductInfo v => v.ctors
  | _ => []

partial def pushPending (names : Array Name) (i : Nat) (out : List Name) : List Name :=
  if h : i < names.size then pushPending names (i + 1) (names[i] :: out) else out

/-- Walks through local declarations as `find` finds them, and from there into the library. -/
partial def foundations (library : Library) (find : Name → Option ConstantInfo)
    (pending : List Name) (found : Foundations) : IO Foundations := do
  match pending with
  | [] => return found
  | name :: rest =>
    if found.seen.contains name then foundations library find rest found
    else
      let found := { found with seen := found.seen.insert name }
      if library.env.constants.contains name then
        let axioms ← importedAxioms library name found.axioms
        foundations library find rest { found with axioms }
      else match find name with
        | none => -- unknown to the environment: the audit must see it
          foundations library find rest { found with axioms := found.axioms.insert name }
        | some info =>
          let found := match info with
            | .axiomInfo _ => { found with axioms := found.axioms.insert name }
            | _ => found
          let found := if isSafe info then found else
            { found with unsafe_ := found.unsafe_.insert name }
          let next := pushPending (mentions info) 0 rest
          let next := pushPending (pushNameList (constructorsOf info) #[]) 0 next
          foundations library find next found

/-- Constants that a proof uses; auxiliaries of the proof itself are looked through. -/
partial def premises (env : Environment) (new : Array Name) (pending : List Name) (seen : NameSet)
    (found : Array Name) : Array Name :=
  match pending with
  | [] => found
  | name :: rest =>
    if seen.contains name then premises env new rest seen found
    else
      let seen := seen.insert name
      if among new name 0 then
        match env.find? name with
        | some info => premises env new (pushPending (valueMentions info) 0 rest) seen found
        | none => premises env new rest seen found
      else premises env new rest seen (found.push name)

/-! ## The kernel's second look -/

/--
A kernel environment that has grown from the imports through checked declarations alone, so that
nothing is in it that an elaborator has added unchecked.
-/
structure Kernel_ where
  checked : IO.Ref Kernel.Environment
  refused : IO.Ref (List (Name × String))

def copied (kernel : Kernel_) : IO Kernel_ := do
  let checked ← IO.mkRef (← kernel.checked.get)
  let refused ← IO.mkRef (← kernel.refused.get)
  return { checked, refused }

def refusalOf (refused : List (Name × String)) (name : Name) : Option String :=
  match refused with
  | [] => none
  | (other, why) :: rest => if other == name then some why else refusalOf rest name

def refusalText : Kernel.Exception → String
  | .unknownConstant .. => "unknownConstant"
  | .alreadyDeclared .. => "alreadyDeclared"
  | .declTypeMismatch .. => "declTypeMismatch"
  | .declHasMVars .. => "declHasMVars"
  | .declHasFVars .. => "declHasFVars"
  | .funExpected .. => "funExpected"
  | .typeExpected .. => "typeExpected"
  | .letTypeMismatch .. => "letTypeMismatch"
  | .exprTypeMismatch .. => "exprTypeMismatch"
  | .appTypeMismatch .. => "appTypeMismatch"
  | .invalidProj .. => "invalidProj"
  | .deterministicTimeout => "deterministicTimeout"
  | .excessiveMemory => "excessiveMemory"
  | .deepRecursion => "deepRecursion"
  | .interrupted => "interrupted"
  | _ => "other"

partial def constructors (env : Environment) (names : List Name) : List Constructor :=
  match names with
  | [] => []
  | name :: rest =>
    match env.find? name with
    | some info => { name, type := info.type } :: constructors env rest
    | none => constructors env rest

partial def inductiveTypes (env : Environment) (names : List Name) : List InductiveType :=
  match names with
  | [] => []
  | name :: rest =>
    match env.find? name with
    | some (.inductInfo v) =>
      { name, type := v.type, ctors := constructors env v.ctors } :: inductiveTypes env rest
    | _ => inductiveTypes env rest

/-- A declaration that makes a constant, or `none` where it is not safe or not made so. -/
def declarationOf (env : Environment) (info : ConstantInfo) : Option Declaration :=
  if !isSafe info then none else
    match info with
    | .axiomInfo v => some (.axiomDecl v)
    | .defnInfo v => some (.defnDecl v)
    | .thmInfo v => some (.thmDecl v)
    | .opaqueInfo v => some (.opaqueDecl v)
    | .inductInfo v => some (.inductDecl v.levelParams v.numParams (inductiveTypes env v.all) false)
    | _ => none

def addToKernel (kernel : Kernel_) (env : Environment) (name : Name) (info : ConstantInfo) :
    IO (Option String) := do
  match declarationOf env info with
  | none => return some (nameText name ++ ": " ++ safetyText info ++ " " ++ kindText info)
  | some declaration =>
    match (← kernel.checked.get).addDecl {} declaration with
    | .ok checked => kernel.checked.set checked; return none
    | .error e => return some (nameText name ++ ": " ++ refusalText e)

mutual

/-- Adds a constant, and before it what it mentions; says why it was refused, or nothing. -/
partial def place (kernel : Kernel_) (env : Environment) (open_ : NameSet) (name : Name) :
    IO (Option String) := do
  if let some why := refusalOf (← kernel.refused.get) name then return some why
  if ((← kernel.checked.get).find? name).isSome then return none
  if open_.contains name then return some (nameText name ++ ": it rests on itself")
  let why ← placeNew kernel env (open_.insert name) name
  if let some text := why then kernel.refused.set ((name, text) :: (← kernel.refused.get))
  return why

partial def placeNew (kernel : Kernel_) (env : Environment) (open_ : NameSet) (name : Name) :
    IO (Option String) := do
  match env.find? name with
  | none => return some (nameText name ++ ": unknownConstant")
  | some info =>
    let head := familyHead env info
    if head != name then
      if let some why ← place kernel env open_ head then return some why
      if ((← kernel.checked.get).find? name).isSome then return none
      return some (nameText name ++ ": the kernel does not make it")
    if let some why ← placeAll kernel env open_ name (below env info) 0 then return some why
    addToKernel kernel env name info

partial def placeAll (kernel : Kernel_) (env : Environment) (open_ : NameSet) (head : Name)
    (names : Array Name) (i : Nat) : IO (Option String) := do
  if h : i < names.size then
    let own := match env.find? names[i], env.find? head with
      | some info, some (.inductInfo _) => familyHead env info == head
      | _, _ => false
    if !own then
      if let some why ← place kernel env open_ names[i] then return some why
    placeAll kernel env open_ head names (i + 1)
  else return none

end

/-- Hands the safe ones among constants to the kernel; returns why it refused some of them. -/
partial def replayAll (kernel : Kernel_) (env : Environment) (names : Array Name) (i : Nat)
    (out : Array Json) : IO (Array Json) := do
  if h : i < names.size then
    match env.find? names[i] with
    | some info =>
      if !isSafe info then replayAll kernel env names (i + 1) out
      else match ← place kernel env {} names[i] with
        | some why => replayAll kernel env names (i + 1) (out.push (.str why))
        | none => replayAll kernel env names (i + 1) out
    | none => replayAll kernel env names (i + 1) out
  else return out

/-! ## Modules -/

/-- A place where candidates are checked: what is below them, and the kernel's view of it. -/
structure Place where
  library : Library
  env : Environment
  kernel : Kernel_

def freshState (env : Environment) : Command.State := Command.mkState env {} {}

partial def importsOf (names : Array Json) (i : Nat) (out : Array Import) : Array Import :=
  if h : i < names.size then
    match names[i] with
    | .str s => importsOf names (i + 1) (out.push { module := s.toName })
    | _ => importsOf names (i + 1) out
  else out

unsafe def importAll (names : Array Json) : IO Place := do
  enableInitializersExecution
  let env ← importModules (importsOf names 0 #[]) {} (trustLevel := 1024) (loadExts := true)
  let library : Library := {
    env
    known := ← IO.mkRef {}
    axioms := ← IO.mkRef #[]
    resting := ← IO.mkRef #[]
  }
  let kernel : Kernel_ := { checked := ← IO.mkRef env.toKernelEnv, refused := ← IO.mkRef [] }
  return { library, env, kernel }

mutual

/-- The names so that each comes after those of them that it mentions. -/
partial def inOrder (env : Environment) (names : Array Name) (i : Nat) (out : Array Name) :
    Array Name :=
  if h : i < names.size then inOrder env names (i + 1) (putInOrder env names names[i] out)
  else out

partial def putInOrder (env : Environment) (names : Array Name) (name : Name) (out : Array Name) :
    Array Name :=
  if among out name 0 then out
  else match env.find? name with
    | some info => (putBelow env names name (mentions info) 0 out).push name
    | none => out

partial def putBelow (env : Environment) (names : Array Name) (name : Name) (found : Array Name)
    (i : Nat) (out : Array Name) : Array Name :=
  if h : i < found.size then
    let below := found[i] != name && among names found[i] 0
    putBelow env names name found (i + 1) (if below then putInOrder env names found[i] out else out)
  else out

end

def spanJson (stx : Syntax) : Json :=
  match stx.getPos?, stx.getTailPos? with
  | some a, some b => .arr #[nat a.byteIdx, nat b.byteIdx]
  | _, _ => .null

partial def pushDeclared (command : Syntax) (names : Array Name) (i : Nat) (out : Array Json) :
    Array Json :=
  if h : i < names.size then
    pushDeclared command names (i + 1) (out.push (Json.mkObj [("name", nameJson names[i]),
      ("command", nameJson command.getKind), ("span", spanJson command)]))
  else out

/-- A module body behind some commands that open its scope, each constant replayed at once. -/
def elaborateModule (at_ : Place) (scope s : String) (start : Nat) : IO (Place × Json × Bool) := do
  let kernel ← copied at_.kernel
  let opened ← runText (freshState at_.env) scope
  let declarations ← IO.mkRef (#[] : Array Json)
  let refused ← IO.mkRef (#[] : Array Json)
  let watch (stx : Syntax) (before after : Environment) : IO Unit := do
    let names := inOrder after (added before after) 0 #[]
    declarations.set (pushDeclared stx names 0 (← declarations.get))
    refused.set (← replayAll kernel after names 0 (← refused.get))
  let ran ← run (inputOf s) opened.state { pos := ⟨start⟩ } #[] anything watch
  let facts := Json.mkObj [("messages", .arr (← pushMessages ran.messages false 0 #[])),
    ("declarations", .arr (← declarations.get)), ("refused", .arr (← refused.get))]
  return ({ at_ with env := ran.state.env, kernel }, facts, (firstError ran.messages 0).isSome)

/-- A body that fails is tried again with every definition `noncomputable`. -/
def extend (at_ : Place) (s : String) (start : Nat) : IO (Place × Json) := do
  let (first, facts, failed) ← elaborateModule at_ "" s start
  if !failed then return (first, facts)
  let (second, again, failed) ← elaborateModule at_ "noncomputable section\n" s start
  return if failed then (first, facts) else (second, again)

/-! ## Candidates -/

/-- The scope behind context commands, and the facts about them. -/
structure Context where
  source : String
  state : Command.State
  facts : List (String × Json)
  isForeign : Bool

def openContext (at_ : Place) (source : String) (kinds : Array Json) : IO Context := do
  let options ← IO.mkRef (#[] : Array Name)
  let foreign ← IO.mkRef (none : Option Name)
  let allowed (stx : Syntax) : IO Bool := do
    options.set (pushNew (inventory stx {}).options 0 (← options.get))
    let kind := stx.getKind
    if isEnd stx || contains kinds (nameText kind) 0 then return true
    foreign.set (some kind)
    return false
  let ran ← run (inputOf source) (freshState at_.env) {} #[] allowed unseen
  let withoutInit := (ran.state.env.getModuleIdx? `Init).isNone
  let foreignJson := match ← foreign.get with
    | some kind => nameJson kind
    | none => .null
  let facts := [("withoutInit", .bool withoutInit),
    ("contextMessages", .arr (← pushMessages ran.messages true 0 #[])),
    ("contextAdded", namesJson (added at_.env ran.state.env)),
    ("contextForeign", foreignJson), ("contextOptions", namesJson (← options.get))]
  return { source, state := ran.state, facts, isForeign := (← foreign.get).isSome }

def joined (one other : List (String × Json)) : List (String × Json) :=
  match one with
  | [] => other
  | fact :: rest => fact :: joined rest other

def shapeFacts (s : Shape) : List (String × Json) :=
  [("fault", s.fault.getD .null), ("kinds", namesJson s.found.kinds),
    ("options", namesJson s.found.options)]

/-- A statement that became a theorem, proved by `sorry`. -/
structure Stated where
  name : Name
  info : ConstantInfo

/-- Elaborates a statement alone. Text with forbidden syntax is not elaborated. -/
def state (context : Context) (name signature : String) (forbidden : Array Json) :
    IO (Json × Option Stated) := do
  if context.isForeign then return (Json.mkObj (("fault", .null) :: context.facts), none)
  let s ← shape context.state name signature "sorry"
  let facts := joined (shapeFacts s) context.facts
  if s.fault.isSome || isForbidden s.found.kinds forbidden 0 then return (Json.mkObj facts, none)
  let ran ← runText context.state s.source
  let new := added context.state.env ran.state.env
  let facts := ("messages", .arr (← pushMessages ran.messages false 0 #[]))
    :: ("added", namesJson new) :: facts
  match if among new s.declared 0 then ran.state.env.find? s.declared else none with
  | none => return (Json.mkObj facts, none)
  | some info =>
    let facts := ("name", nameJson s.declared) :: ("kind", .str (kindText info))
      :: ("levelParams", namesJson (pushNameList info.levelParams #[]))
      :: ("type", boundedExprJson info.type)
      :: ("constants", namesJson info.type.getUsedConstants) :: ("statement", nat 0) :: facts
    return (Json.mkObj facts, some { name := s.declared, info })

partial def sameNames (one other : List Name) : Bool :=
  match one, other with
  | [], [] => true
  | a :: as, b :: bs => a == b && sameNames as bs
  | _, _ => false

/-- Equal types, up to names of bound variables, and equal universe parameters. -/
def sameStatement (one other : ConstantInfo) : Bool :=
  Expr.eqv one.type other.type && sameNames one.levelParams other.levelParams

partial def setNames (set : List Name) (out : Array Name) : Array Name := pushNameList set out

/-- The kernel's word on a theorem and all below it, and the axioms in the kernel's own view. -/
def verdict (at_ : Place) (env : Environment) (name : Name) (found : Foundations) :
    IO (String × Foundations) := do
  let kernel ← copied at_.kernel
  match env.find? name with
  | none => return (nameText name ++ ": unknownConstant", found)
  | some info =>
    if !isSafe info then return (nameText name ++ ": not safe", found)
    match ← place kernel env {} name with
    | some why => return (why, found)
    | none =>
      let checked ← kernel.checked.get
      let again ← foundations at_.library (fun n => checked.find? n) [name]
        { axioms := found.axioms, unsafe_ := found.unsafe_ }
      return ("accepted", again)

/-- Elaborates a proof of a statement. Text with forbidden syntax is not elaborated. -/
def prove (at_ : Place) (context : Context) (stated : Stated) (task : Json) (proof : String)
    (forbidden : Array Json) : IO Json := do
  let s ← shape context.state (text task "name") (text task "signature") proof
  let facts := ("name", nameJson stated.name) :: shapeFacts s
  if s.fault.isSome || isForbidden s.found.kinds forbidden 0 then return Json.mkObj facts
  let ran ← runText context.state s.source
  let env := ran.state.env
  let facts := ("messages", .arr (← pushMessages ran.messages false 0 #[])) :: facts
  if (firstError ran.messages 0).isSome then return Json.mkObj facts
  let new := added context.state.env env
  let facts := ("added", .arr (pushDescribed env new 0 #[])) :: facts
  match env.find? stated.name with
  | none => return Json.mkObj (("present", .bool false) :: facts)
  | some info =>
    let found ← foundations at_.library (fun n => env.find? n) [stated.name] {}
    let (word, found) ← if flag task "replay" then verdict at_ env stated.name found
      else pure ("", found)
    let used := premises env new [stated.name] {} #[]
    return Json.mkObj (("present", .bool true) :: ("kind", .str (kindText info))
      :: ("typeMatches", .bool (sameStatement info stated.info))
      :: ("axioms", namesJson (pushNameList found.axioms.toList #[]))
      :: ("unsafe", namesJson (pushNameList found.unsafe_.toList #[]))
      :: ("premises", namesJson used)
      :: ("replay", if word == "" then .null else .str word) :: facts)

/-! ## Requests -/

/-- Where answers go: the standard output of before any candidate could exchange it. -/
structure Port where
  out : IO.FS.Stream
  nonce : String

def Port.send (port : Port) (answer : List (String × Json)) : IO Unit := do
  port.out.putStr ("\n" ++ port.nonce ++ (Json.mkObj answer).compress ++ "\n")
  port.out.flush

partial def proveAll (port : Port) (at_ : Place) (context : Context) (stated : Stated)
    (task : Json) (forbidden proofs : Array Json) (number i : Nat) : IO Unit := do
  if h : i < proofs.size then
    let proof := match proofs[i] with
      | .str s => s
      | _ => ""
    port.send [("begin", nat number), ("proof", nat i)]
    let facts ← prove at_ context stated task proof forbidden
    port.send [("task", nat number), ("proof", nat i), ("facts", facts)]
    proveAll port at_ context stated task forbidden proofs number (i + 1)
  else return ()

def answer (port : Port) (at_ : Place) (request task : Json) (context : Context) (number : Nat) :
    IO Unit := do
  let forbidden := items request "forbidden"
  let (facts, stated) ← state context (text task "name") (text task "signature") forbidden
  port.send [("task", nat number), ("facts", facts)]
  if let some stated := stated then
    proveAll port at_ context stated task forbidden (items task "proofs") number 0

/-- The scope of the last task again, where the next one has the same. -/
def contextOf (at_ : Place) (request : Json) (source : String) (last : Option Context) :
    IO Context := do
  if let some known := last then
    if known.source == source then return known
  openContext at_ source (items request "contextKinds")

partial def answerAll (port : Port) (at_ : Place) (request : Json) (tasks : Array Json)
    (last : Option Context) (number : Nat) : IO Unit := do
  if h : number < tasks.size then
    let task := tasks[number]
    port.send [("begin", nat number)]
    let source := text task "context"
    let context ← contextOf at_ request source last
    if flag task "commands" then
      let ran ← runText context.state (text task "text")
      port.send [("task", nat number), ("facts", Json.mkObj
        [("foreign", .bool context.isForeign),
          ("messages", .arr (← pushMessages ran.messages false 0 #[]))])]
    else answer port at_ request task context number
    answerAll port at_ request tasks (some context) (number + 1)
  else return ()

partial def extendAll (port : Port) (at_ : Place) (chain : Array Json) (i : Nat) : IO Place := do
  if h : i < chain.size then
    port.send [("begin", nat i), ("link", .bool true)]
    let (next, facts) ← extend at_ (text chain[i] "text") (natural chain[i] "start")
    port.send [("link", nat i), ("facts", facts)]
    extendAll port next chain (i + 1)
  else return at_

partial def pushImports (found : Array Import) (i : Nat) (out : Array Json) : Array Json :=
  if h : i < found.size then pushImports found (i + 1) (out.push (nameJson found[i].module))
  else out

def header (port : Port) (s : String) : IO Unit := do
  let (stx, next, log) ← Parser.parseHeader (inputOf s)
  port.send [("header", Json.mkObj [("imports", .arr (pushImports (headerToImports stx) 0 #[])),
    ("bodyStart", nat next.pos.byteIdx),
    ("messages", .arr (← pushMessages log.toArray false 0 #[]))])]

/-- Environments upon the same imports, one after the other, and the tasks in each. -/
partial def serveAll (port : Port) (at_ : Place) (request : Json) (groups : Array Json) (i : Nat) :
    IO Unit := do
  if h : i < groups.size then
    port.send [("group", nat i)]
    let place ← extendAll port at_ (items groups[i] "chain") 0
    answerAll port place request (items groups[i] "tasks") none 0
    serveAll port at_ request groups (i + 1)
  else return ()

unsafe def serve (port : Port) (request : Json) : IO Unit := do
  if flag request "header" then header port (text request "text")
  else
    let at_ ← importAll (items request "imports")
    port.send [("ready", .bool true)]
    serveAll port at_ request (items request "groups") 0
  port.send [("end", .bool true)]

/-- What candidates print on the standard streams goes nowhere. -/
def nowhere : IO.FS.Stream where
  flush := return ()
  read _ := return .empty
  write _ := return ()
  getLine := return ""
  putStr _ := return ()
  isTty := return false

unsafe def start (file : String) : IO Unit := do
  let source ← IO.FS.readFile file
  match Json.parse source with
  | .error why => throw (IO.userError why)
  | .ok request =>
    let port : Port := { out := ← IO.getStdout, nonce := text request "nonce" }
    let _ ← IO.setStdout nowhere
    let _ ← IO.setStderr nowhere
    try serve port request
    catch e => port.send [("fatal", .str e.toString)]

unsafe def command (args : List String) : IO Unit := do
  match args with
  | file :: _ => start file
  | [] => throw (IO.userError "usage: lean --run main.lean REQUEST")

end Lemmata
