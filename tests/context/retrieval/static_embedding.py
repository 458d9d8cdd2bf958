"""A small real embedding model: the token vectors that the package wordllama ships (MIT, 16 MB).

A text's vector is the mean of those of its tokens. The package's own code isn't used: it looks for
its tokenizer where it doesn't ship it, and then on the network.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer


class StaticEmbedding:
    """The service, as `vox.context.retrieval.EmbeddingService` has it."""

    name = "wordllama l2_supercat 256"

    def __init__(self) -> None:
        spec = find_spec("wordllama")
        assert spec is not None, "the dependency group `test` has wordllama"
        assert spec.origin is not None
        folder = Path(spec.origin).parent
        self._tokenizer = Tokenizer.from_file(
            str(folder / "tokenizers" / "l2_supercat_tokenizer_config.json")
        )
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._vectors = _only_tensor(folder / "weights" / "l2_supercat_256.safetensors")
        self.dimensions = self._vectors.shape[1]

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """The mean of the vectors of each text's tokens."""
        found = np.zeros((len(texts), self.dimensions), np.float32)
        encodings = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        for row, encoding in zip(found, encodings, strict=True):
            if encoding.ids:
                row[:] = self._vectors[encoding.ids].mean(axis=0)
        return found


def _only_tensor(path: Path) -> npt.NDArray[np.float32]:
    """The tensor of a file of safetensors that has one of half floats."""
    data = path.read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + length])
    header.pop("__metadata__", None)
    (tensor,) = header.values()
    assert tensor["dtype"] == "F16"
    first, end = (8 + length + offset for offset in tensor["data_offsets"])
    return np.frombuffer(data[first:end], "<f2").reshape(tensor["shape"]).astype(np.float32)
