"""Finds which operators of quantised models machines take, by compiling small models of each."""

from covenant.operators.answers import HOST, MACHINE, REFUSED, Answer, Row, answer_of, elements_of, rows
from covenant.operators.catalogue import FORMS, GROUPS
from covenant.operators.forms import Form
from covenant.operators.page import machines_of_the_page, table

__all__ = [
    "FORMS",
    "GROUPS",
    "HOST",
    "MACHINE",
    "REFUSED",
    "Answer",
    "Form",
    "Row",
    "answer_of",
    "elements_of",
    "machines_of_the_page",
    "rows",
    "table",
]
