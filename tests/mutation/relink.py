"""Links the test programs of a build again with some sources changed, and compiles only those.

A changed source becomes an object that stands before the archives in which the original is; so the linker never takes
the original. Sources that the build compiles as one are one object here, too. Texts of the RTL are changed where they
lie embedded. How sources are compiled and programs linked is read from the build folder.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from apply import PACKAGE, SHIM
from mutants import ROOT

sys.path.insert(0, str(ROOT / "tests/support"))
from compilation import INCLUDED, compile_commands, members_of

# Generated sources that hold texts of others.
TEXTS = ("rtl/source_texts.cpp", "rtl/shim_texts.cpp")


def _is_new(made: Path) -> bool:
    """Whether an object is there, and younger than all that it is made of."""
    read = made.with_suffix(".d")
    if not made.exists() or not read.exists():
        return False
    _, _, files = read.read_text(encoding="utf-8").replace("\\\n", " ").partition(": ")
    inputs = [ROOT / file for file in files.split()]  # relative ones are not: the compiler is given whole paths
    return all(file.exists() and file.stat().st_mtime <= made.stat().st_mtime for file in inputs)


class Relinker:
    """Programs of the build folder `release`, changed into `output`."""

    def __init__(self, release: Path, output: Path) -> None:
        self.release = release
        self.output = output
        self._links: dict[str, list[str]] = {}
        self._readers: list[str] = []  # sources that include changed headers
        entries = [entry for entry in compile_commands(release) if "/tests/mutation/" not in entry["output"]]
        self._commands = {entry["file"]: entry["command"] for entry in entries}
        self._outputs = {entry["output"]: entry["file"] for entry in entries}
        self._units = {entry["file"]: entry["unit"] for entry in entries if "unit" in entry}

    def archive_of(self, name: str) -> str:
        """The archive that holds a source's object, from the build folder; empty if none does."""
        found = re.search(r" -o (\S*?)CMakeFiles/(\w+)\.dir/", self._commands.get(self._original(name), ""))
        return f"{found[1]}lib{found[2]}.a" if found else ""

    def archives_of(self, target: str) -> set[str]:
        """Archives that a program is linked with."""
        return {word for word in self._link(target) if word.endswith(".a")}

    def compile(self, sources: dict[str, str], jobs: int) -> dict[str, str]:
        """Compiles changed sources, whose texts are given by name, and those that include a changed header.

        What the compiler said of those that it refuses.
        """
        headers = {name: text for name, text in sources.items() if name.endswith(".h")}
        for name, text in headers.items():
            self._write(self.output / "sources" / name, text)
        self._readers = self._readers_of(set(headers))
        texts = {name: (ROOT / name).read_text(encoding="utf-8") for name in self._readers}
        sources = texts | {name: text for name, text in sources.items() if name not in headers}
        objects: dict[Path, list[str]] = {}
        for name in sources:
            objects.setdefault(self.object_of(name), []).append(name)

        def compile_one(names: list[str]) -> str:
            return self._compile({name: sources[name] for name in names})

        done: dict[str, str] = {}
        with ThreadPoolExecutor(jobs) as pool:
            for names, said in zip(objects.values(), pool.map(compile_one, objects.values()), strict=True):
                if said:
                    done |= dict.fromkeys([name for name in names if f"{name}:" in said] or names, said)
        return done

    def _compile(self, texts: dict[str, str]) -> str:
        """Compiles the changed sources of one object."""
        made = self.object_of(next(iter(texts)))
        written = [self._write(self.output / "sources" / name, text) for name, text in texts.items()]
        source, command = self._source_of(list(texts))
        if not any(written) and _is_new(made):
            return ""
        made.parent.mkdir(parents=True, exist_ok=True)
        made.unlink(missing_ok=True)
        words = [word for word in shlex.split(command) if word not in ("-Werror", "-O3")]
        words[words.index("-o") + 1] = str(made)
        words[words.index("-c") + 1] = str(source)
        # A mutant that reads past the end of a vector is stopped there: no luck decides.
        words[1:1] = [
            f"-I{self.output / 'sources'}",
            "-O1",
            "-w",
            "-Wno-narrowing",
            "-fmax-errors=0",
            "-D_GLIBCXX_ASSERTIONS",
        ]
        words += ["-MMD", "-MF", str(made.with_suffix(".d"))]
        run = subprocess.run(words, cwd=self.release, capture_output=True, text=True, check=False)
        return run.stderr if run.returncode else ""

    def _readers_of(self, headers: set[str]) -> list[str]:
        """Sources that include one of the headers, themselves or through others."""
        if not headers:
            return []
        sources = {
            Path(file).relative_to(ROOT): INCLUDED.findall(Path(file).read_text(encoding="utf-8"))
            for file in (*self._commands, *map(str, ROOT.glob("[!b.]*/**/*.h")))
            if Path(file).is_relative_to(ROOT) and not Path(file).is_relative_to(self.release)
        }
        found = set(headers)
        while more := {str(name) for name, included in sources.items() if found.intersection(included)} - found:
            found |= more
        return sorted(name for name in found if name.endswith(".cpp"))

    @staticmethod
    def _write(path: Path, text: str) -> bool:
        """Whether the file did not have this text."""
        if path.exists() and path.read_text(encoding="utf-8") == text:
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return True

    def _original(self, name: str) -> str:
        return str((self.release if name in TEXTS else ROOT) / name)

    def _source_of(self, names: list[str]) -> tuple[Path, str]:
        """The file that the compiler is given for changed sources of one object, and the original's command."""
        changed = {self._original(name): self.output / "sources" / name for name in names}
        unit = self._units.get(next(iter(changed)))
        command = self._commands[next(iter(changed))]
        if unit is None:
            return next(iter(changed.values())), command
        source = self.output / "sources" / Path(unit).relative_to(self.release)
        self._write(source, "".join(f'#include "{changed.get(one, one)}"\n' for one in members_of(Path(unit))))
        return source, command

    def object_of(self, name: str) -> Path:
        """Path of a changed source's object."""
        unit = self._units.get(self._original(name))
        return self.output / "objects" / f"{Path(unit).relative_to(self.release) if unit else name}.o"

    def _link(self, target: str) -> list[str]:
        """The words that link a program; asked for once."""
        if target not in self._links:
            said = subprocess.run(
                ["ninja", "-t", "commands", target], cwd=self.release, capture_output=True, text=True, check=True
            )
            line = said.stdout.strip().splitlines()[-1]
            words = shlex.split(line.removeprefix(": && ").split(" && ")[0])
            if "-flto=auto" in words:  # changed objects are compiled without: partitions do not hold them
                words.insert(1, "-flto-partition=none")
            self._links[target] = words
        return list(self._links[target])

    def link(self, target: str, names: Iterable[str], extra: Iterable[str] = ()) -> Path:
        """The program `target` with those of the changed sources `names` that it holds.

        With `extra` sources in place of its own it is another program, which is linked as it is.
        """
        names = [*(name for name in names if not name.endswith(".h")), *self._readers]
        own = {str(ROOT / name): str(self.object_of(name)) for name in self._readers}
        words = [own.get(self._outputs.get(word, ""), word) for word in self._link(target)]
        held = {word for word in words if word.endswith(".a")}
        objects = list(dict.fromkeys(str(self.object_of(name)) for name in names if self._home(name) in held))
        program = self.output / "programs" / target
        if extra:
            words = [word for word in words if not word.endswith(".o")]
            program = program.with_name("_".join(Path(name).stem for name in extra))
            objects = [str(self._compiled_like(target, name)) for name in extra] + objects
        place = words.index("-o")
        words[place + 1] = str(program)
        words[place + 2 : place + 2] = objects
        program.parent.mkdir(parents=True, exist_ok=True)
        inputs = [self.release / word for word in words if word.endswith((".o", ".a"))]
        command, before = " ".join(words), program.with_suffix(".link")
        is_same = program.exists() and before.exists() and before.read_text(encoding="utf-8") == command
        if not is_same or any(one.stat().st_mtime > program.stat().st_mtime for one in inputs):
            subprocess.run(words, cwd=self.release, check=True)
            before.write_text(command, encoding="utf-8")
        return program

    def made_name(self, target: str) -> str:
        """The file name of what a target of the build folder makes."""
        words = self._link(target)
        return Path(words[words.index("-o") + 1]).name

    def _home(self, name: str) -> str:
        if name in TEXTS:
            return "rtl/libcovenant_rtl_gen.a" if name == TEXTS[0] else "rtl/libcovenant_rtl_cosim.a"
        return self.archive_of(name)

    def _compiled_like(self, target: str, name: str) -> Path:
        """The object of a test source, compiled as those of another program are."""
        told = self.object_of(name)
        told.parent.mkdir(parents=True, exist_ok=True)
        command = next(text for text in self._commands.values() if f"/{target}.dir/" in text)
        words = shlex.split(command)
        words[words.index("-o") + 1] = str(told)
        words[words.index("-c") + 1] = str(ROOT / name)
        subprocess.run(words, cwd=self.release, check=True)
        return told

    def texts_with(self, changed: dict[str, str]) -> dict[str, str]:
        """The generated sources that hold texts, those of the RTL changed. The model asks for the active mutant."""
        sources = (self.release / TEXTS[0]).read_text(encoding="utf-8")
        changed = dict(changed)
        first = "rtl/src/common/covenant_f32_pkg.sv"  # the first source of every machine
        text = changed.get(first, (ROOT / first).read_text(encoding="utf-8"))
        # Verilator lets only functions that it inlines see the active mutant.
        changed[first] = PACKAGE + text.replace("// verilator no_inline_task\n", "\n")
        # Both sides of a choice have the width that one of them needs.
        waivers = (ROOT / "rtl/lint/waivers.vlt").read_text(encoding="utf-8")
        changed["rtl/lint/waivers.vlt"] = waivers.replace(
            "`verilator_config\n",
            "`verilator_config\n" + "".join(f"lint_off -rule {rule}\n" for rule in ("WIDTH", "UNSIGNED", "CMPCONST")),
        )
        for name, new in changed.items():
            old = (ROOT / name).read_text(encoding="utf-8")
            assert old in sources, f"{name} is not embedded"
            sources = sources.replace(f'R"source_text({old})source_text"', f'R"source_text({new})source_text"')
        shim = (ROOT / "rtl/cosim/shim.cpp").read_text(encoding="utf-8")
        shims = (self.release / TEXTS[1]).read_text(encoding="utf-8").replace(shim, shim + SHIM)
        return {TEXTS[0]: sources, TEXTS[1]: shims}
