"""A command that does not take an option for the value of another."""

from __future__ import annotations

from itertools import pairwise, takewhile
from typing import Any

import typer
from typer.core import TyperCommand


class Command(TyperCommand):
    """Complains where ``--output --json`` would write a file called ``--json``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        options: dict[str, Any] = {
            name: option
            for option in self.get_params(ctx)
            if option.param_type_name == "option"  # that of help is no TyperOption
            for name in (*option.opts, *option.secondary_opts)
        }
        before = takewhile(lambda word: word != "--", args)
        for name, value in pairwise(before):
            if value in options and name in options and not options[name].is_flag:
                longest = max(options[name].opts, key=len)
                raise typer.BadParameter(
                    f"it needs a value, and {value} is an option; to give it as a "
                    f"value, write {longest}={value}.",
                    ctx=ctx,
                    param_hint=name,
                )
        return super().parse_args(ctx, args)
