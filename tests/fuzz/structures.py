"""Steps that break what files consist of: values of documents, fields of protobuf, sections of programs, arrays."""

from __future__ import annotations

import contextlib
import io
import json
import struct
import zipfile
import zlib
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import mutations
import numpy as np
import protobuf_fields
from mutations import Step

_PREAMBLE_BYTES = 32  # of a program file: magic, version, checksum, bytes of the file and of the header
_CHECKSUM_AT = 12


def change_value(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """A value of a JSON document (YAML takes it as well) that is another, gone, there twice, or of another name."""
    value = json.loads(data)
    _change(random, value)
    return json.dumps(value, ensure_ascii=False).encode(errors="surrogatepass")


def _change(random: Random, root: Any) -> None:
    places = _places(root)
    if not places:
        return
    container, key = random.choice(places)
    match random.randrange(8):
        case 0:
            del container[key]
        case 1:
            other, name = random.choice(places)
            copy = json.loads(json.dumps(other[name]))  # what it holds may hold the container
            container[key] = copy if random.random() < 0.9 or len(str(copy)) > 1000 else [copy] * 1000
        case 2 if isinstance(container, dict):
            container[random.choice(mutations.STRINGS)] = container.pop(key)
        case 2:
            container.insert(key, container[key])
        case 3:
            container[key] = _nested(random)
        case _:
            container[key] = _other(random, container[key])


def _places(root: Any) -> list[tuple[Any, Any]]:
    """Containers, each with a key of its own."""
    found: list[tuple[Any, Any]] = []
    waiting = [root]
    while waiting:
        one = waiting.pop()
        keys = list(one) if isinstance(one, dict) else range(len(one)) if isinstance(one, list) else []
        found += [(one, key) for key in keys]
        waiting += [one[key] for key in keys]
    return found


def _nested(random: Random) -> Any:
    value: Any = 1
    for _ in range(random.choice([3, 150, 250, 900])):
        value = [value] if random.random() < 0.5 else {"a": value}
    return value


def _other(random: Random, value: Any) -> Any:
    """A value in the place of one: mostly of the same kind."""
    numbers = [0, -1, 1, 2**31, 2**32, 2**63, 2**64, -(2**63), 10**40, 1.5, -0.0, 1e308, float("inf"), float("nan")]
    if isinstance(value, bool | int | float) and random.random() < 0.8:
        return random.choice(numbers)
    if isinstance(value, str) and random.random() < 0.8:
        return random.choice([*mutations.STRINGS, "\ud800"])
    return random.choice([None, True, [], {}, "", 0, *numbers, *mutations.STRINGS])


def change_field(random: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """A field of a protobuf message, at any depth."""
    return protobuf_fields.changed(random, data, others)


def change_header(random: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """The header of a program file, with right checksums."""
    header, sections = _parts_of(data)
    step = random.choice([change_value, change_value, change_value, mutations.change_number, mutations.flip_bit])
    return _program(data, step(random, header, others), sections)


def change_section(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """Bytes of a section of a program file: the sizes and checksums of its header are those of what is there."""
    header, sections = _parts_of(data)
    document = json.loads(header)
    entries = [one for key in ("segments", "parts") for one in document.get(key, [])]
    entries += [document["host_start"], document["host_end"]]
    filled = [at for at, section in enumerate(sections) if section]
    at = random.choice(filled)
    steps = [mutations.flip_bit, mutations.set_byte, mutations.put_word, mutations.drop_block, mutations.move_block]
    if entries[at] in (document["host_start"], document["host_end"]):
        steps += [change_field] * 5
    elif "kind" not in entries[at]:
        steps += [change_header, change_section] * 3
    sections[at] = random.choice(steps)(random, sections[at], [])
    entries[at] |= {"bytes": len(sections[at]), "crc32": zlib.crc32(sections[at])}
    return _program(data, json.dumps(document).encode(), sections)


def _parts_of(data: bytes) -> tuple[bytes, list[bytes]]:
    """The header and the sections of a program file."""
    (size,) = struct.unpack_from("<Q", data, 24)
    header = data[_PREAMBLE_BYTES : _PREAMBLE_BYTES + size]
    document = json.loads(header)
    entries = [one for key in ("segments", "parts") for one in document.get(key, [])]
    at, sections = _PREAMBLE_BYTES + size, []
    for entry in [*entries, document["host_start"], document["host_end"]]:
        at = -(-at // 8) * 8
        sections.append(data[at : at + entry["bytes"]])
        at += entry["bytes"]
    return header, sections


def _program(data: bytes, header: bytes, sections: Sequence[bytes]) -> bytes:
    """A program file like `data` with another header and other sections, and its checksum."""
    body = bytearray(header)
    for section in sections:
        body += b"\0" * (-(_PREAMBLE_BYTES + len(body)) % 8) + section
    body += b"\0" * (-(_PREAMBLE_BYTES + len(body)) % 8)
    sizes = struct.pack("<QQ", _PREAMBLE_BYTES + len(body), len(header))
    checksum = zlib.crc32(sizes + header, zlib.crc32(data[:_CHECKSUM_AT]))
    return data[:_CHECKSUM_AT] + struct.pack("<I", checksum) + sizes + bytes(body)


TYPES = ("<f8", "<f4", "<f2", ">f4", "<i8", "i1", "u1", "?", "<c8", "<U3", "S2", "<M8[s]", "V4", "<u8")
SHAPES = ((), (0,), (1,), (1, 0, 3), (2**40,), (2**33, 2**33), (1,) * 40, (-1,))


def change_arrays(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """An array of an .npz or .npy file of another type, shape, name, with other values, or a wrong head."""
    if not data.startswith(b"PK"):
        return _changed_array(random, data)
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        members = {name: file.read(name) for name in file.namelist()}
    name = random.choice(list(members))
    match random.randrange(6):
        case 0:
            del members[name]
        case 1:
            members[random.choice(["é.npy", "x", "../x.npy", "a" * 300 + ".npy", ".npy"])] = members[name]
        case 2:
            members[name] = members[random.choice(list(members))]
        case _:
            members[name] = _changed_array(random, members[name])
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", random.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])) as file:
        for one, content in members.items():
            file.writestr(zipfile.ZipInfo(one), content)
    return made.getvalue()


def _changed_array(random: Random, content: bytes) -> bytes:
    array = np.load(io.BytesIO(content), allow_pickle=False)
    kind, shape = random.choice(TYPES), random.choice(SHAPES)
    match random.randrange(6):
        case 0:
            with np.errstate(all="ignore"):
                array = array.real.astype(kind)
        case 1:
            array = array[:0] if array.ndim and random.random() < 0.5 else array[None]
        case 2 if array.dtype.kind == "f" and array.size:
            array = array.copy()
            array.flat[random.randrange(array.size)] = random.choice([np.nan, np.inf, -np.inf, 3e38, -0.0, 1e-45])
        case 3:
            array = array.repeat(random.choice([2, 100]), axis=0)[:100_000] if array.ndim else array
        case _:
            said = random.choice([kind, array.dtype.str, "|O"]), random.choice(["False", "True", "1", "[" * 200])
            shown = random.choice([shape, array.shape])
            head = f"{{'descr': {said[0]!r}, 'fortran_order': {said[1]}, 'shape': {shown}, }}"
            return b"\x93NUMPY\x01\0" + struct.pack("<H", len(head) + 1) + head.encode() + b"\n" + array.tobytes()
    made = io.BytesIO()
    np.save(made, array, allow_pickle=False)
    return made.getvalue()


def change_argument(random: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """An argument of a command line that is another, gone, there twice, or of another command line."""
    words = data.split(b"\0")
    at = random.randrange(len(words))
    match random.randrange(7):
        case 0:
            del words[at]
        case 1:
            words[at:at] = words[at : at + 2]
        case 2:
            words.insert(at, random.choice(random.choice(others).split(b"\0")) if others else words[at])
        case 3:
            name, equals, _ = words[at].partition(b"=")
            words[at] = name + (equals or b"=") + random.choice(mutations.NUMBERS).encode()
        case 4:
            words[at] = mutations.change_number(random, words[at], [])
        case _:
            words[at] = random.choice([*mutations.STRINGS, *mutations.NUMBERS]).encode()
    return b"\0".join(_harmless(word) for word in words)


def _harmless(word: bytes) -> bytes:
    """A command line of chance writes nowhere but in its folder, has no byte 0, and fetches nothing."""
    return word.replace(b"/", b"_").replace(b"\0", b"").replace(b"zoo:", b"zoo")


FORMS: dict[str, tuple[Step, ...]] = {
    "bytes": mutations.BYTES,
    "text": mutations.TEXT,
    "json": (change_value, change_value, change_value, mutations.nest, mutations.change_number),
    "protobuf": (change_field,),
    "program": (change_header, change_header, change_section),
    "arrays": (change_arrays,),
    "words": (change_argument,),
}
"""Steps of each form of file."""


def mutated(form: str, seed: str, data: bytes, others: Sequence[bytes], kept: Callable[[int], bool]) -> bytes:
    """A good file after some steps: mostly few, mostly those of its form.

    Args:
        form: one of FORMS.
        seed: all that is drawn comes from it.
        data: the good file.
        others: files of the same reader.
        kept: whether to take a step, by its number.
    """
    for number in range(steps_of(seed)):
        random = Random(f"{seed} step {number}")  # noqa: S311 (of its own: steps can be left out)
        if not (data and kept(number)):
            continue
        steps = FORMS[form] if form == "words" or random.random() < 0.75 else mutations.BYTES
        with contextlib.suppress(Exception):  # what earlier steps broke may be of no form any more
            data = random.choice(steps)(random, data, others)
    return data


def steps_of(seed: str) -> int:
    """Number of steps that the seed draws."""
    return Random(f"{seed} steps").choice([1, 1, 1, 2, 3, 5, 8])  # noqa: S311
