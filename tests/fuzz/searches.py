"""Random searches: `GramSearchCV` scores as `GridSearchCV` does, or complains alike."""

import warnings

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneOut,
    PredefinedSplit,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    check_cv,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import KernelKNN, KernelPegasos, KernelPerceptron, KernelSVC
from mercer.estimators import OnlineKernelMachine
from mercer.model_selection import GramSearchCV

KERNELS = {
    "kernel": ["linear", "poly", "rbf", "cosine", "exponential"],
    "gamma": ["scale", "auto", 0.05, 1.0],
    "degree": [1, 2, 3],
}
#: a learner, and values of its parameters; the last one of each is impossible
LEARNERS = [
    (
        KernelPerceptron(random_state=1),
        {
            "epochs": [1, 2, 5, 0],
            "variant": ["last", "averaged", "best", "worst"],
            "multiclass": ["ovr", "ovo", "all"],
            "mistake": ["sign", "margin", "none"],
            "shuffle": [True, False],
        },
    ),
    (
        KernelPegasos(random_state=1),
        {
            "epochs": [0.5, 1, 3, -1],
            "lam": [1e-1, 1e-3, 0.0],
            "average": [True, False],
            "multiclass": ["ovr", "ovo", "all"],
        },
    ),
    (KernelKNN(), {"n_neighbors": [1, 2, 5, 1000]}),
    (
        KernelSVC(tol=1e-7),
        {
            "C": [0.1, 1.0, 10.0, -1.0],
            "multiclass": ["ovr", "ovo", "all"],
            "bias": ["free", "regularized", "none", "some"],
            "class_weight": [None, "balanced"],
        },
    ),
]
NAMES = {
    "numbers": lambda codes: codes,
    "negative": lambda codes: codes * 3 - 4,
    "words": lambda codes: np.array(["a", "b", "no", "yes"])[codes],
    "objects": lambda codes: np.array(["a", "b", "no", "yes"], dtype=object)[codes],
    "floats": lambda codes: codes.astype(float),
    "bools": lambda codes: codes > 0,
    "a list": lambda codes: codes.tolist(),
    "one class": lambda codes: np.zeros_like(codes),
    "column": lambda codes: codes[:, None],
    "shorter": lambda codes: codes[1:],
    "targets": lambda codes: codes + 0.5,
}
USUAL_NAMES = ["numbers", "negative", "words", "objects", "floats", "bools", "a list"]
FORMS = {
    "array": np.asarray,
    "float32": lambda X: X.astype(np.float32),
    "sparse": sparse.csr_matrix,
    "list": lambda X: X.tolist(),
    "not finite": lambda X: np.where(X.max() == X, np.nan, X),
    "one dimension": lambda X: X[:, 0],
    "no features": lambda X: X[:, :0],
}
USUAL_FORMS = ["array", "array", "float32", "sparse", "list"]
UNDECIDED = 1e-5  # ten times what scores can be off at this tolerance
SCORINGS = [None, None, "accuracy", "balanced_accuracy", "f1_macro"]


def run(seed, n):
    """Try n searches; returns those that differ from scikit-learn's."""
    failures = []
    for number in range(n):
        rng = np.random.default_rng([seed, number])
        case = make_case(rng)
        if wrong := compare(**case):
            case = {name: value for name, value in case.items() if name not in "Xy"}
            failures.append(f"seed {seed}, number {number}: {case}: {wrong}")
    return failures


def make_case(rng):
    n_samples, n_classes = int(rng.integers(8, 40)), int(rng.integers(2, 5))
    codes = rng.permutation(np.arange(n_samples) % n_classes)
    learner, own = LEARNERS[rng.integers(len(LEARNERS))]
    X = make_samples(rng, codes, isinstance(learner, KernelSVC))
    usual = rng.random() < 0.9
    form = str(rng.choice(USUAL_FORMS if usual else list(FORMS)))
    usual = rng.random() < 0.9
    names = str(rng.choice(USUAL_NAMES if usual else list(NAMES)))
    grid = make_grid(rng, own)
    if rng.random() < 0.15 and form != "sparse":
        name = type(learner).__name__.lower()
        if isinstance(learner, OnlineKernelMachine):
            # scaled, whole numbers are whole no more, and their products round
            X = X + rng.normal(size=X.shape)
        learner = make_pipeline(StandardScaler(), learner)
        grid = {f"{name}__{key}": values for key, values in grid.items()}
    options = {"scoring": SCORINGS[rng.integers(len(SCORINGS))]}
    if rng.random() < 0.1:
        options = {"scoring": ["accuracy", "f1_macro"], "refit": "accuracy"}
    if rng.random() < 0.1:
        options["error_score"] = "raise"
    options["return_train_score"] = bool(rng.random() < 0.3)
    cv, groups = make_splitter(rng, n_samples)
    return {
        "learner": learner,
        "grid": grid,
        "cv": cv,
        "groups": groups,
        "options": options,
        "form": form,
        "names": names,
        "X": FORMS[form](X),
        "y": NAMES[names](codes),
    }


