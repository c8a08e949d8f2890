"""Theories for the prover's tests: true laws in dependency order, and laws that stay open.

A law of ``laws`` can be proved from the laws before it. A law of ``open_laws`` cannot: it is
false, or it needs a lemma that the theory does not offer.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Theory:
    """A module body, the context for its statements, and named signatures."""

    body: str
    context: str
    laws: tuple[tuple[str, str], ...]
    open_laws: tuple[str, ...]


NUMBERS = Theory(
    body="""
namespace Unary

inductive Num where
  | zero : Num
  | succ : Num → Num

open Num

def add : Num → Num → Num
  | zero, n => n
  | succ m, n => succ (add m n)

def mul : Num → Num → Num
  | zero, _ => zero
  | succ m, n => add n (mul m n)

def double : Num → Num
  | zero => zero
  | succ n => succ (succ (double n))

def le : Num → Num → Bool
  | zero, _ => true
  | succ _, zero => false
  | succ m, succ n => le m n

def even : Num → Bool
  | zero => true
  | succ zero => false
  | succ (succ n) => even n

def sub : Num → Num → Num
  | m, zero => m
  | zero, succ _ => zero
  | succ m, succ n => sub m n

def max : Num → Num → Num
  | zero, n => n
  | succ m, zero => succ m
  | succ m, succ n => succ (max m n)

end Unary
""",
    context="namespace Unary\nopen Num",
    laws=(
        ("add_zero", "(m : Num) : add m zero = m"),
        ("add_succ", "(m n : Num) : add m (succ n) = succ (add m n)"),
        ("add_comm", "(m n : Num) : add m n = add n m"),
        ("add_assoc", "(k m n : Num) : add (add k m) n = add k (add m n)"),
        ("add_left_comm", "(k m n : Num) : add k (add m n) = add m (add k n)"),
        ("double_eq_add", "(n : Num) : double n = add n n"),
        ("mul_zero", "(m : Num) : mul m zero = zero"),
        ("mul_succ", "(m n : Num) : mul m (succ n) = add m (mul m n)"),
        ("mul_comm", "(m n : Num) : mul m n = mul n m"),
        ("mul_add", "(k m n : Num) : mul k (add m n) = add (mul k m) (mul k n)"),
        ("mul_assoc", "(k m n : Num) : mul (mul k m) n = mul k (mul m n)"),
        ("le_refl", "(n : Num) : le n n = true"),
        ("le_succ", "(n : Num) : le n (succ n) = true"),
        ("le_add_left", "(m n : Num) : le m (add m n) = true"),
        ("le_trans", "(k m n : Num) (h : le k m = true) (g : le m n = true) : le k n = true"),
        ("le_antisymm", "(m n : Num) (h : le m n = true) (g : le n m = true) : m = n"),
        ("le_total", "(m n : Num) : le m n = true ∨ le n m = true"),
        ("even_double", "(n : Num) : even (double n) = true"),
        ("even_succ", "(n : Num) : even (succ n) = !even n"),
        ("sub_self", "(n : Num) : sub n n = zero"),
        ("add_sub_cancel", "(m n : Num) : sub (add m n) m = n"),
        ("max_comm", "(m n : Num) : max m n = max n m"),
        ("max_assoc", "(k m n : Num) : max (max k m) n = max k (max m n)"),
        ("max_self", "(n : Num) : max n n = n"),
    ),
    open_laws=(
        "(m n : Num) : mul m n = add m n",
        "(m n : Num) : le m n = le n m",
        "(k m n : Num) : sub k (sub m n) = sub (sub k m) n",
        "(m n : Num) : even (add m n) = even m",
        "(m n : Num) : max m n = add m n",
        "(k m n : Num) : mul k (max m n) = max (mul k m) n",
    ),
)

LISTS = Theory(
    body="""
universe u v

namespace Chains

inductive Chain (α : Type u) where
  | nil : Chain α
  | cons (head : α) (tail : Chain α) : Chain α

open Chain

def append {α : Type u} : Chain α → Chain α → Chain α
  | nil, ys => ys
  | cons x xs, ys => cons x (append xs ys)

def snoc {α : Type u} : Chain α → α → Chain α
  | nil, y => cons y nil
  | cons x xs, y => cons x (snoc xs y)

def reverse {α : Type u} : Chain α → Chain α
  | nil => nil
  | cons x xs => append (reverse xs) (cons x nil)

def flip {α : Type u} : Chain α → Chain α
  | nil => nil
  | cons x xs => snoc (flip xs) x

def onto {α : Type u} : Chain α → Chain α → Chain α
  | nil, ys => ys
  | cons x xs, ys => onto xs (cons x ys)

def map {α : Type u} {β : Type v} (f : α → β) : Chain α → Chain β
  | nil => nil
  | cons x xs => cons (f x) (map f xs)

def length {α : Type u} : Chain α → Nat
  | nil => 0
  | cons _ xs => length xs + 1

