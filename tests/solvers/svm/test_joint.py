"""A problem in shares is the problem in one piece."""

import numpy as np
import pytest

from mercer.kernels import Gaussian, Gram, Linear
from mercer.solvers.svm import BinaryProblem, Limits, solve_smo
from mercer.solvers.svm.joint import JointProblem
from mercer.solvers.svm.shares import Share, Totals


def solve_in_shares(K, z, upper, cuts, bias, xi=0.0, limits=None):
    """Every share by itself; gradients by the obvious product."""
    limits = limits or Limits()
    joint = JointProblem(0, len(z), bias == "free", xi, limits)
    spans = [slice(a, b) for a, b in zip([0, *cuts], [*cuts, len(z)])]
    shares = [Share(z[span], upper[span]) for span in spans]
    v, recent = np.zeros(len(z)), np.empty(0, np.intp)
    while True:
        ids, states, totals = [], [], Totals()
        for span, share in zip(spans, shares):
            own = recent[(recent >= span.start) & (recent < span.stop)] - span.start
            at = share.candidates(joint.sizes, own)
            lo, hi = share.bounds()
            ids.append(span.start + at)
            states.append(np.stack([share.gradient[at], share.v[at], lo[at], hi[at]]))
            totals = totals.plus(share.totals(joint.bias))
        chosen = joint.choose(np.concatenate(ids), np.hstack(states), totals)
        if joint.status is not None:
            break
        recent, change = joint.solve(K[np.ix_(chosen, chosen)])
        v[recent] = joint.v_of(recent)
        for span, share in zip(spans, shares):
            share.v[:] = v[span]
            share.gradient -= K[span, recent] @ change + xi * change.sum()
    totals = Totals()
    for share in shares:
        totals = totals.plus(share.totals(joint.bias))
    m, M = zip(*(share.extremes(bias == "free") for share in shares))
    return v, joint.certificate(totals, max(m) - min(M)), joint.bias


@pytest.mark.parametrize("bias", ["free", "regularized", "none"])
@pytest.mark.parametrize("cuts", [(), (1, 2, 90), (40, 40, 80)])
def test_shares_find_the_same_optimum(bias, cuts):
    rng = np.random.default_rng(len(cuts))
    X = rng.normal(size=(150, 3))
    z = np.sort(np.where(X[:, 0] + rng.normal(size=150) > 0, 1.0, -1.0))
    upper = rng.uniform(0.5, 5, size=150)
    xi = 2.0 if bias == "regularized" else 0.0
    gram = Gram(Gaussian(0.5), X)
    whole = solve_smo(gram, BinaryProblem(np.arange(150), z, upper), bias=bias, xi=xi)
    v, certificate, _ = solve_in_shares(gram.matrix, z, upper, cuts, bias, xi)
    assert certificate.converged
    assert certificate.violation <= 1e-3
    gap = certificate.gap + whole.certificate.gap
    assert certificate.dual == pytest.approx(whole.certificate.dual, abs=gap)
    # the certificate is what a plain sum over all samples gives
    H = gram.matrix + xi
    assert certificate.dual == pytest.approx(np.abs(v).sum() - v @ H @ v / 2)
    assert ((v * z >= 0) & (v * z <= upper)).all()
    assert bias != "free" or abs(v.sum()) < 1e-9


def test_newton_steps_help_where_features_differ_in_size():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4)) * [1000, 100, 1, 0.01]
    z = np.where(X @ [1e-3, 1e-2, 1, 50] + rng.normal(size=120) > 0, 1.0, -1.0)
    K, upper = Linear()(X), np.full(120, 10.0)
    _, certificate, _ = solve_in_shares(K, z, upper, (50,), "free")
    assert certificate.converged
    problem = BinaryProblem(np.arange(120), z, upper)
    whole = solve_smo(Gram.from_matrix(K), problem).certificate
    assert certificate.dual == pytest.approx(whole.dual, rel=1e-3)


def test_limits_are_kept():
    z = np.tile([1.0, -1.0], 40)
    K = Gaussian(1.0)(np.random.default_rng(0).normal(size=(80, 2)))
    limits = Limits(max_iter=7)
    _, certificate, _ = solve_in_shares(K, z, np.ones(80), (30,), "free", 0.0, limits)
    assert certificate.status == "iterations"
    assert certificate.iterations <= 7
    assert certificate.gap > 0