def make_samples(rng, codes, real):
    """Noise is right for the SVM alone: it breaks ties, which rounding would decide."""
    shape = len(codes), int(rng.integers(1, 6))
    if real or rng.random() < 0.3:
        return rng.normal(size=shape) + codes[:, None]
    X = rng.integers(0, int(rng.integers(2, 6)), size=shape) + codes[:, None] % 2
    if rng.random() < 0.2:
        X[:, 0] = 1
    return X.astype(float)


def make_grid(rng, own):
    """Two or three parameters; now and then an impossible value among theirs."""
    known = KERNELS | own
    grid = {}
    for name in rng.choice(list(known), int(rng.integers(1, 4)), replace=False):
        values = known[name]
        sound = values[:-1] if name in own and len(values) > 2 else values
        chosen = sound if rng.random() < 0.9 else values
        size = int(rng.integers(1, len(chosen) + 1))
        grid[str(name)] = [chosen[i] for i in rng.permutation(len(chosen))[:size]]
    return grid


def make_splitter(rng, n):
    half = np.arange(n) % 2 == 0
    choices = [
        int(rng.integers(2, 5)),
        KFold(3),
        KFold(4, shuffle=True, random_state=0),
        StratifiedKFold(2, shuffle=True, random_state=1),
        RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0),
        ShuffleSplit(3, test_size=0.3, random_state=0),
        PredefinedSplit(np.where(half, -1, 0)),
        [(np.flatnonzero(half), np.flatnonzero(~half))],
        GroupKFold(2),
    ]
    if n < 20:
        choices.append(LeaveOneOut())
    if rng.random() < 0.08:
        choices = [1, 0, -3, 1000, "all", [], [(np.arange(n), np.arange(n) + n)]]
    cv = choices[rng.integers(len(choices))]
    groups = rng.integers(0, 5, n) if isinstance(cv, GroupKFold) else None
    return cv, groups


def compare(learner, grid, cv, groups, options, X, y, **_):
    """What is different, if anything."""
    found = []
    for search in (GridSearchCV, GramSearchCV):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                made = search(learner, grid, cv=cv, **options)
                found.append(made.fit(X, y, groups=groups))
            except Exception as error:
                found.append(error)
    plain, ours = found
    if isinstance(plain, Exception) or isinstance(ours, Exception):
        return None if kind(plain) == kind(ours) else f"{plain!r} and {ours!r}"
    wrong = compare_scores(plain.cv_results_, ours.cv_results_)
    if wrong and decides_by_scores(learner):
        return None if all_undecided(plain, ours, X, y, groups) else wrong
    return wrong


def decides_by_scores(learner):
    return isinstance(learner[-1] if hasattr(learner, "steps") else learner, KernelSVC)


def all_undecided(plain, ours, X, y, groups):
    """Whether all fits that differ have a sample whose scores are equal.

    Within the tolerance, that is: a class that is told from the rest by no sample has
    the score −1 everywhere, and between two such classes nothing decides.
    """
    X, y = (np.asarray(a) if isinstance(a, list) else a for a in (X, y))
    cv = check_cv(plain.cv, y, classifier=True)
    for k, (train, test) in enumerate(cv.split(X, y, groups)):
        for part, rows in (("test", test), ("train", train)):
            names = [n for n in plain.cv_results_ if n.startswith(f"split{k}_{part}_")]
            for name in names:
                theirs, mine = plain.cv_results_[name], ours.cv_results_[name]
                same = np.isclose(theirs, mine, rtol=0, atol=1e-9, equal_nan=True)
                for c in np.flatnonzero(~same):
                    model = clone(plain.estimator)
                    model.set_params(**plain.cv_results_["params"][c])
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        model.fit(X[train], y[train])
                    if least_margin(model, X[rows]) > UNDECIDED:
                        return False
    return True


def least_margin(model, X):
    """How little keeps the class of any sample from being another."""
    machine = model[-1] if hasattr(model, "steps") else model
    pairs = machine.multiclass == "ovo" and len(machine.classes_) > 2
    machine.decision_function_shape = "ovo" if pairs else "ovr"
    scores = model.decision_function(X)
    if pairs or scores.ndim == 1:
        return np.abs(scores).min()
    first, second = np.sort(scores, axis=1)[:, :-3:-1].T
    return (first - second).min()


def kind(outcome):
    """A complaint by what it is caught as; Mercer's own are of Python's kinds too."""
    for known in (ValueError, TypeError, Exception):
        if isinstance(outcome, known):
            return known
    return None


def compare_scores(plain, ours):
    if list(plain) != list(ours):
        return f"other columns: {set(plain) ^ set(ours)}"
    if plain["params"] != ours["params"]:
        return "other candidates"
    for name in plain:
        if "_test_" in name or "_train_" in name:
            theirs, mine = (np.asarray(one[name], float) for one in (plain, ours))
            if not np.allclose(theirs, mine, rtol=0, atol=1e-9, equal_nan=True):
                return f"{name}: {theirs.tolist()} and {mine.tolist()}"
    return None
