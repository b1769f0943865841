"""Formulas as MathML, which browsers draw by themselves: no script, no other host."""

from docutils import nodes
from latex2mathml.converter import convert


def inline(writer, node):
    """Write a formula within a line."""
    writer.body.append(convert(node.astext()))
    raise nodes.SkipNode


def display(writer, node):
    """Write a formula in a line of its own."""
    formula = convert(node.astext(), display="block")
    writer.body.append(f'<div class="formula">{formula}</div>')
    raise nodes.SkipNode
