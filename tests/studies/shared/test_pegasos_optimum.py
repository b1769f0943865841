"""The optimum that Pegasos walks to, against the estimator and its own steps."""

import numpy as np

from mercer.estimators import KernelPegasos
from mercer.kernels import Gaussian, Gram
from mercer.model_selection import RotationFolds
from mercer.studies.shared.pegasos_optimum import objectives, run_optimum

LAM = 1e-3


def test_the_objective_is_that_of_the_estimator(small):
    y = small.y % 2
    model = KernelPegasos(Gaussian(0.001), lam=LAM, n_steps=200, record=1)
    model.set_params(random_state=0).fit(small.X, y)
    coefficients = np.zeros((1, 250))
    coefficients[0, model.support_] = model.dual_coef_[0]
    signs = np.where(y == 1, 1.0, -1.0)[None]
    scores = coefficients @ Gram(Gaussian(0.001), small.X).matrix
    found = objectives(LAM, signs, coefficients, scores)
    np.testing.assert_allclose(found, model.objective_[:, -1], rtol=1e-5)


def test_the_optimum_is_below_every_objective(small):
    gram = Gram(Gaussian(0.001), small.X)
    split = next(RotationFolds(5, seed=np.random.default_rng(0)).split(small.y))
    values = run_optimum(gram, small.y, split, 1e-2, [50, 500, 5000], 0).values
    found = [step["objective"] for step in values["steps"]]
    assert values["optimum at least"] <= values["optimum"] <= min(found) + 1e-6
    assert found[-1] < 1.1 * values["optimum"]
    assert values["converged"]