def filter {α : Type u} (p : α → Bool) : Chain α → Chain α
  | nil => nil
  | cons x xs => if p x then cons x (filter p xs) else filter p xs

def take {α : Type u} : Nat → Chain α → Chain α
  | 0, _ => nil
  | _ + 1, nil => nil
  | n + 1, cons x xs => cons x (take n xs)

def drop {α : Type u} : Nat → Chain α → Chain α
  | 0, xs => xs
  | _ + 1, nil => nil
  | n + 1, cons _ xs => drop n xs

def rotate {α : Type u} : Nat → Chain α → Chain α
  | 0, xs => xs
  | _ + 1, nil => nil
  | n + 1, cons x xs => rotate n (append xs (cons x nil))

end Chains
""",
    context="universe u v w\nnamespace Chains\nopen Chain",
    laws=(
        ("append_nil", "{α : Type u} (xs : Chain α) : append xs nil = xs"),
        (
            "append_assoc",
            "{α : Type u} (xs ys zs : Chain α) :"
            " append (append xs ys) zs = append xs (append ys zs)",
        ),
        (
            "reverse_append",
            "{α : Type u} (xs ys : Chain α) :"
            " reverse (append xs ys) = append (reverse ys) (reverse xs)",
        ),
        ("reverse_reverse", "{α : Type u} (xs : Chain α) : reverse (reverse xs) = xs"),
        (
            "snoc_eq_append",
            "{α : Type u} (xs : Chain α) (y : α) : snoc xs y = append xs (cons y nil)",
        ),
        ("flip_eq_reverse", "{α : Type u} (xs : Chain α) : flip xs = reverse xs"),
        (
            "onto_eq_append",
            "{α : Type u} (xs ys : Chain α) : onto xs ys = append (reverse xs) ys",
        ),
        (
            "length_append",
            "{α : Type u} (xs ys : Chain α) : length (append xs ys) = length xs + length ys",
        ),
        ("length_reverse", "{α : Type u} (xs : Chain α) : length (reverse xs) = length xs"),
        (
            "length_onto",
            "{α : Type u} (xs ys : Chain α) : length (onto xs ys) = length ys + length xs",
        ),
        (
            "map_append",
            "{α : Type u} {β : Type v} (f : α → β) (xs ys : Chain α) :"
            " map f (append xs ys) = append (map f xs) (map f ys)",
        ),
        (
            "map_reverse",
            "{α : Type u} {β : Type v} (f : α → β) (xs : Chain α) :"
            " map f (reverse xs) = reverse (map f xs)",
        ),
        (
            "map_map",
            "{α : Type u} {β : Type v} {γ : Type w} (f : α → β) (g : β → γ) (xs : Chain α) :"
            " map g (map f xs) = map (fun x => g (f x)) xs",
        ),
        (
            "length_map",
            "{α : Type u} {β : Type v} (f : α → β) (xs : Chain α) : length (map f xs) = length xs",
        ),
        (
            "filter_append",
            "{α : Type u} (p : α → Bool) (xs ys : Chain α) :"
            " filter p (append xs ys) = append (filter p xs) (filter p ys)",
        ),
        (
            "filter_filter",
            "{α : Type u} (p : α → Bool) (xs : Chain α) : filter p (filter p xs) = filter p xs",
        ),
        (
            "length_filter_le",
            "{α : Type u} (p : α → Bool) (xs : Chain α) : length (filter p xs) ≤ length xs",
        ),
        (
            "take_append_drop",
            "{α : Type u} (n : Nat) (xs : Chain α) : append (take n xs) (drop n xs) = xs",
        ),
        (
            "length_take",
            "{α : Type u} (n : Nat) (xs : Chain α) : length (take n xs) = min n (length xs)",
        ),
        (
            "length_drop",
            "{α : Type u} (n : Nat) (xs : Chain α) : length (drop n xs) = length xs - n",
        ),
        (
            "drop_drop",
            "{α : Type u} (m n : Nat) (xs : Chain α) : drop m (drop n xs) = drop (n + m) xs",
        ),
        (
            "length_rotate",
            "{α : Type u} (n : Nat) (xs : Chain α) : length (rotate n xs) = length xs",
        ),
        (
            "rotate_length_append",
            "{α : Type u} (xs ys : Chain α) : rotate (length xs) (append xs ys) = append ys xs",
        ),
        (
            "append_cancel",
            "{α : Type u} (xs ys zs : Chain α) (h : append xs ys = append xs zs) : ys = zs",
        ),
        (
            "map_take",
            "{α : Type u} {β : Type v} (f : α → β) (n : Nat) (xs : Chain α) :"
            " map f (take n xs) = take n (map f xs)",
        ),
    ),
    open_laws=(
        "{α : Type u} (xs ys : Chain α) : append xs ys = append ys xs",
        "{α : Type u} (xs : Chain α) : reverse xs = xs",
        "{α : Type u} (n : Nat) (xs : Chain α) : take n (reverse xs) = reverse (take n xs)",
        "{α : Type u} (m n : Nat) (xs : Chain α) : rotate m (take n xs) = take n (rotate m xs)",
        "{α : Type u} (p : α → Bool) (n : Nat) (xs : Chain α) :"
        " take n (filter p xs) = filter p (take n xs)",
        "{α : Type u} (m n : Nat) (xs : Chain α) : rotate m (rotate n xs) = rotate n (rotate m xs)",
        "{α : Type u} (xs ys zs : Chain α) : append xs (append ys zs) = append ys (append xs zs)",
        "{α : Type u} (f : α → α) (xs : Chain α) : map f (map f xs) = map f xs",
    ),
)

TREES = Theory(
    body="""
