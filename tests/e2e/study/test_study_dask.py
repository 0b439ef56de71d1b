"""Studies on a Dask cluster give the results of local processes, even when a worker or the cluster goes away."""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from digits import DIGITS, model_of

import covenant
from covenant.study import Study, StudyMachine, StudyModel
from covenant.study.dask_task import Sent, compute, files_of
from covenant.study.measure import measure

distributed = pytest.importorskip("distributed", reason="Dask is not installed (requirements-dev.txt)")

STUDY = Study(
    "clustered",
    (StudyModel(model_of("qdq"), DIGITS / "digits_test.npz", images=30),),
    (StudyMachine("genesys", {"M": (4, 8, 16), "N": ("M",), "axi": (64, 256), "instruction_depth": (8, 1024)}),),
    ("fixed", "ddr4_2400"),
)


@pytest.fixture
def cluster():
    # Workers come and go here: what Dask says of it is for the people who run a cluster.
    with distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None, silence_logs=50) as started:
        yield started


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    """The same study by processes of this computer."""
    return STUDY.run(tmp_path_factory.mktemp("local") / "x.sqlite", jobs=2)


def recorded(path) -> list[tuple[str, int]]:
    """How often each point was claimed, of those that have a result."""
    with sqlite3.connect(path) as database:
        assert database.execute("SELECT count(*) FROM claims").fetchone() == (0,)
        return database.execute(
            "SELECT key, (SELECT count(*) FROM computations WHERE computations.key = results.key) FROM results"
        ).fetchall()


def test_the_same_as_local_processes(cluster, local, tmp_path):
    """Points that fail are the same, too: their text names the files of the study, not those of a worker."""
    result = STUDY.run(tmp_path / "x.sqlite", dask=cluster.scheduler_address)
    assert result == local
    assert result.to_json() == local.to_json()
    assert {row.code for row in result.rows} == {"", "GEN0012"}
    assert result.computed == 1 + 24
    assert all(count == 1 for _, count in recorded(tmp_path / "x.sqlite"))


def test_a_worker_is_killed(cluster, local, tmp_path):
    """Another worker computes the lost points again, and each is recorded once."""
    killed = []

    def kill(state) -> None:
        if state.done >= 3 and not killed:
            with distributed.Client(cluster.scheduler_address, set_as_default=False) as client:
                killed.append(next(iter(client.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)

    result = STUDY.run(tmp_path / "x.sqlite", dask=cluster.scheduler_address, progress=kill)
    assert killed
    assert result.to_json() == local.to_json()
    counts = recorded(tmp_path / "x.sqlite")
    assert len(counts) == 25
    assert all(count == 1 for _, count in counts)


def test_the_cluster_goes_away(cluster, local, tmp_path):
    """Finished points are kept; local processes compute the rest."""
    closing = []

    def close(state) -> None:
        if state.done >= 2 and not closing:
            closing.append(threading.Thread(target=cluster.close))
            closing[0].start()

    with pytest.raises(covenant.CovenantError) as refused:
        STUDY.run(tmp_path / "x.sqlite", dask=cluster.scheduler_address, progress=close)
    closing[0].join()
    assert refused.value.code == "STU0018"
    done = recorded(tmp_path / "x.sqlite")
    assert 2 <= len(done) < 25
    rest = STUDY.run(tmp_path / "x.sqlite", jobs=2)
    assert rest.computed == 25 - len(done)
    assert rest.to_json() == local.to_json()


def test_what_a_worker_is_sent_is_all_that_it_needs(tmp_path):
    """Files need not be there, and a worker of another version is refused."""
    point = STUDY.plan().points[2]
    paths = files_of([point])
    contents = {f"/nowhere/{Path(path).name}": Path(path).read_bytes() for path in paths}
    moved = replace(point.model, model="/nowhere/digits_qdq.onnx", data="/nowhere/digits_test.npz")
    (there,) = compute(Sent((replace(point, model=moved),), covenant.__version__), contents)
    (here,) = measure([point])
    assert (there.key, there.values, there.code) == (here.key, here.values, here.code)
    with pytest.raises(covenant.CovenantError) as refused:
        compute(Sent((point,), "0.0.0"), {})
    assert refused.value.code == "STU0019"


def test_no_cluster(monkeypatch, tmp_path, covenant_command):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nobody = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    monkeypatch.setattr("covenant.study.dask_workers.CONNECT_SECONDS", 0.5)
    start = time.monotonic()
    for address in (nobody, "no address"):
        with pytest.raises(covenant.CovenantError) as refused:
            STUDY.run(tmp_path / "x.sqlite", dask=address)
        assert refused.value.code == "STU0018"
        assert address in str(refused.value)
    assert time.monotonic() - start < 30
    with pytest.raises(ValueError, match="cluster"):
        STUDY.run(tmp_path / "x.sqlite", jobs=1, dask=nobody)
    done = covenant_command("study", "x.toml", "--jobs", 1, "--dask", nobody, "--json")
    assert done.code == 2
    assert done.object["error"]["code"] == "CLI0001"


def test_without_dask(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(covenant.CovenantError) as refused:
        STUDY.run(tmp_path / "x.sqlite", dask="tcp://127.0.0.1:1")
    assert refused.value.code == "STU0017"
