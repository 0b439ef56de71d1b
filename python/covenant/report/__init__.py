"""A report of one run: a page for people, and the same figures for programs (docs/reference/report.md)."""

from covenant.report.folder import PAGE, check_report_folder, write_report

__all__ = ["PAGE", "check_report_folder", "write_report"]
