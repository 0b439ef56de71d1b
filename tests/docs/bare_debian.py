"""The package in a bare Debian 12, used outside of the checkout; how long it takes to build, and how large it is.

    sudo ./dev exec python tests/docs/bare_debian.py --json

Debian's debootstrap makes the system, and each instruction of the Dockerfile is followed in it, without Docker. Then
the README's first example runs there, a machine is built in RTL, and the package is removed. A quarter of an hour.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dockerfile import ROOT, Instruction, context, instructions
from readme import same_source, shown, stable

SUITES = {"debian:12": "bookworm"}
MIRROR = "http://deb.debian.org/debian"
EXAMPLE = "examples/01_digits"
CERTIFICATES = "/etc/certificates.crt"
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"}
NEEDED = ("debootstrap", "unshare", "chroot")


@dataclass(frozen=True)
class Spent:
    """Time that a command took, and its words."""

    processor_seconds: float
    """User and system, of all its processes."""
    seconds: float
    """Wall clock."""
    output: str


@dataclass
class System:
    """A system in a folder."""

    root: Path
    environment: dict[str, str] = field(default_factory=lambda: dict(ENVIRONMENT))
    folder: str = "/"

    def run(self, command: str) -> Spent:
        """Runs a shell command in it, with a /proc of its own.

        Raises:
            RuntimeError: it fails; with the end of what it said.
        """
        words = ["unshare", "--mount", "--pid", "--fork", "--kill-child", f"--mount-proc={self.root}/proc"]
        words += ["chroot", str(self.root), "/usr/bin/env", "-i", *(f"{k}={v}" for k, v in self.environment.items())]
        words += ["/bin/sh", "-c", f"cd {self.folder} && {command}"]
        before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode != 0:
            raise RuntimeError(f"exit code {done.returncode} of {command}\n{done.stdout[-4000:]}")
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return Spent(round(spent, 1), round(time.monotonic() - begin, 1), done.stdout)

    def inside(self, path: str) -> Path:
        """A path of the system, from outside."""
        return self.root / path.lstrip("/")

    def mebibytes(self, *paths: str) -> int:
        """Room that folders or files take on the disk."""
        places = [str(self.inside(path)) for path in paths]
        said = subprocess.run(["du", "-scxk", *places], capture_output=True, text=True, check=True).stdout
        return round(int(said.splitlines()[-1].split()[0]) / 1024)

    def files(self, folder: str) -> list[str]:
        """Everything below a folder."""
        top = self.inside(folder)
        return sorted(str(path.relative_to(top)) for path in top.rglob("*"))


def make_system(image: str, root: Path) -> None:
    """A system with no more than Debian's essential packages."""
    command = ["debootstrap", "--variant=minbase", SUITES[image], str(root), MIRROR]
    subprocess.run(command, check=True, stdout=sys.stderr)


def prepare(system: System) -> None:
    """Gives it what Debian's images have, and the network as it is set up here: names, certificates, package index."""
    system.inside("/etc/dpkg/dpkg.cfg.d/docker-apt-speedup").write_text("force-unsafe-io\n", encoding="utf-8")
    shutil.copy("/etc/resolv.conf", system.inside("/etc/resolv.conf"))
    system.environment |= {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    if certificates := os.environ.get("PIP_CERT"):
        shutil.copy(certificates, system.inside(CERTIFICATES))
        system.environment["PIP_CERT"] = CERTIFICATES


def copy(files: Sequence[Path], folder: Path) -> None:
    """Files of the checkout into a folder."""
    for path in files:
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, target, follow_symlinks=False)


def follow(system: System, step: Instruction) -> Spent | None:
    """Follows one instruction after FROM."""
    if step.name == "RUN":
        return system.run(step.text)
    if step.name == "COPY":
        assert step.text.split()[0] == ".", "only the whole checkout is copied"
        copy(context(), system.inside(step.text.split()[1]))
    if step.name == "ENV":
        name, _, value = step.text.partition("=")
        system.environment[name] = value.replace(f"${name}", system.environment.get(name, ""))
    if step.name == "WORKDIR":
        system.folder = step.text
        system.inside(step.text).mkdir(parents=True, exist_ok=True)
    return None


