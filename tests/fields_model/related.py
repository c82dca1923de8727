"""Related paths: a struct and the fields inside it."""

from __future__ import annotations


def is_inside(path, struct):
    return len(path) > len(struct) and path[: len(struct)] == struct


def overlap(one, other):
    return one == other or is_inside(one, other) or is_inside(other, one)


def related(path, paths):
    """Return the path itself; else the fields inside it; else the nearest struct around it."""
    if path in paths:
        return {path}
    inside = {one for one in paths if is_inside(one, path)}
    around = sorted((one for one in paths if is_inside(path, one)), key=len)
    return inside or set(around[-1:])


def related_in(path, reports):
    """Return what a path finds in reports, each by itself."""
    return {one for paths in reports for one in related(path, paths)}


def went_into(path, used, reports):
    """True if a column went into a column derived from a used one; `reports` are the reported paths of their dataset.

    It did if the used path finds it. If it was not reported, it did if the two paths overlap.
    """
    if any(path in paths for paths in reports):
        return path in related_in(used, reports)
    return overlap(path, used)


def exists(path, paths):
    return any(path == one or is_inside(one, path) for one in paths)
