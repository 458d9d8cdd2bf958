"""What a model is given of an archive: what fits it, and what is worth its room."""

from vox.context.budget import CLAIMANTS, BudgetSettings, Claimant, ContextBudget

__all__ = ["CLAIMANTS", "BudgetSettings", "Claimant", "ContextBudget"]
