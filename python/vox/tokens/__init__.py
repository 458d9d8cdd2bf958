"""Counting tokens: which tokenizer a model has, and what a request costs in it."""