def built(system: System, steps: Sequence[Instruction]) -> dict[str, Any]:
    """Follows the Dockerfile; what installing took."""
    sizes = {"base": system.mebibytes("/")}
    prepare(system)
    figures: dict[str, Any] = {}
    for step in steps:
        spent = follow(system, step)
        if spent and "pip install" in step.text:
            figures |= {"install_processor_seconds": spent.processor_seconds, "install_seconds": spent.seconds}
        elif spent and "apt-get" in step.text:
            sizes["debian_packages"] = system.mebibytes("/") - sizes["base"]
    (core,) = system.inside("/opt/covenant").rglob("covenant/_core.*.so")
    package = core.parent.relative_to(system.root)
    sizes |= {"environment": system.mebibytes("/opt/covenant"), "package": system.mebibytes(str(package))}
    sizes["core"] = system.mebibytes(str(core.relative_to(system.root)))
    return figures | {"mebibytes": sizes}


def tools(system: System) -> dict[str, str]:
    """Versions of what it was built with."""
    return {
        "python": system.run("python3 -c 'import platform; print(platform.python_version())'").output.strip(),
        "compiler": "GCC " + system.run("c++ -dumpfullversion").output.strip(),
    }


def used(system: System) -> dict[str, Any]:
    """Uses the package as the README does, with nothing of the checkout but the example."""
    copy([path for path in context() if str(path).startswith(EXAMPLE)], system.inside("/work"))
    demo = system.run(f"python {EXAMPLE}/demo.py")
    rtl = system.run("covenant rtl -m genesys:8x8 -o rtl && make -C rtl lint test")
    cosim = system.run(f"covenant cosim {EXAMPLE}/digits_qdq.onnx -m genesys:8x8 --rtl-quick --json 2>/dev/null")
    return {
        "demo_seconds": demo.seconds,
        "demo_is_as_the_readme_says": same_source(stable(demo.output.splitlines())) == same_source(_shown()),
        "rtl_seconds": rtl.seconds,
        "cosim_seconds": cosim.seconds,
        "cosim": json.loads(cosim.output),
    }


def _shown() -> list[str]:
    """Lines that the demo prints, as the README says."""
    return shown((ROOT / "README.md").read_text(encoding="utf-8"))


def removed(system: System) -> list[str]:
    """Files of the package that are left after it was uninstalled."""
    system.run("pip uninstall -y covenant")
    return [path for path in system.files("/opt/covenant") if "covenant" in path.lower()]


def measure(root: Path) -> dict[str, Any]:
    """All of it, in a new folder, or in one with the base system."""
    steps = instructions((ROOT / "Dockerfile").read_text(encoding="utf-8"))
    if not (root / "etc/debian_version").exists():
        make_system(steps[0].text, root)
    system = System(root)
    version = (root / "etc/debian_version").read_text(encoding="utf-8").strip()
    figures = {"debian": version, "cores": os.cpu_count()} | built(system, steps[1:]) | tools(system) | used(system)
    return figures | {"left": removed(system)}


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, help="where the system is made, and kept (default: a temporary one)")
    parser.add_argument("--json", action="store_true", help="the figures as JSON")
    arguments = parser.parse_args(argv)
    if missing := [tool for tool in NEEDED if shutil.which(tool) is None]:
        parser.error(f"missing: {', '.join(missing)}; apt-get install debootstrap util-linux coreutils")
    if os.geteuid() != 0:
        parser.error("debootstrap and chroot are for root: use sudo")
    with tempfile.TemporaryDirectory(prefix="covenant-debian-") as made:
        figures = measure(arguments.folder or Path(made))
    if arguments.json:
        print(json.dumps(figures, indent=1))
    else:
        for name, value in figures.items():
            print(f"{name}: {value}")
    return 0 if figures["demo_is_as_the_readme_says"] and not figures["left"] else 1


if __name__ == "__main__":
    sys.exit(main())
