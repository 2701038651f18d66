"""The command line as a process: on a pseudo-terminal, or in a pipe."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import shlex
import signal
import struct
import subprocess
import sys
import termios

from tests.command_line import NOW

WORDS = (
    sys.executable,
    "-c",
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler);"  # the runner of the tests ignores it
    "from catalog.commands.main import main; main()",
)
PATIENCE = 60  # seconds without a sign of life after which a test fails instead of hanging
ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def on_terminal(
    url: str, command: str, *, columns: int = 80, until: str = "", answer: str = "", **environment: str
) -> tuple[int, str]:
    """Run a command with all three streams on a pseudo-terminal; return its exit code and everything it showed.

    Args:
        columns: width of the terminal.
        until: text after which the answer is typed.
        answer: what is typed; ``^C`` interrupts the process instead.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(
        [*WORDS, "--db", url, *shlex.split(command)],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=clean(TERM="xterm-256color", **environment),
    )
    os.close(theirs)
    try:
        shown = _talk(ours, process, until, answer)
        return process.wait(timeout=PATIENCE), shown.replace("\r\n", "\n")
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def _talk(terminal: int, process: subprocess.Popen[bytes], until: str, answer: str) -> str:
    """Return everything a process shows; once it shows `until`, answer it."""
    shown, interrupting, silent = "", False, 0
    while silent < PATIENCE:
        if not select.select([terminal], [], [], 1)[0]:
            silent += 1
            if interrupting:  # a signal that comes just before a blocking read is only noticed with the next one
                process.send_signal(signal.SIGINT)
            continue
        part, silent = _read(terminal), 0
        if not part:
            return shown
        shown += part
        if until and until in shown:
            until, interrupting = "", answer == "^C"
            if interrupting:
                process.send_signal(signal.SIGINT)
            else:
                os.write(terminal, answer.encode())
    raise TimeoutError(f"nothing was shown for {PATIENCE} seconds")


def in_shell(url: str, line: str) -> subprocess.CompletedProcess[str]:
    """Run a shell line in which ``catalog`` stands for this program on a catalog; its streams are pipes."""
    program = shlex.join([*WORDS, "--db", url])
    script = f'set -o pipefail; catalog() {{ {program} "$@"; }}; {line}'
    return subprocess.run(["bash", "-c", script], capture_output=True, text=True, env=clean(), check=False)


def clean(**more: str) -> dict[str, str]:
    """Return an environment without anything that changes how text is shown."""
    drop = {"COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "TERM"}
    kept = {name: value for name, value in os.environ.items() if name not in drop}
    return {**kept, "CATALOG_NOW": NOW, "CATALOG_ACTOR": "ann", **more}


def _read(terminal: int) -> str:
    try:
        return os.read(terminal, 65536).decode(errors="replace")
    except OSError:  # Linux says so when the other side is closed
        return ""
