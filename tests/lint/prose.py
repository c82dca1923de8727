"""Rate the prose of code and pages: pronouns in place of nouns, in 1,000 words of docstrings, comments and text.

python -m tests.lint.prose             # print the files above their ceilings
python -m tests.lint.prose FILE        # and the worst sentences of a file

Ceilings: 20 for a file of code, 25 for a page. A file of fewer than 100 words is not rated.
"""

from __future__ import annotations

import ast
import io
import math
import re
import subprocess
import sys
import tokenize
from pathlib import Path

PROJECT = Path(__file__).parents[2]
CEILINGS = {".java": 20, ".md": 25, ".py": 20, ".ts": 20, ".tsx": 20}
_PRONOUN = re.compile(r"\b(?:that|what|which|those|these|ones?|others?)\b", re.IGNORECASE)
_DOCTEST = re.compile(r"^ *>>> .*?(?:\n\s*\n|\Z)", re.MULTILINE | re.DOTALL)
_CODE_OF_PAGE = re.compile(r"```.*?```|`[^`]*`|\]\([^)]*\)", re.DOTALL)
# A string is skipped for the slashes within; a comment is group 1.
_COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|`(?:\\.|[^`\\])*`|(//[^\n]*|/\*[\s\S]*?\*/)')


def prose_of(file: Path) -> str:
    """Join the docstrings and comments of a file of code; return a page without its code and links."""
    source = file.read_text(encoding="utf-8")
    if file.suffix == ".md":
        return _CODE_OF_PAGE.sub(" ", source)
    if file.suffix != ".py":
        return "\n".join(_COMMENT.findall(source))
    values = [node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Expr)]
    texts = [value.value for value in values if isinstance(value, ast.Constant) and isinstance(value.value, str)]
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    comments = [token.string for token in tokens if token.type == tokenize.COMMENT]
    return "\n".join([*(_DOCTEST.sub("", text) for text in texts), *comments])


def rate_of(file: Path) -> int:
    """Count the pronouns in 1,000 words, rounded up; 0 for fewer than 100 words."""
    text = prose_of(file)
    words = len(re.findall(r"[A-Za-z']+", text))
    return math.ceil(1000 * len(_PRONOUN.findall(text)) / words) if words >= 100 else 0


def rates() -> dict[str, int]:
    """Rate the files above their suffix's ceiling: `{"docs/api.md": 47}`."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=PROJECT, capture_output=True, check=True).stdout.decode()
    files = [PROJECT / name for name in listed.split("\0") if Path(name).suffix in CEILINGS]
    rated = {file: rate_of(file) for file in sorted(files) if file.is_file()}
    return {file.relative_to(PROJECT).as_posix(): rate for file, rate in rated.items() if rate > CEILINGS[file.suffix]}


def faults() -> list[str]:
    """List the files above their ceiling: `docs/api.md: 47 pronouns in 1,000 words, allowed 25`."""
    return [
        f"{name}: {rate} pronouns in 1,000 words, allowed {CEILINGS[Path(name).suffix]}"
        for name, rate in rates().items()
    ]


def main(arguments: list[str]) -> str | None:
    """Return the faults, with the worst sentences of the named files."""
    lines = faults()
    for name in arguments:
        sentences = re.split(r"(?<=[.;:])\s+|\n\s*\n", prose_of(PROJECT / name))
        worst = sorted(sentences, key=lambda sentence: -len(_PRONOUN.findall(sentence)))[:10]
        lines += [f"{name}: {rate_of(PROJECT / name)}", *("    " + " ".join(sentence.split()) for sentence in worst)]
    return "\n".join(lines) or None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
