"""Counting tokens: which tokenizer a model has, and what a request costs in it."""

from vox._native import CountCache
from vox.tokens.content import content_class
from vox.tokens.counting import count_tokens, fits, quick_estimate
from vox.tokens.estimator import Estimate, Fit, TokenEstimator
from vox.tokens.kinds import KINDS, Kind

__all__ = [
    "KINDS",
    "CountCache",
    "Estimate",
    "Fit",
    "Kind",
    "TokenEstimator",
    "content_class",
    "count_tokens",
    "fits",
    "quick_estimate",
]
