"""llama.cpp's own tokenizer, as the judge of ours: a vocabulary without weights, through ctypes.

The wheel of xllamacpp is one extension module that exports llama.cpp's C interface. The layout of
`ModelParams` is that of the release pinned in pyproject.toml.
"""

import ctypes
from pathlib import Path
from typing import Any, ClassVar, Self


class ModelParams(ctypes.Structure):
    """`struct llama_model_params` of llama.h."""

    _fields_: ClassVar = [
        ("devices", ctypes.c_void_p),
        ("tensor_buft_overrides", ctypes.c_void_p),
        ("n_gpu_layers", ctypes.c_int32),
        ("split_mode", ctypes.c_int32),
        ("load_mode", ctypes.c_int32),
        ("lazy_mode", ctypes.c_int32),
        ("main_gpu", ctypes.c_int32),
        ("tensor_split", ctypes.c_void_p),
        ("progress_callback", ctypes.c_void_p),
        ("progress_callback_user_data", ctypes.c_void_p),
        ("kv_overrides", ctypes.c_void_p),
        ("vocab_only", ctypes.c_bool),
        ("check_tensors", ctypes.c_bool),
        ("use_extra_bufts", ctypes.c_bool),
        ("no_host", ctypes.c_bool),
        ("no_alloc", ctypes.c_bool),
        ("load_mtp", ctypes.c_bool),
    ]


_Log = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)


class Library:
    """The C interface, with its log kept for messages of failures."""

    def __init__(self, path: str) -> None:
        self.c = ctypes.CDLL(path)
        self.log: list[str] = []
        self._keep = _Log(
            lambda _level, text, _data: self.log.append(text.decode(errors="replace"))
        )
        self.c.llama_log_set(self._keep, None)
        self.c.llama_model_default_params.restype = ModelParams
        self.c.llama_model_load_from_file.restype = ctypes.c_void_p
        self.c.llama_model_load_from_file.argtypes = [ctypes.c_char_p, ModelParams]
        self.c.llama_model_get_vocab.restype = ctypes.c_void_p
        self.c.llama_model_get_vocab.argtypes = [ctypes.c_void_p]
        self.c.llama_model_free.argtypes = [ctypes.c_void_p]
        self.c.llama_tokenize.argtypes = [
            ctypes.c_void_p,
            ctypes.c_char_p,
            ctypes.c_int32,
            ctypes.POINTER(ctypes.c_int32),
            ctypes.c_int32,
            ctypes.c_bool,
            ctypes.c_bool,
        ]
        self.c.llama_backend_init()


class Judge:
    """The tokenizer of one GGUF file as llama.cpp reads it."""

    def __init__(self, library: Library, file: Path) -> None:
        self._c = library.c
        library.log.clear()
        params: Any = self._c.llama_model_default_params()
        params.vocab_only = True
        params.n_gpu_layers = 0
        self._model = self._c.llama_model_load_from_file(str(file).encode(), params)
        if not self._model:
            raise ValueError("".join(library.log[-4:]))
        self._vocab = self._c.llama_model_get_vocab(self._model)

    def encode(self, text: bytes) -> list[int]:
        """The ids of `text` as content: no BOS, no EOS, and control tokens are text."""
        room = len(text) + 16
        while True:
            ids = (ctypes.c_int32 * room)()
            n = self._c.llama_tokenize(self._vocab, text, len(text), ids, room, False, False)
            if n >= 0:
                return ids[:n]
            room = -n

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._c.llama_model_free(self._model)


def library() -> Library:
    """The library of the wheel; raises ImportError where it isn't installed."""
    import xllamacpp

    return Library(next(Path(xllamacpp.__file__).parent.glob("xllamacpp*.so")).as_posix())
