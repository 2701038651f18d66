"""Prompt folders: one root, text files below it, and nothing that reaches outside."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path, PurePosixPath

from catalog.errors import PromptError
from catalog.renderer.places import Place

SCHEMAS = "interfaces"
"""Folder of the JSON Schemas that prompts show, below that of the prompts."""
MOST_BYTES = 4_000_000
"""Bytes of a prompt file; what is longer is no prompt."""


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of prompts.

    Attributes:
        root: the folder, resolved.
    """

    root: Path

    @classmethod
    def at(cls, root: Path | str) -> Folder:
        """Return the folder at a path.

        Raises:
            PromptError: where there is none.
        """
        path = Path(root)
        if not path.is_dir():
            raise PromptError(f"there is no prompt folder {str(root)!r}", hint="Give the folder of the prompts.")
        return cls(path.resolve())

    def names(self) -> list[str]:
        """Return the names of all prompt files, in order."""
        found = (path for path in self.root.rglob("*.md") if _is_file(path) and self._is_inside(path))
        return sorted(path.relative_to(self.root).as_posix() for path in found)

    def read(self, name: str, *, asked_by: Place | None = None) -> str:
        """Return the text of a file.

        Args:
            name: its path below the root, with slashes.
            asked_by: the line that names it.

        Raises:
            PromptError: for a name that leads outside, and for a file that is missing, too long or no text.
        """
        path = self._path(name, asked_by)
        if not _is_file(path):
            near = get_close_matches(name, self.names(), n=3)
            hint = f"Did you mean {', '.join(near)}?" if near else f"Names are paths below {self.root}."
            raise PromptError(f"there is no prompt file {name!r}", place=asked_by, hint=hint)
        data = path.read_bytes()
        if len(data) > MOST_BYTES:
            raise PromptError(f"the file has {len(data):,} bytes; at most {MOST_BYTES:,}", place=Place(name, 1))
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            place = Place(name, data.count(b"\n", 0, error.start) + 1)
            raise PromptError(f"the file is not UTF-8 at byte {error.start}", place=place) from None
        return text.replace("\r\n", "\n").replace("\r", "\n")

    def _path(self, name: str, asked_by: Place | None) -> Path:
        parts = PurePosixPath(name).parts
        path = self.root.joinpath(*parts) if name else self.root
        leads_out = not name or "\\" in name or "\0" in name or name.startswith("/") or ".." in parts or ":" in name
        if not leads_out and PurePosixPath(name).as_posix() != name:
            hint = f"Write {PurePosixPath(name).as_posix()!r}."
            raise PromptError(f"the name {name!r} is written in a roundabout way", place=asked_by, hint=hint)
        if leads_out or not self._is_inside(path):
            raise PromptError(
                f"the name {name!r} leads out of the prompt folder",
                place=asked_by,
                hint="Give a path below it, with slashes and without '..' or links that lead out.",
            )
        return path

    def schemas(self) -> list[Path]:
        """Return the files of JSON Schemas, in order."""
        found = sorted((self.root / SCHEMAS).glob("*.json"))
        return [path for path in found if _is_file(path) and self._is_inside(path)]

    def _is_inside(self, path: Path) -> bool:
        try:
            return path.resolve().is_relative_to(self.root)
        except (OSError, RuntimeError):  # links in a circle, names too long
            return False


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name too long
        return False
