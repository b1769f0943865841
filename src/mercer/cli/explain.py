"""``mercer explain``: why a model in a file says what it says about a sample."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mercer._memory import within_memory
from mercer.cli import _options as opt
from mercer.cli._console import out, print_json, say, say_aside
from mercer.cli._sentences import in_sentences
from mercer.cli._tables import print_facts, print_table
from mercer.exceptions import MissingExtraError, ParameterError

if TYPE_CHECKING:
    from mercer.evaluation import LabelledSamples
    from mercer.explain import Pull, ShapleyValues, SupportVectorShares


def explain(
    file: opt.ModelFile,
    data: opt.Data,
    row: Annotated[
        int | None,
        opt.of_data(min=0, help="Which sample, from 0; else the first of --rows."),
    ] = None,
    label_explained: Annotated[
        str | None,
        typer.Option("--class", metavar="LABEL", help="Else the one it decides for."),
    ] = None,
    top: Annotated[
        int, typer.Option(min=1, help="How many support vectors and features to show.")
    ] = 5,
    background: Annotated[
        int,
        opt.of_data(
            min=1,
            help="Samples that it is compared with, drawn from the training part where "
            "there is one.",
        ),
    ] = 100,
    rows: opt.WhichRows = "auto",
    label: opt.Label = "auto",
    header: opt.Header = None,
    drop: opt.Drop = None,
    memory_budget: opt.MemoryBudget = None,
    output: Annotated[
        Path | None,
        opt.output_file(
            metavar="PICTURE",
            help="A PNG, SVG or PDF file; else out/explain-MODEL-DATA-ROW.png.",
            rich_help_panel="Output",
        ),
    ] = None,
    dark: opt.Dark = False,
    as_json: Annotated[
        bool,
        opt.of_output(
            "--json", help="Print JSON and nothing else; a figure only with --output."
        ),
    ] = False,
) -> None:
    """Say why a model decides as it does about one sample, exactly.

    Its score is a sum over support vectors: those that pull hardest for a class and
    against it. Shapley values tell what each feature adds to the score, compared with a
    background; they are exact, and there are some for Gaussian, linear and polynomial
    kernels. One-vs-one: a class has the sum of its pairs, and its votes are told.

    [dim]Examples[/]

      mercer explain digits.mercer digits --row 5

      mercer explain usps.mercer usps --row 7300 --class 8 -o why.png

      mercer explain flowers.mercer new.csv --background 50 --json
    """
    if output is not None:
        from mercer.report.look import check_picture

        check_picture(output)
    with in_sentences(), within_memory(memory_budget):
        from mercer.evaluation import load_classifier, load_samples
        from mercer.explain import support_vectors
        from mercer.preparation import last_step

        machine = load_classifier(file)
        part = rows if row is None else "all"
        table = opt.reading_new(label, header, drop, "error")
        samples = load_samples(machine, data, part, **table)
        place = _place(samples, row)
        X = samples.X[place : place + 1]
        why = support_vectors(machine, X)
        chosen = str(why.predicted[0] if label_explained is None else label_explained)
        shapley = _shapley(machine, X, samples, background)
        result = {
            "file": str(file),
            "model": type(last_step(machine)).__name__,
            "data": samples.dataset.name,
            "row": int(samples.rows[place]),
            "label": str(samples.y[place]),
            **_describe(why, shapley, chosen, top),
        }
        picture = None
        if output is not None or not as_json:
            name = f"explain-{file.stem}-{samples.dataset.name}-{result['row']}.png"
            path = output or Path("out") / re.sub(r"[^\w.-]+", "_", name)
            args = (samples, X, why, shapley, result, path, dark)
            picture = _draw(*args, required=output is not None)
    if as_json:
        print_json(result | {"picture": picture})
    else:
        _print(result)
        if picture:
            say(f"\nFigure: {picture}")


def _place(samples: LabelledSamples, row: int | None) -> int:
    if row is not None and row >= len(samples.y):
        raise ParameterError(
            f"--row is {row}, but {samples.dataset.name} has {len(samples.y)} samples, "
            "counted from 0."
        )
    return row or 0


def _shapley(
    machine: Any, X: Any, samples: LabelledSamples, n_rows: int
) -> ShapleyValues | None:
    """Shapley values, or a note that says why there are none."""
    import numpy as np

    from mercer.explain import shapley_values

    data = samples.dataset
    pool = np.arange(len(data.y)) if data.train is None else data.train
    drawn = np.random.default_rng(0).permutation(len(pool))[:n_rows]
    try:
        return shapley_values(machine, X, data.X[np.sort(pool[drawn])])
    except ParameterError as error:
        say_aside(f"note: {error}")
        return None


def _describe(
    why: SupportVectorShares, shapley: ShapleyValues | None, chosen: str, top: int
) -> dict[str, Any]:
    """Everything that is printed, as plain values."""
    import numpy as np

    scores = dict(zip(map(str, why.classes), why.class_scores()[0].tolist()))
    pulls, against = why.strongest(0, chosen, top)
    described: dict[str, Any] = {
        "predicted": str(why.predicted[0]),
        "class": chosen,
        "scores": scores,
        "votes": why.votes
        if why.votes is None
        else dict(zip(scores, why.votes[0].astype(int).tolist())),
        "pairs": dict(zip(why.outputs, why.scores[0].tolist()))
        if why.votes is not None
        else None,
        "intercept": float(scores[chosen] - why.for_class(0, chosen).sum()),
        "n_support_vectors": len(why.support),
        "for": [pull._asdict() for pull in pulls],
        "against": [pull._asdict() for pull in against],
        "shapley": None,
    }
    if shapley is not None:
        values = shapley.for_class(chosen)[0]
        order = np.argsort(-np.abs(values), kind="stable")[:top]
        names = shapley.feature_names or [f"feature {j}" for j in range(len(values))]
        described["shapley"] = {
            "base_value": float(scores[chosen] - values.sum()),
            "features": [
                {
                    "feature": names[j],
                    "value": float(shapley.data[0, j]),
                    "adds": float(values[j]),
                }
                for j in order
            ],
            "rest": float(values.sum() - values[order].sum()),
        }
    return described


def _print(result: dict[str, Any]) -> None:
    chosen, votes = result["class"], result["votes"]
    print_facts(
        {
            "model": f"{result['model']} from {result['file']}",
            "sample": f"row {result['row']} of {result['data']}, "
            f"labelled {result['label']}",
            "decision": result["predicted"],
            "explained": f"the score of {chosen}, {result['scores'][chosen]:+.4g}"
            + (" (the sum over its pairs)" if votes else ""),
        }
    )
    out.print()
    ranked = sorted(result["scores"], key=lambda c: -result["scores"][c])[:10]
    header = ["class", "score", *(["votes"] if votes else [])]
    lines = [
        [c, f"{result['scores'][c]:+.4g}", *([str(votes[c])] if votes else [])]
        for c in ranked
    ]
    print_table(header, lines, right=(1, 2))
    out.print()
    caption = (
        f"of {result['n_support_vectors']} support vectors; all shares and the "
        f"intercept {result['intercept']:+.4g} add up to the score"
    )
    pulls = [
        [
            side if not i else "",
            str(pull["sample"]),
            f"{pull['kernel']:.4g}",
            f"{pull['share']:+.4g}",
        ]
        for side in ("for", "against")
        for i, pull in enumerate(result[side])
    ]
    header = ["", "training sample", "kernel", "share"]
    print_table(header, pulls, right=(1, 2, 3), caption=caption)
    if (shapley := result["shapley"]) is not None:
        out.print()
        features = [
            [one["feature"], f"{one['value']:.4g}", f"{one['adds']:+.4g}"]
            for one in shapley["features"]
        ]
        features.append(["all others", "", f"{shapley['rest']:+.4g}"])
        features.append(["the background's mean", "", f"{shapley['base_value']:+.4g}"])
        print_table(["feature", "value", "adds"], features, right=(1, 2))


def _draw(
    samples: LabelledSamples,
    X: Any,
    why: SupportVectorShares,
    shapley: ShapleyValues | None,
    result: dict[str, Any],
    path: Path,
    dark: bool,
    required: bool,
) -> str | None:
    """Draw it; without Matplotlib say so, unless the figure was asked for."""
    import numpy as np

    from mercer.report import explain_figures as draw
    from mercer.report.look import save_figure

    shape, chosen = samples.dataset.image_shape, result["class"]
    try:
        if shape is not None and why.vectors is not None:
            empty = np.zeros((0, 0))
            figure = draw.draw_image_explanation(
                np.asarray(X).reshape(shape),
                empty if shapley is None else shapley.for_class(chosen).reshape(shape),
                chosen,
                *(
                    [_picture(why.vectors, pull, shape) for pull in pulls]
                    for pulls in why.strongest(0, chosen)
                ),
                dark=dark,
                caption=f"labelled {result['label']}, taken for {result['predicted']}",
            )
        elif shapley is not None:
            shown = result["shapley"]["features"]
            names = [f"{one['feature']} = {one['value']:.4g}" for one in shown]
            values = np.array([one["adds"] for one in shown])
            figure = draw.draw_feature_values(names, values, chosen, dark=dark)
        else:
            return None
    except MissingExtraError as error:
        if required:
            raise
        say_aside(f"No figure: {error}")
        return None
    return str(save_figure(figure, path))


def _picture(vectors: Any, pull: Pull, shape: tuple[int, ...]) -> Any:
    from mercer.report.explain_figures import Picture

    image = vectors[pull.vector].reshape(shape)
    return Picture(image, f"{pull.share:+.3g}\nno. {pull.sample}")