universe u v

namespace Groves

inductive Tree (α : Type u) where
  | leaf : Tree α
  | node : Tree α → α → Tree α → Tree α

open Tree

def mirror {α : Type u} : Tree α → Tree α
  | leaf => leaf
  | node l x r => node (mirror r) x (mirror l)

def size {α : Type u} : Tree α → Nat
  | leaf => 0
  | node l _ r => size l + size r + 1

def height {α : Type u} : Tree α → Nat
  | leaf => 0
  | node l _ r => max (height l) (height r) + 1

def map {α : Type u} {β : Type v} (f : α → β) : Tree α → Tree β
  | leaf => leaf
  | node l x r => node (map f l) (f x) (map f r)

inductive Row (α : Type u) where
  | nil : Row α
  | cons : α → Row α → Row α

open Row

def join {α : Type u} : Row α → Row α → Row α
  | nil, ys => ys
  | cons x xs, ys => cons x (join xs ys)

def count {α : Type u} : Row α → Nat
  | nil => 0
  | cons _ xs => count xs + 1

def flatten {α : Type u} : Tree α → Row α
  | leaf => nil
  | node l x r => join (flatten l) (cons x (flatten r))

def collect {α : Type u} : Tree α → Row α → Row α
  | leaf, xs => xs
  | node l x r, xs => collect l (cons x (collect r xs))

def insert (x : Nat) : Tree Nat → Tree Nat
  | leaf => node leaf x leaf
  | node l y r => if x ≤ y then node (insert x l) y r else node l y (insert x r)

def contains (x : Nat) : Tree Nat → Bool
  | leaf => false
  | node l y r => contains x l || x == y || contains x r

end Groves
""",
    context="universe u v\nnamespace Groves\nopen Tree Row",
    laws=(
        ("mirror_mirror", "{α : Type u} (t : Tree α) : mirror (mirror t) = t"),
        ("size_mirror", "{α : Type u} (t : Tree α) : size (mirror t) = size t"),
        ("height_mirror", "{α : Type u} (t : Tree α) : height (mirror t) = height t"),
        ("height_le_size", "{α : Type u} (t : Tree α) : height t ≤ size t"),
        (
            "map_mirror",
            "{α : Type u} {β : Type v} (f : α → β) (t : Tree α) :"
            " map f (mirror t) = mirror (map f t)",
        ),
        (
            "size_map",
            "{α : Type u} {β : Type v} (f : α → β) (t : Tree α) : size (map f t) = size t",
        ),
        (
            "map_map",
            "{α : Type u} (f g : α → α) (t : Tree α) : map f (map g t) = map (fun x => f (g x)) t",
        ),
        (
            "count_join",
            "{α : Type u} (xs ys : Row α) : count (join xs ys) = count xs + count ys",
        ),
        ("count_flatten", "{α : Type u} (t : Tree α) : count (flatten t) = size t"),
        (
            "join_assoc",
            "{α : Type u} (xs ys zs : Row α) : join (join xs ys) zs = join xs (join ys zs)",
        ),
        (
            "collect_eq",
            "{α : Type u} (t : Tree α) (xs : Row α) : collect t xs = join (flatten t) xs",
        ),
        ("size_insert", "(x : Nat) (t : Tree Nat) : size (insert x t) = size t + 1"),
        ("contains_insert", "(x : Nat) (t : Tree Nat) : contains x (insert x t) = true"),
        (
            "contains_mirror",
            "(x : Nat) (t : Tree Nat) : contains x (mirror t) = contains x t",
        ),
    ),
    open_laws=(
        "{α : Type u} (t : Tree α) : mirror t = t",
        "{α : Type u} (t : Tree α) : height t = size t",
        "(x y : Nat) (t : Tree Nat) : insert x (insert y t) = insert y (insert x t)",
        "(x : Nat) (t : Tree Nat) : mirror (insert x t) = insert x (mirror t)",
        "{α : Type u} (t : Tree α) (xs ys : Row α) :"
        " collect t (join xs ys) = join (collect t xs) (collect t ys)",
        "(x y : Nat) (t : Tree Nat) : contains x (insert y t) = contains y (insert x t)",
    ),
)

THEORIES = {"numbers": NUMBERS, "lists": LISTS, "trees": TREES}
