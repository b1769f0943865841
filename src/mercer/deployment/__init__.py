"""Models that go elsewhere: as ONNX graphs, and with fewer support vectors."""

from mercer.deployment._skl2onnx import register_with_skl2onnx
from mercer.deployment._to_onnx import to_onnx

__all__ = ["register_with_skl2onnx", "to_onnx"]
