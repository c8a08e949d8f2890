"""A second kernel: native Lean 4.35.0 replays what the first one accepted, in a child process."""
