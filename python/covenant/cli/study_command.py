"""`covenant study`: compiles and simulates every point of a study, keeps results, and shows the front of the best."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from covenant.cli.arguments import add_command, add_json, mistake, positive
from covenant.cli.output import Output
from covenant.cli.written import WrittenPath
from covenant.files import check_writable, write_whole

if TYPE_CHECKING:  # other commands do not pay
    from covenant.study import State, StudyResult, StudyRow

EXAMPLES = """  covenant study digits.toml                       # again: computes what is missing, and shows all
  covenant study digits.toml --front               # only what nothing else is better than
  covenant study digits.toml --limit 10 --json
  covenant study digits.toml --jobs 4 --results all.sqlite --csv table.csv
  covenant study digits.toml --page study.html --reports   # open study.html
  covenant study digits.toml --pictures pictures
  covenant study digits.toml --dask tcp://10.0.0.1:8786"""
COLUMNS = (
    "front", "model", "machine", "memory", "cycles", "accuracy", "ONNX Runtime", "equal images", "utilisation",
    "stalls", "bytes off-chip",
)  # fmt: skip


def add(commands: Any) -> None:
    """Adds the command."""
    parser = add_command(commands, "study", EXAMPLES)
    parser.add_argument("study", metavar="FILE.toml", help="models, machines with ranges, memories, objectives")
    parser.add_argument(
        "--results", metavar="FILE", help="where results are kept (default: beside the study, with the ending .sqlite)"
    )
    computers = parser.add_mutually_exclusive_group()
    computers.add_argument(
        "--jobs", type=positive, metavar="N", help="points at a time, each in a process (default: one for each core)"
    )
    computers.add_argument(
        "--dask", metavar="ADDRESS", help="compute on the workers of a Dask cluster: the address of its scheduler"
    )
    parser.add_argument("--limit", type=positive, metavar="N", help="compute at most N points more")
    parser.add_argument("--csv", type=WrittenPath, metavar="FILE", help="write the table, all of its columns")
    parser.add_argument(
        "--front", action="store_true", help="show only the Pareto front of the objectives, and what is tied with it"
    )
    parser.add_argument(
        "--page",
        type=WrittenPath,
        metavar="FILE.html",
        help="write a page that opens offline: pictures, table, filters",
    )
    parser.add_argument(
        "--reports", nargs="?", const="front", choices=("front", "all"),
        help="with --page: write the report of each point (default: of those on the front) beside it, and link to it",
    )  # fmt: skip
    parser.add_argument("--pictures", type=WrittenPath, metavar="DIR", help="write every picture as SVG and PNG")
    add_json(parser)
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Computes what is missing and shows the table; exit code 1 if a point has failed."""
    from covenant.study import Study

    _check(arguments)
    study = Study.load(arguments.study)
    with output.points(study.name) as tell:

        def told(state: State) -> None:
            tell(state.done, state.failed, state.total)

        result = study.run(arguments.results, arguments.jobs, arguments.limit, told, arguments.dask)
    if arguments.csv:
        write_whole(arguments.csv, result.to_csv())
    if arguments.pictures:
        from covenant.study.pictures import write_pictures

        write_pictures(result, arguments.pictures)
        output.note(f"pictures: {arguments.pictures}")
    if arguments.page:
        _write_page(arguments, result, output)
    if output.json:
        output.object(_report(result, only_front=arguments.front))
    else:
        _show(result, output, only_front=arguments.front)
    return 1 if result.failed else 0


def _check(arguments: argparse.Namespace) -> None:
    """Raises what is wrong with where things are to be written, before anything is computed."""
    if arguments.reports and not arguments.page:
        raise mistake("reports of points stand beside a page", "add --page study.html, or leave out --reports")
    if arguments.csv:
        check_writable(arguments.csv)
    if arguments.page:
        from covenant.study.page import check_page

        check_page(arguments.page)
    if arguments.pictures:
        from covenant.study.pictures import check_pictures

        check_pictures(arguments.pictures)


def _write_page(arguments: argparse.Namespace, result: StudyResult, output: Output) -> None:
    from covenant.study.page import write_page, write_reports

    places = {None: (), "front": result.front_places, "all": tuple(range(len(result.rows)))}[arguments.reports]
    if places:
        with output.activity("reports of points") as tell:
            write_reports(result, arguments.page, places, lambda done, total: tell("writing", done, total))
    write_page(result, arguments.page)
    output.note(f"page: {arguments.page}")


def _report(result: StudyResult, *, only_front: bool) -> dict[str, Any]:
    report = result.to_dict(seconds=True)
    if only_front:
        kept = _best(result)
        report["rows"] = [report["rows"][place] for place in kept]
        report["front"] = [kept.index(place) for place in report["front"]]
        report["ties"] = [[kept.index(place) for place in tied] for tied in report["ties"]]
    return report | {
        "computed": result.computed,
        "seconds": result.run_seconds,
        "points_per_minute": result.points_per_minute,
    }


def _best(result: StudyResult) -> list[int]:
    """Places of the rows on the front, and of those that are tied with them."""
    return sorted({*result.front_places, *result.tied_places})


def _show(result: StudyResult, output: Output, *, only_front: bool) -> None:
    marks = dict.fromkeys(result.front_places, "*") | dict.fromkeys(result.tied_places, "=")
    shown = _best(result) if only_front else range(len(result.rows))
    output.table(result.name, COLUMNS, [_cells(result.rows[place], marks.get(place, "")) for place in shown])
    goals = ", ".join(f"{one.column} {one.sense}" for one in result.objectives)
    output.line(f"front: {len(result.front_places)} of {len(result.rows)} points, by {goals}")
    _show_chance(result, output)
    for model, text in result.reference_failures.items():
        output.line(f"{model} in ONNX Runtime: {text}")
    for row in result.rows:
        if row.code:
            output.line(f"{_name(row)}: {row.text}")
    if result.computed:
        output.line(f"{result.computed} points computed, {result.points_per_minute:.0f} a minute")
    if result.failed or result.missing:
        output.line(f"{result.failed} failed, {result.missing} not computed yet")


def _show_chance(result: StudyResult, output: Output) -> None:
    """Says what the images do not show, and what a search has not found."""
    if any(row.hits for row in result.rows):
        output.line("[]: 95% confidence intervals, Wilson's")
    if result.tied_places:
        output.line(f"= {len(result.tied_places)} more points: as good, and of an accuracy that these images do not "
                    "tell from that of the front (exact McNemar test, p >= 0.05)")  # fmt: skip
    for place, tied in result.ties.items():
        others = [one for one in tied if one in result.ties]
        if others:
            row, names = result.rows[place], ", ".join(_name(result.rows[one]) for one in others)
            output.line(f"tied on the front: {_name(row)} with {names}, as good in all else")
    if result.found_better is False:
        output.line(f"the search found nothing better than its first batch, {result.first_batch} points that it named "
                    "without results")  # fmt: skip


def _name(row: StudyRow) -> str:
    return f"{row.title} on {row.label}, {row.memory}"


def _cells(row: StudyRow, mark: str) -> list[object]:
    from covenant.study.row import shown_accuracy

    values = (
        row.cycles, shown_accuracy(row.accuracy, row.accuracy_interval),
        shown_accuracy(row.onnxruntime_accuracy, row.onnxruntime_accuracy_interval), _equal(row),
        _percent(row.utilisation), row.stalls, row.bytes_offchip,
    )  # fmt: skip
    shown = ["" if value is None else value for value in values]
    if row.cycles is None:
        shown[0] = row.code or row.status
    return [mark, row.title, row.label, row.memory, *shown]


def _percent(value: float | None) -> str | None:
    return None if value is None else f"{value:.1%}"


def _equal(row: StudyRow) -> str | None:
    return None if row.equal_images is None else f"{row.equal_images} of {row.compared_images}"
