"""Decides what to try: knowledge, retrieval, strategy, judgement and the discovery loop."""
