"""What report 001 varies, and what it fixes."""

from __future__ import annotations

from mercer.kernels import Gaussian

LAMBDAS = (0.001, 0.031, 1.0, 31.62, 1000.0)
STEPS = (10, 100, 500, 1000)
#: γ = 0.25 as exp(−‖x−x'‖²/(2γ)).
KERNEL = Gaussian.from_width(0.25)
TEST_SHARE = 0.2
N_FOLDS = 5


def lambda_name(lam: float) -> str:
    """As tables and figures name it.

    >>> lambda_name(31.62)
    'λ = 31.62'
    """
    return f"λ = {lam:g}"
