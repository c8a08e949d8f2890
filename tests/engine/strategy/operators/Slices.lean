/-! Lists that are cut, reversed with an accumulator and paired; minimum and maximum. -/

universe u v

namespace Slices

inductive Seq (α : Type u) where
  | nil : Seq α
  | cons : α → Seq α → Seq α

open Seq

def append {α : Type u} : Seq α → Seq α → Seq α
  | nil, ys => ys
  | cons x xs, ys => cons x (append xs ys)

def reverse {α : Type u} : Seq α → Seq α
  | nil => nil
  | cons x xs => append (reverse xs) (cons x nil)

def reverseOnto {α : Type u} : Seq α → Seq α → Seq α
  | nil, acc => acc
  | cons x xs, acc => reverseOnto xs (cons x acc)

def length {α : Type u} : Seq α → Nat
  | nil => 0
  | cons _ xs => length xs + 1

def take {α : Type u} : Nat → Seq α → Seq α
  | 0, _ => nil
  | _, nil => nil
  | n + 1, cons x xs => cons x (take n xs)

def drop {α : Type u} : Nat → Seq α → Seq α
  | 0, xs => xs
  | _, nil => nil
  | n + 1, cons _ xs => drop n xs

def filter {α : Type u} (p : α → Bool) : Seq α → Seq α
  | nil => nil
  | cons x xs => match p x with
    | true => cons x (filter p xs)
    | false => filter p xs

inductive N where
  | zero : N
  | succ : N → N

open N

def min : N → N → N
  | zero, _ => zero
  | _, zero => zero
  | succ m, succ n => succ (min m n)

def max : N → N → N
  | zero, n => n
  | m, zero => m
  | succ m, succ n => succ (max m n)

def le : N → N → Bool
  | zero, _ => true
  | succ _, zero => false
  | succ m, succ n => le m n

end Slices
