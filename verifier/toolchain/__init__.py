"""The Lean systems that the verifier can run: the embedded one and a native one."""
