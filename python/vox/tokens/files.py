"""Where a tokenizer lies: a file that is named, or one that another program has fetched before.
Nothing is downloaded."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path

from vox.errors import InvalidArgumentError, NotFoundError, of_system

_PATH = re.compile(r"[./~]|[a-z]:[\\/]|.*\.(?:gguf|json)$", re.DOTALL | re.IGNORECASE)


def named_file(model: str | os.PathLike[str]) -> Path | None:
    """The tokenizer file that `model` is the path of: a `tokenizer.json` or its like, a GGUF file,
    or a folder with one. None if it is no path but a name.

    Raises `NotFoundError`, `InvalidArgumentError` for a folder or a file without a tokenizer, and
    what the system says.
    """
    if isinstance(model, str) and not _PATH.match(model):
        return None
    try:
        return _file_at(Path(model).expanduser())
    except OSError as error:
        raise of_system(error) from error
    except RuntimeError as error:
        raise NotFoundError(f"{model}: there is no such home folder") from error


def _file_at(path: Path) -> Path:
    if path.is_dir():
        return _in_folder(path)
    if not path.exists():
        raise NotFoundError(f"{path}: there is no such file; nothing is downloaded")
    if not path.is_file():
        raise InvalidArgumentError(f"{path}: a tokenizer is read from a file, which this is not")
    if path.suffix.lower() not in {".json", ".gguf"}:
        raise InvalidArgumentError(f"{path}: neither a tokenizer.json nor a .gguf file")
    return path


def fetched_file(model: str, environ: Mapping[str, str] = os.environ) -> Path | None:
    """The tokenizer file of a model that another program has fetched; None if there is none."""
    try:
        return _of_hub(model, environ) or _of_ollama(model, environ)
    except OSError:
        # What can't be looked at, if only since its name is too long, isn't there.
        return None


def _of_hub(model: str, environ: Mapping[str, str]) -> Path | None:
    """That of `org/name` in the cache of the Hugging Face hub, or in a folder of this path."""
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", model):
        return None
    repository = hub_cache(environ) / f"models--{model.replace('/', '--')}"
    snapshots = repository / "snapshots"
    try:
        current = (repository / "refs" / "main").read_text().strip()
        folders = [snapshots / current]
    except (OSError, UnicodeDecodeError):
        # Fetched by a commit instead of a branch: the newest.
        folders = sorted(snapshots.glob("*"), key=lambda path: path.stat().st_mtime, reverse=True)
    found = (_tokenizer_of(folder) for folder in [*folders, Path(model)])
    return next((path for path in found if path), None)


def _of_ollama(model: str, environ: Mapping[str, str]) -> Path | None:
    """That of `name`, `name:tag`, `user/name` or `host/user/name` among Ollama's models: the model
    itself, a GGUF file, which the manifest of the name refers to."""
    name, _, tag = model.removeprefix("ollama/").removeprefix("ollama_chat/").partition(":")
    parts = name.split("/")
    if len(parts) > 3 or not all(re.fullmatch(r"\w[\w.-]*", part) for part in [*parts, tag or "x"]):
        return None
    parts = ["registry.ollama.ai", "library"][: 3 - len(parts)] + parts
    folder = Path(environ.get("OLLAMA_MODELS") or "~/.ollama/models").expanduser()
    try:
        manifest = json.loads(folder.joinpath("manifests", *parts, tag or "latest").read_bytes())
        digests = [
            layer["digest"]
            for layer in manifest["layers"]
            if layer["mediaType"] == "application/vnd.ollama.image.model"
        ]
    except (OSError, ValueError, LookupError, TypeError):
        return None
    blob = folder / "blobs" / str(*digests[:1]).replace(":", "-")
    return blob if blob.is_file() else None


def hub_cache(environ: Mapping[str, str]) -> Path:
    """Where the Hugging Face hub's programs keep what they fetched."""
    if cache := environ.get("HF_HUB_CACHE") or environ.get("HUGGINGFACE_HUB_CACHE"):
        return Path(cache).expanduser()
    if home := environ.get("HF_HOME"):
        return Path(home).expanduser() / "hub"
    caches = environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(caches).expanduser() / "huggingface" / "hub"


def _in_folder(folder: Path) -> Path:
    if path := _tokenizer_of(folder):
        return path
    found = sorted(folder.glob("*.gguf"))
    if found:
        says = f"{folder}: {len(found)} .gguf files and no tokenizer.json: name one of them"
    else:
        says = f"{folder}: neither a tokenizer.json nor a .gguf file in it"
    raise InvalidArgumentError(says)


def _tokenizer_of(folder: Path) -> Path | None:
    """The one file of a folder that holds a tokenizer. A model in several parts has it in the
    first."""
    path = folder / "tokenizer.json"
    if path.is_file():
        return path
    models = [
        path
        for path in folder.glob("*.gguf")
        if not path.name.startswith("mmproj")
        and ("-of-" not in path.name or "-00001-of-" in path.name)
    ]
    return models[0] if len(models) == 1 else None
