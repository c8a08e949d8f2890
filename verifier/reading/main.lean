import LemmataReading

unsafe def main (args : List String) : IO Unit := Lemmata.Reading.command args
