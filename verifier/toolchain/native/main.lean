import LemmataAudit

unsafe def main (args : List String) : IO Unit := Lemmata.command args
