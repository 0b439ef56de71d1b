"""The page of a study, and beside it the reports of its points (docs/guide/studies.md)."""

from covenant.study.page.page import check_page, write_page
from covenant.study.page.reports import folder_of_reports, write_reports

__all__ = ["check_page", "folder_of_reports", "write_page", "write_reports"]
