"""Try random input until the time is up: ``python -m tests.fuzz --seconds 600``.

A module in this folder takes part when it has a function ``run(seed, n)``, which tries
n inputs that follow from the seed and returns a list of sentences, one for each input
that went wrong, with what it takes to try it again; or raises where the first one does.
"""

import argparse
import faulthandler
import importlib
import sys
import traceback
from pathlib import Path
from time import monotonic

INPUTS_AT_ONCE = 20
MOST_SHOWN = 10


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=600.0, help="in all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("modules", nargs="*", help="else all")
    options = parser.parse_args()
    modules = find_modules(options.modules)
    # an input that never ends must not keep the others from being counted
    faulthandler.dump_traceback_later(1.2 * options.seconds + 60, exit=True)
    n_failures = 0
    for module in modules:
        n_inputs, failures = try_out(
            module, options.seed, options.seconds / len(modules)
        )
        name = module.__name__.rpartition(".")[2]
        print(f"{name}: {n_inputs} inputs, {len(failures)} failures", flush=True)
        for text in failures[:MOST_SHOWN]:
            print(f"  {text}", flush=True)
        n_failures += len(failures)
    return 1 if n_failures else 0


def find_modules(wanted):
    """The modules of this folder that have something to run."""
    stems = wanted or sorted(path.stem for path in Path(__file__).parent.glob("*.py"))
    names = [stem for stem in stems if not stem.startswith(("_", "test_"))]
    modules = [importlib.import_module(f"{__package__}.{name}") for name in names]
    return [module for module in modules if hasattr(module, "run")]


def try_out(module, seed, seconds):
    """Run a module with one seed after the other until the time is up.

    More inputs at once where they take little: a module may start a process for them.
    """
    n_inputs, failures, n = 0, [], INPUTS_AT_ONCE
    begun = monotonic()
    end = begun + seconds
    while begun < end:
        try:
            found = module.run(seed, n)
        except Exception:
            found = [f"seed {seed}, {n} inputs: {traceback.format_exc().strip()}"]
        n_inputs += n
        failures += found or []
        seed += 1
        before, begun = begun, monotonic()
        if begun - before < seconds / 20:
            n *= 2
    return n_inputs, failures


if __name__ == "__main__":
    # modules import helpers of the tests as these do
    sys.path.insert(0, str(Path(__file__).parents[1]))
    sys.exit(main())
