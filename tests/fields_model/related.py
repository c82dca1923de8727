"""Related paths: a struct and the fields inside it."""


def is_inside(path, struct):
    return len(path) > len(struct) and path[: len(struct)] == struct


def overlap(path, other):
    return path == other or is_inside(path, other) or is_inside(other, path)


def related(path, paths):
    """Return the path itself; else the fields inside it; else the nearest struct around it."""
    if path in paths:
        return {path}
    inside = {reported for reported in paths if is_inside(reported, path)}
    around = sorted((reported for reported in paths if is_inside(path, reported)), key=len)
    return inside or set(around[-1:])


def related_in(path, reports):
    """Return what a path finds in reports, each by itself."""
    return {reported for paths in reports for reported in related(path, paths)}


def went_into(path, used, reports):
    """True if a column went into a column derived from a used one; `reports` are the reported paths of their dataset.

    It did if the used path finds it. If it was not reported, it did if the two paths overlap.
    """
    if any(path in paths for paths in reports):
        return path in related_in(used, reports)
    return overlap(path, used)


def exists(path, paths):
    return any(path == other or is_inside(other, path) for other in paths)
