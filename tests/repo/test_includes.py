"""Each C++ file includes what it uses of the headers that may be precompiled, itself or through headers of ours.

The build with precompiled headers does not notice a file that forgets one; other builds would.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

from compilation import compile_commands
from sources import ROOT, name_of, tracked

# Names that only these headers give, without the namespace std.
STANDARD = {
    "algorithm": "all_of|any_of|none_of|clamp|copy_n|copy_if|count|count_if|fill|fill_n|find_if|find_if_not|max_element"
    "|min_element|lower_bound|upper_bound|mismatch|nth_element|remove_if|replace|reverse|rotate|sort|stable_sort"
    "|transform|unique|ranges::[a-z_]+",
    "array": "array|to_array",
    "cmath": "ceil|exp|exp2|fabs|floor|fma|fmod|frexp|hypot|isfinite|isinf|isnan|ldexp|log|log2|lround|llround|lrint"
    "|llrint|nearbyint|pow|rint|round|sqrt|tanh|trunc|erf",
    "cstdint": r"u?int(?:8|16|32|64)_t",
    "cstring": "memchr|memcmp|memcpy|memmove|memset|strcmp|strlen|strerror",
    "deque": "deque",
    "functional": "function|plus|minus|multiplies|bit_xor|reference_wrapper|invoke|not_fn",
    "map": "map|multimap",
    "memory": "unique_ptr|shared_ptr|weak_ptr|make_unique|make_shared|enable_shared_from_this",
    "numeric": "accumulate|gcd|iota|lcm|midpoint|inner_product|partial_sum|reduce|exclusive_scan|inclusive_scan",
    "optional": "optional|nullopt",
    "set": "set|multiset",
    "span": "span|as_bytes|as_writable_bytes",
    "string": "string|to_string|stoi|stoll|stoul|stoull|stod|stof|getline|u16string|u32string",
    "string_view": "string_view",
    "tuple": "tuple|tie|make_tuple|apply|forward_as_tuple|tuple_size_v",
    "utility": "exchange|in_range|cmp_equal|cmp_less|cmp_greater|integer_sequence|index_sequence|as_const",
    "variant": "variant|visit|holds_alternative|get_if|monostate",
    "vector": "vector",
    "random": "mt19937|mt19937_64|uniform_int_distribution|uniform_real_distribution|normal_distribution",
}
USES = {header: re.compile(rf"\bstd::(?:{names})\b") for header, names in STANDARD.items()} | {
    "fmt/format.h": re.compile(r"\bfmt::(?:format|format_to|runtime|memory_buffer|formatter)\b"),
    "fmt/ranges.h": re.compile(r"\bfmt::join\b"),
    "gtest/gtest.h": re.compile(r"\b(?:TEST|TEST_F|TEST_P|EXPECT_EQ|EXPECT_TRUE|ASSERT_EQ|ASSERT_TRUE)\("),
    "systemc": re.compile(r"\bsc_(?:core|dt)::"),
    "tlm": re.compile(r"\btlm::"),
    "pybind11/pybind11.h": re.compile(r"\b(?:pybind11|py)::(?:module_|object|dict|list|tuple|str|bytes|class_)\b"),
    "pybind11/numpy.h": re.compile(r"\b(?:pybind11|py)::(?:array|array_t|dtype)\b"),
    "pybind11/stl.h": None,  # gives no names
}
INCLUDED = re.compile(r'^\s*#\s*include\s+(<[^>]+>|"[^"]+")', re.MULTILINE)
HEADER = re.compile(r"<([a-z_0-9/.]+)>")
NO_CODE = re.compile(r'//[^\n]*|"(?:\\.|[^"\\\n])*"')


@cache
def includes_of(path: Path) -> tuple[frozenset[str], frozenset[Path]]:
    """Headers of libraries that a file names, and headers of ours."""
    named = INCLUDED.findall(path.read_text())
    ours = {ROOT / name[1:-1] for name in named} | {path.parent / name[1:-1] for name in named}
    return frozenset(name[1:-1] for name in named), frozenset(header for header in ours if header.is_file())


def reached_by(path: Path) -> set[str]:
    """Headers of libraries that a file includes, itself or through headers of ours."""
    reached, waiting, seen = set(), [path], {path}
    while waiting:
        libraries, ours = includes_of(waiting.pop())
        reached |= libraries
        waiting += ours - seen
        seen |= ours
    return reached


def missing_in(path: Path) -> list[str]:
    code = NO_CODE.sub("", INCLUDED.sub("", path.read_text()))
    used = {header for header, names in USES.items() if names is not None and names.search(code)}
    return sorted(used - reached_by(path))


def test_files_include_what_they_use_of_precompiled_headers():
    files = tracked("*.h", "*.cpp")
    missing = {name_of(path): missing_in(path) for path in files}
    assert len(files) > 500
    assert {name: headers for name, headers in missing.items() if headers} == {}


def test_each_precompiled_header_is_looked_for():
    lists = [ROOT / "cmake/precompiled.cmake", ROOT / "tests/CMakeLists.txt", ROOT / "python/CMakeLists.txt"]
    headers = {name for path in lists for name in HEADER.findall(re.sub("#.*", "", path.read_text()))}
    assert headers == set(USES)


def test_a_forgotten_header_is_seen(tmp_path):
    source = tmp_path / "source.cpp"
    source.write_text('#include <vector>\n\nstd::vector<std::string> names() { return {"std::map"}; }  // std::set\n')
    assert missing_in(source) == ["string"]


def test_tools_compile_from_the_text_of_headers(tmp_path):
    made = "-Winvalid-pch -include /build/CMakeFiles/covenant_precompiled.dir/cmake_pch.hxx"
    entry = {"directory": "/build", "file": "/a.cpp", "output": "a.o"}
    (tmp_path / "compile_commands.json").write_text(
        json.dumps([{**entry, "command": f"c++ -O3 {made} -o a.o -c /a.cpp"}])
    )
    assert compile_commands(tmp_path) == [{**entry, "command": "c++ -O3 -o a.o -c /a.cpp"}]


def test_tools_compile_each_source_on_its_own(tmp_path):
    unit = tmp_path / "Unity/unity_0_cxx.cxx"
    unit.parent.mkdir()
    unit.write_text('/* NOLINT */\n#include "/a.cpp"\n\n/* NOLINT */\n#include "/b.cpp"\n')
    entry = {"directory": "/build", "file": str(unit), "output": "u.o"}
    (tmp_path / "compile_commands.json").write_text(json.dumps([{**entry, "command": f"c++ -o u.o -c {unit}"}]))
    assert [(one["file"], one["command"], one["unit"]) for one in compile_commands(tmp_path)] == [
        (name, f"c++ -o u.o -c {name}", str(unit)) for name in ("/a.cpp", "/b.cpp")
    ]
