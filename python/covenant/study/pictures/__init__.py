"""Pictures of a study: fronts with names, accuracy against bits, where cycles and energy go. SVG and PNG."""

from covenant.study.pictures.write import check_pictures, picture_names, write_picture, write_pictures

__all__ = ["check_pictures", "picture_names", "write_picture", "write_pictures"]
