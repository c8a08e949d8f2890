/-!
Functions that look alike for a while. `cap` is the identity on the first numbers and then stops;
`interleave` of equally long lists looks commutative in length and is not in order; `rotate` of a
short list looks like `swapEnds`. A testing system that looks at small values only will believe
laws about them that are false.
-/

namespace Mirages

/-- A unary number. -/
inductive N where
  | zero : N
  | succ : N → N

open N

/-- The number itself up to six, and six above. -/
def cap : N → N
  | succ (succ (succ (succ (succ (succ _))))) => succ (succ (succ (succ (succ (succ zero)))))
  | n => n

/-- Addition. -/
def add : N → N → N
  | zero, n => n
  | succ m, n => succ (add m n)

/-- A list of numbers. -/
inductive Row where
  | nil : Row
  | cons : N → Row → Row

open Row

/-- One element of each in turn. -/
def interleave : Row → Row → Row
  | nil, ys => ys
  | cons x xs, nil => cons x xs
  | cons x xs, cons y ys => cons x (cons y (interleave xs ys))

/-- The number of elements. -/
def count : Row → N
  | nil => zero
  | cons _ xs => succ (count xs)

/-- An element put at the end. -/
def push : Row → N → Row
  | nil, y => cons y nil
  | cons x xs, y => cons x (push xs y)

/-- The first element put at the end. -/
def rotate : Row → Row
  | nil => nil
  | cons x xs => push xs x

/-- The opposite order. -/
def flip : Row → Row
  | nil => nil
  | cons x xs => push (flip xs) x

end Mirages
