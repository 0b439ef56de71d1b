"""Options about embeddings, shared by the commands that search for them."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from covenant.cli.arguments import positive

if TYPE_CHECKING:  # only commands that search pay
    from covenant.compiler.embeddings import EmbeddingRules

EMBEDDINGS = "embeddings"
"""The pass that `compile --emit` shows them as."""


@dataclass(frozen=True)
class RulesRequest:
    """Rules as the user said them; None stands for options that were not given."""

    relaxations: str | None = None
    most_nodes: int | None = None

    @property
    def is_given(self) -> bool:
        """Whether anything was said about them."""
        return self.relaxations is not None or self.most_nodes is not None

    def rules(self) -> EmbeddingRules:
        """The rules of the search.

        Raises:
            CovenantError: EMB0013, there is no such relaxation.
        """
        from covenant.compiler.embeddings import MOST_NODES, RELAXATIONS, EmbeddingRules

        said = "all" if self.relaxations is None else self.relaxations
        names = tuple(dict.fromkeys(name.strip() for name in said.split(",")))
        known = {("all",): RELAXATIONS, ("none",): ()}
        return EmbeddingRules(known.get(names, names), MOST_NODES if self.most_nodes is None else self.most_nodes)


@dataclass(frozen=True)
class EmbeddingsRequest:
    """Embeddings that `compile --emit embeddings` shows or checks."""

    rules: RulesRequest = RulesRequest()
    all: bool = False
    texts: tuple[str, ...] = ()
    """Those to check."""

    @property
    def is_given(self) -> bool:
        """Whether anything was said about them."""
        return self.rules.is_given or self.all or bool(self.texts)


def add_embedding_rules(parser: Any) -> None:
    """`--relaxations` and `--most-nodes`."""
    parser.add_argument(
        "--relaxations", metavar="NAMES",
        help="relaxations that embeddings may need, with commas between (pad,fuse,strided,unroll,band,exchange); "
        "none: strict rules; all unless said",
    )  # fmt: skip
    parser.add_argument(
        "--most-nodes", type=positive, metavar="N",
        help="give up a search for embeddings after N factors, and say so; 4,000,000 unless said",
    )  # fmt: skip


def embedding_rules(arguments: argparse.Namespace) -> RulesRequest:
    """The rules that `add_embedding_rules` has read."""
    return RulesRequest(arguments.relaxations, arguments.most_nodes)


def add_embeddings(parser: argparse.ArgumentParser) -> None:
    """Options of `compile --emit embeddings`."""
    group = parser.add_argument_group("with --emit embeddings: how layers fit into the machine's instructions")
    group.add_argument(
        "--embedding", metavar="TEXT", action="append", default=[],
        help='check an embedding of your own, as "columns: oc*16 | inner: ic*16", instead of searching; repeatable',
    )  # fmt: skip
    add_embedding_rules(group)
    group.add_argument("--all", action="store_true", help="show all embeddings that were found, not only the best ones")


def embeddings_request(arguments: argparse.Namespace) -> EmbeddingsRequest:
    """The request that `add_embeddings` has read."""
    return EmbeddingsRequest(embedding_rules(arguments), arguments.all, tuple(arguments.embedding))
