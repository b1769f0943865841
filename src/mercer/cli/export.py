"""``mercer export``: a model in a file as ONNX."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mercer._atomic_write import write_atomically
from mercer.cli import _options as opt
from mercer.cli._console import print_json
from mercer.cli._models import check_can_be_written
from mercer.cli._sentences import in_sentences
from mercer.cli._tables import print_facts
from mercer.exceptions import ParameterError

if TYPE_CHECKING:
    from mercer.evaluation import LabelledSamples


def export(
    file: opt.ModelFile,
    output: Annotated[
        Path, opt.output_file(metavar="ONNX", help="Where to write the ONNX model.")
    ],
    dtype: Annotated[
        str | None,
        typer.Option(help="float32 or float64; else that of the training samples."),
    ] = None,
    check: Annotated[
        str | None,
        typer.Option(
            metavar="DATA",
            help="Compare both models on these data, with onnxruntime.",
        ),
    ] = None,
    rows: opt.WhichRows = "auto",
    label: opt.Label = "auto",
    header: opt.Header = None,
    drop: opt.Drop = None,
    as_json: opt.Json = False,
) -> None:
    """Write a model as ONNX, of plain operators that every runtime has.

    The input is X; the outputs are label, and scores or probabilities as far as the
    model has them. Scalers of a pipeline go with it.

    [dim]Examples[/]

      mercer export digits.mercer -o digits.onnx

      mercer export usps.mercer -o usps.onnx --dtype float32 --check usps
    """
    if dtype not in (None, "float32", "float64"):
        raise ParameterError(f"--dtype is {dtype!r}; use float32 or float64.")
    check_can_be_written(output)
    opt.check_not_read(output, file, check)
    with in_sentences():
        from mercer.deployment import to_onnx
        from mercer.evaluation import load_classifier, load_samples

        machine = load_classifier(file)
        table = opt.reading_new(label, header, drop, "error")
        samples = check and load_samples(machine, check, rows, **table)
        made = to_onnx(machine, dtype)
        ends = (*made.graph.input, *made.graph.output)
        kinds = {end.type.tensor_type.elem_type for end in ends}
        dtype = "float32" if 1 in kinds else "float64"
        content = made.SerializeToString()
        checked = compare(machine, content, samples, dtype) if samples else {}
        write_atomically(output, content)
    result = {
        "file": str(file),
        "model": type(machine).__name__,
        "output": str(output),
        "bytes": len(content),
        "dtype": dtype,
        **checked,
    }
    if as_json:
        print_json(result)
    else:
        _print(result)


def compare(
    machine: Any, content: bytes, samples: LabelledSamples, dtype: str
) -> dict[str, Any]:
    """Ask the model and what was written of it about the same samples."""
    import numpy as np

    from mercer._extras import import_extra
    from mercer._validation import is_sparse

    runtime = import_extra("onnxruntime", "onnx", "Checking an ONNX model")
    session = runtime.InferenceSession(content, providers=["CPUExecutionProvider"])
    X = samples.X.toarray() if is_sparse(samples.X) else np.asarray(samples.X)
    X = X if X.dtype == object else X.astype(dtype)
    names = [output.name for output in session.get_outputs()]
    # in parts: a runtime keeps whole matrices of kernel values
    parts = [
        session.run(None, _inputs(session, X[i : i + 1000], dtype))
        for i in range(0, len(X), 1000)
    ]
    said = dict(zip(names, map(np.concatenate, zip(*parts))))
    scored = "scores" in said
    method = machine.decision_function if scored else machine.predict_proba
    wanted = np.asarray(method(X), np.float64)
    found = said["scores" if scored else "probabilities"].reshape(wanted.shape)
    return {
        "data": samples.dataset.name,
        "n_samples": len(X),
        "labels_differing": int((said["label"] != machine.predict(X)).sum()),
        "scores_differing": float(np.abs(found - wanted).max() / np.abs(wanted).max()),
    }


def _inputs(session: Any, X: Any, dtype: str) -> dict[str, Any]:
    """Samples as a session takes them: whole, or each feature where some are words."""
    given = session.get_inputs()
    if given[0].shape[1] == X.shape[1]:
        return {"X": X.astype(dtype)}
    kinds = [object if one.type == "tensor(string)" else dtype for one in given]
    return {
        one.name: X[:, [place]].astype(kinds[place]) for place, one in enumerate(given)
    }


def _print(result: dict[str, Any]) -> None:
    from mercer._memory import format_bytes

    checked = None
    if "data" in result:
        checked = (
            f"{result['labels_differing']} of {result['n_samples']:,} labels differ on "
            f"{result['data']}; scores by at most {result['scores_differing']:.1e} of "
            "the largest"
        )
    print_facts(
        {
            "model": f"{result['model']} from {result['file']}",
            "onnx": f"{result['output']} ({format_bytes(result['bytes'])}, "
            f"{result['dtype']})",
            "check": checked,
        }
    )
