"""The results of studies in one SQLite file, which several processes may fill at once.

A point is claimed in a transaction before it is computed. A claim is taken over when its owner is gone: no such process
on this computer, or no sign of life for STALE_SECONDS from another one.
"""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import time
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from covenant.errors import CovenantError, Diagnostic
from covenant.study.measure import Outcome

__all__ = ["HEARTBEAT_SECONDS", "STALE_SECONDS", "Store"]

HEARTBEAT_SECONDS = 5.0
"""Time between two signs of life."""
STALE_SECONDS = 60.0
"""After which a silent owner counts as gone."""
_APPLICATION = 0x53545544  # "STUD"
_LAYOUT = 1
_BUSY_SECONDS = 60.0

_TABLES = """
CREATE TABLE IF NOT EXISTS results (key TEXT PRIMARY KEY, content TEXT NOT NULL, seconds REAL NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS claims (
  key TEXT PRIMARY KEY, owner TEXT NOT NULL, host TEXT NOT NULL, process INTEGER NOT NULL, heartbeat REAL NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS computations (key TEXT NOT NULL, owner TEXT NOT NULL, begun REAL NOT NULL) STRICT;
"""


class Store:
    """An open file of results, and the claims of one owner.

    Args:
        path: of the file; it is made if it is not there.

    Attributes:
        owner: name of this owner among all that ever were.

    Raises:
        CovenantError: STU0012, the file holds something else; CLI0006, it cannot be written.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = os.fspath(path)
        self.owner = uuid.uuid4().hex
        self._host = socket.gethostname()
        self._heartbeat = 0.0
        if not Path(path).absolute().parent.is_dir() or Path(path).is_dir():
            raise self._unwritable("no such folder, or a folder itself")
        with self._told():
            self._database = sqlite3.connect(self._path, timeout=_BUSY_SECONDS, isolation_level=None)
            self._open()

    def _open(self) -> None:
        with self._transaction():
            (application,) = self._database.execute("PRAGMA application_id").fetchone()
            (layout,) = self._database.execute("PRAGMA user_version").fetchone()
            (tables,) = self._database.execute("SELECT count(*) FROM sqlite_schema").fetchone()
            if tables and (application, layout) != (_APPLICATION, _LAYOUT):
                raise self._other("a database of another kind, or of another version")
            if not tables:
                self._database.execute(f"PRAGMA application_id = {_APPLICATION}")
                self._database.execute(f"PRAGMA user_version = {_LAYOUT}")
            for statement in filter(str.strip, _TABLES.split(";")):
                self._database.execute(statement)
        self._database.execute("PRAGMA journal_mode = WAL")

    def close(self) -> None:
        """Gives back what is claimed, and closes the file."""
        with self._transaction():
            self._database.execute("DELETE FROM claims WHERE owner = ?", (self.owner,))
        self._database.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def outcomes(self, keys: Iterable[str]) -> dict[str, Outcome]:
        """Outcomes that are kept of these points, by key."""
        found = {}
        with self._told():
            for key in keys:
                row = self._database.execute("SELECT content, seconds FROM results WHERE key = ?", (key,)).fetchone()
                if row:
                    found[key] = Outcome(key, **json.loads(row[0]), seconds=row[1])
        return found

    def claim(self, keys: Sequence[str]) -> tuple[list[str], list[str]]:
        """Claims points for this owner.

        Returns:
            Those that are its own now, and those that are to be asked for again: others have claimed them. The rest has
            results.
        """
        mine, others = [], []
        with self._transaction():
            for key in keys:
                if self._database.execute("SELECT 1 FROM results WHERE key = ?", (key,)).fetchone():
                    continue
                claim = self._database.execute(
                    "SELECT host, process, heartbeat FROM claims WHERE key = ?", (key,)
                ).fetchone()
                if claim and not self._is_gone(*claim):
                    others.append(key)
                    continue
                now = time.time()
                self._database.execute(
                    "INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?, ?)",
                    (key, self.owner, self._host, os.getpid(), now),
                )
                self._database.execute("INSERT INTO computations VALUES (?, ?, ?)", (key, self.owner, now))
                mine.append(key)
        return mine, others

    def finish(self, outcome: Outcome) -> bool:
        """Keeps an outcome; False, and nothing is kept, if the claim has been taken over meanwhile."""
        content = {"values": outcome.values, "code": outcome.code, "text": outcome.text}
        with self._transaction():
            if not self._release(outcome.key):
                return False
            self._database.execute(
                "INSERT INTO results VALUES (?, ?, ?)",
                (outcome.key, json.dumps(content, sort_keys=True), outcome.seconds),
            )
        return True

    def release(self, key: str) -> None:
        """Gives back a point that was not computed."""
        with self._transaction():
            self._release(key)

    def show_life(self) -> None:
        """Says that this owner is there, if it has not done so for HEARTBEAT_SECONDS."""
        if time.monotonic() - self._heartbeat < HEARTBEAT_SECONDS:
            return
        with self._transaction():
            self._database.execute("UPDATE claims SET heartbeat = ? WHERE owner = ?", (time.time(), self.owner))
        self._heartbeat = time.monotonic()

    def _release(self, key: str) -> bool:
        done = self._database.execute("DELETE FROM claims WHERE key = ? AND owner = ?", (key, self.owner))
        return done.rowcount == 1

    def _is_gone(self, host: str, process: int, heartbeat: float) -> bool:
        if time.time() - heartbeat > STALE_SECONDS:
            return True
        return host == self._host and not _exists(process)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Runs its body while no other process writes."""
        with self._told():
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._database.execute("COMMIT")
            except BaseException:
                if self._database.in_transaction:  # SQLite goes back by itself where there is no room
                    self._database.execute("ROLLBACK")
                raise

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Raises CLI0006 and STU0012 for what SQLite says while the body runs."""
        try:
            yield
        except sqlite3.OperationalError as error:
            raise self._unwritable(str(error)) from error
        except sqlite3.DatabaseError as error:
            raise self._other(str(error)) from error

    def _unwritable(self, why: str) -> CovenantError:
        return CovenantError(
            Diagnostic("CLI0006", "cannot write this file", self._path, offending=why,
                       fix="name a folder that exists and that you may write to")
        )  # fmt: skip

    def _other(self, why: str) -> CovenantError:
        return CovenantError(
            Diagnostic("STU0012", "this is no file of results of studies", self._path, offending=why,
                       fix="name another file with --results, or remove this one")
        )  # fmt: skip


def _exists(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # another user's
        return True
    return True
