"""A regression from features to log2 of the time, and its error on groups that it has not seen.

Two parts. A law first: the time is a sum of amounts (operations, accesses, work-items, a constant),
each with a rate that is not negative, fitted by the least squares of the relative error. What is
left, log2 of time over law, is learnt by trees from all features: they cannot extrapolate, the law
can. scikit-learn and SciPy are imported when a regression is first made.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from roofline_core.program.errors import RooflineError

Floats = NDArray[np.float64]
Features = Mapping[str, float]
"""Amounts by name, none below 0."""
FOLDS: Final = 5
SEED: Final = 20250720
"""Of folds and trees, so that equal samples give equal figures; its value is arbitrary."""
_TREES: Final = 60
_LEAF: Final = 3
_ROUNDS: Final = 80
_RATE: Final = 0.12
_LOWER: Final = 0.95
_BEYOND: Final = 4.0
"""Times are predicted up to so many times beyond those learnt from: an amount that the analysis
overrates by orders of magnitude would otherwise become a time."""


class RegressionError(RooflineError):
    """A regression that cannot be made; the message says why."""


@dataclass(frozen=True, slots=True)
class TimedSample:
    """A launch with its time."""

    features: Features
    time_ns: float
    group: str
    """What is held out together: launches of one kernel, kernels of one program."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """Which features a regression uses."""

    amounts: tuple[str, ...]
    """The features that the law adds up; a constant and those of no rate besides."""
    per: str | None = None
    """The feature by which amounts are divided for features of one work-item; None: by none."""
    without: tuple[str, ...] = ()
    """Groups of features, the part of names before the dot, that are left out."""

    def keeps(self, name: str) -> bool:
        """Whether a feature is used."""
        return name.partition(".")[0] not in self.without


class TimeRegression:
    """A fitted regression."""

    def __init__(self, samples: Sequence[TimedSample], recipe: Recipe) -> None:
        """Fit. Raises RegressionError: too few samples, or the libraries are not installed."""
        if len(samples) < 2 * _LEAF:
            raise RegressionError(
                f"{len(samples)} samples are too few to learn from: time more launches"
            )
        self._recipe = recipe
        self._names = _names(samples, recipe)
        self._amounts = [name for name in recipe.amounts if name in self._names]
        times = np.array([each.time_ns for each in samples])
        self._range = times.min() / _BEYOND, times.max() * _BEYOND
        self._rates = _rates(self._amount_columns([s.features for s in samples]), times)
        columns = self._columns([each.features for each in samples])
        rest = np.log2(times) - np.log2(self._law([each.features for each in samples]))
        with _one_thread():
            self._models = [model.fit(columns, rest) for model in _models()]

    def rates(self) -> dict[str, float]:
        """Nanoseconds for one of each amount of the law; ``constant`` is that of any launch."""
        return dict(zip(("constant", *self._amounts), map(float, self._rates), strict=True))

    def predict(self, features: Sequence[Features]) -> Floats:
        """Times in nanoseconds."""
        if not features:
            return np.zeros(0)
        columns = self._columns(features)
        with _one_thread():
            rest = np.mean([model.predict(columns) for model in self._models], axis=0)
        return np.asarray(np.clip(self._law(features) * 2.0**rest, *self._range))

    def _law(self, features: Sequence[Features]) -> Floats:
        law = self._amount_columns(features) @ self._rates
        return np.asarray(np.clip(law, *self._range))

    def _amount_columns(self, features: Sequence[Features]) -> Floats:
        rows = [[1.0, *(each.get(name, 0.0) for name in self._amounts)] for each in features]
        return np.array(rows)

    def _columns(self, features: Sequence[Features]) -> Floats:
        raw = np.array([[each.get(name, 0.0) for name in self._names] for each in features])
        columns = [np.log2(1.0 + np.maximum(0.0, raw))]
        per = self._recipe.per
        if per is not None and per in self._names and self._amounts:
            items = np.maximum(1.0, raw[:, self._names.index(per)])
            each = raw[:, [self._names.index(name) for name in self._amounts]]
            columns.append(np.log2(1.0 + each / items[:, None]))
        columns.append(np.log2(self._law(features))[:, None])
        return np.hstack(columns)


def _names(samples: Sequence[TimedSample], recipe: Recipe) -> list[str]:
    return sorted({name for each in samples for name in each.features if recipe.keeps(name)})


def _rates(amounts: Floats, times: Floats) -> Floats:
    """Rates, none below 0, with the least squares of the relative error."""
    nnls = _library("scipy.optimize").nnls
    scale = np.maximum(amounts.max(axis=0), 1.0)
    rates, _ = nnls(amounts / scale / times[:, None], np.ones(len(times)))
    return np.asarray(rates / scale, dtype=np.float64)


def _models() -> list[Any]:
    ensemble = _library("sklearn.ensemble")
    return [
        ensemble.ExtraTreesRegressor(
            n_estimators=_TREES, min_samples_leaf=_LEAF, max_features=0.4, random_state=SEED
        ),
        ensemble.HistGradientBoostingRegressor(
            loss="absolute_error",
            max_iter=_ROUNDS,
            learning_rate=_RATE,
            min_samples_leaf=4 * _LEAF,
            random_state=SEED,
        ),
    ]


def _one_thread() -> Any:
    """A context in which the libraries use one thread: sums do not depend on their number."""
    return _library("threadpoolctl").threadpool_limits(1)


def _library(name: str) -> Any:
    import importlib  # noqa: PLC0415 - for an extra alone

    try:
        return importlib.import_module(name)
    except ImportError:
        raise RegressionError(
            "regressions are made by scikit-learn, which is not installed:"
            " pip install 'roofline-lsp[study]'"
        ) from None


def folds(groups: Iterable[str], count: int = FOLDS) -> dict[str, int]:
    """The fold of each group: shuffled by a fixed seed, then dealt out in turn."""
    names = sorted(set(groups))
    order = np.random.default_rng(SEED).permutation(len(names))
    return {names[place]: index % count for index, place in enumerate(order)}


Fit = Callable[[Sequence[TimedSample]], Callable[[Sequence[Features]], Floats]]
"""From samples to a function that predicts times in nanoseconds."""


def fit_by(recipe: Recipe) -> Fit:
    """The fitting of a recipe."""
    return lambda samples: TimeRegression(samples, recipe).predict


def held_out(samples: Sequence[TimedSample], fit: Fit, count: int = FOLDS) -> Floats:
    """The time of each sample, predicted by a regression that saw no sample of its group.

    Raises RegressionError: there are fewer groups than folds.
    """
    of = folds((each.group for each in samples), count)
    if len(of) < count:
        raise RegressionError(f"{len(of)} groups cannot be dealt out to {count} folds")
    found = np.zeros(len(samples))
    for fold in range(count):
        known = [each for each in samples if of[each.group] != fold]
        asked = [index for index, each in enumerate(samples) if of[each.group] == fold]
        found[asked] = fit(known)([samples[index].features for index in asked])
    return found


@dataclass(frozen=True, slots=True)
class TimeError:
    """How far predicted times are off."""

    count: int
    groups: int
    mape: float
    """The mean of |predicted - measured| / measured."""
    median: float
    """The median of the same."""
    lower: float
    """The mean of the same over the 95% of the launches with the least."""
    within_2x: float
    """The share with 1/2 <= predicted / measured <= 2."""


def error_of(samples: Sequence[TimedSample], predicted: Floats) -> TimeError | None:
    """The error of some predictions; None for no sample."""
    if not samples:
        return None
    times = np.array([each.time_ns for each in samples])
    ratios = predicted / times
    off = np.abs(ratios - 1.0)
    return TimeError(
        count=len(samples),
        groups=len({each.group for each in samples}),
        mape=float(np.mean(off)),
        median=float(np.median(off)),
        lower=float(np.mean(np.sort(off)[: math.ceil(_LOWER * len(off))])),
        within_2x=float(np.mean((ratios >= 0.5) & (ratios <= 2.0))),
    )
