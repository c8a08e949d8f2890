"""Encoders: v(x), a unit vector for a method node or for the text of a query."""

from engine.retrieval.encoders.interface import Encoder, Vectors, unit_rows
from engine.retrieval.encoders.structural import StructuralEncoder

__all__ = ["Encoder", "StructuralEncoder", "Vectors", "unit_rows"]
