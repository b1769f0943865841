"""Speed, measured side by side with peers in one run, as ratios."""

from difflib import get_close_matches
from typing import Any

from mercer.bench import (
    any_data,
    approximate,
    cluster,
    explain,
    gram,
    kinds,
    large,
    neighbours,
    online,
    search,
    shapes,
    svc,
)
from mercer.bench._harness import Benchmark, Contestant, Result, measure
from mercer.exceptions import MercerError, ParameterError

BENCHMARKS: dict[str, Benchmark] = {
    "gram": gram.BENCHMARK,
    "perceptron": online.PERCEPTRON,
    "pegasos": online.PEGASOS,
    "neighbours": neighbours.BENCHMARK,
    "svc": svc.USPS,
    "svc-binary": svc.BINARY,
    "svc-mnist10k": svc.MNIST_10K,
    "svc-mnist": svc.MNIST,
    "svc-predict": svc.PREDICT,
    "svc-samples": svc.SAMPLES,
    "svc-memory": svc.MEMORY,
    "svc-kinds": kinds.BENCHMARK,
    "svc-onehot": any_data.ONEHOT,
    "svc-letters": any_data.LETTERS,
    "svc-noisy": any_data.NOISY,
    "svc-signals": any_data.SIGNALS,
    "svc-text": any_data.TEXT,
    "svc-floats": any_data.FLOATS,
    "svc-clothes": any_data.CLOTHES,
    "svc-million": large.MILLION,
    "svc-virtual": large.VIRTUAL,
    "svc-virtual-support": large.VIRTUAL_SUPPORT,
    "svc-shapes": shapes.SHAPES,
    "svc-shapes-quick": shapes.QUICK,
    "explain": explain.BENCHMARK,
    "search": search.USPS,
    "search-mnist5k": search.MNIST_5K,
    "search-path": search.PATH_OF_C,
    "search-sparse": search.SPARSE,
    "search-perceptron": search.PERCEPTRON,
    "approximate": approximate.BENCHMARK,
    "cluster": cluster.BENCHMARK,
}

__all__ = ["BENCHMARKS", "Benchmark", "Contestant", "Result", "measure", "run"]


def run(names: list[str], repeats: int, as_json: bool, console: Any) -> list[Result]:
    """Measure the named benchmarks, or all quick ones, and print a table for each."""
    for name in names:
        if name not in BENCHMARKS:
            near = get_close_matches(name, BENCHMARKS, 1) or list(BENCHMARKS)
            raise ParameterError(
                f"There is no benchmark {name!r}; did you mean {', '.join(near)}?"
            )
    results = []
    for name in names or [name for name, b in BENCHMARKS.items() if not b.slow]:
        try:
            result = measure(BENCHMARKS[name], repeats)
        except MercerError as error:
            if names:
                raise
            console.print(f"{name}: left out. {error}")
            continue
        results.append(result)
        if as_json:
            console.print_json(data=vars(result))
        else:
            _show(result, console)
    return results


def _show(result: Result, console: Any) -> None:
    console.print(f"\n[bold]{result.title}[/]")
    width = max(map(len, result.seconds))
    for name in result.seconds:
        median, ratio = result.median(name), result.ratio(name)
        console.print(f"  {name:<{width}}  {median:9.4f} s  {ratio:8.3f}x")
    for remark in result.remarks:
        console.print(f"  {remark}")
    if result.goal:
        console.print(f"  goal: {result.goal}")
