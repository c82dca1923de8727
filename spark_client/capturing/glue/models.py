"""Models of pyspark.ml: the frame of the fit, and the folder of the save.

A model is saved as a folder of many files (`metadata`, `data`, `stages/0_Name_12hex/...`), by an execution each. No
plan has the frame of the fit. So `fit` and `save` are wrapped, once in a process, when pyspark.ml is imported. A save
is posted like the write of a DynamicFrame (`GlueFrames.java`); executions of its thread meanwhile are its parts.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

from spark_client.capturing.glue.frames import glue_frames
from spark_client.capturing.glue.steps import Step
from spark_client.capturing.jvm.rdd_actions import SAVES_MODEL, now_ms, reported

# Kind of a model's sink, and the command of its save.
MODEL, MODEL_SAVE = "model", "ModelSave"
UNFITTED = "Model: capture did not see what it was fitted on"
NO_COLUMNS = "a model has no columns"
# Arguments, of a save over Spark Connect: path, frame of the fit, writer, True for a model, start in milliseconds,
# error.
Report: TypeAlias = Callable[[str, Any, Any, bool, int, "BaseException | None"], None]
_lock = threading.Lock()
_installed = False
_reports: list[Report] = []
# By model, the frame of its fit.
_fitted: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()


def wrap_models(report: Report | None = None) -> None:
    """Wrap the methods of pyspark.ml, now or when it is imported; `report` is called for saves over Spark Connect."""
    global _installed
    with _lock:
        _reports[:] = [report] if report is not None else _reports
        if _installed:
            return
        _installed = True
    for name, wrap in _WRAPS.items():
        if name in sys.modules:
            wrap(sys.modules[name])
    sys.meta_path.insert(0, _Imports())


class _Imports(MetaPathFinder):
    """Finder of modules of pyspark.ml; it wraps a module's methods after the import."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Find the spec of a module to wrap; None for all else."""
        wrap = _WRAPS.get(name)
        spec = PathFinder.find_spec(name, path, target) if wrap is not None else None
        if spec is None or spec.loader is None or wrap is None:
            return None
        execute = spec.loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            wrap(module)

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def _wrap_fit(module: ModuleType) -> None:
    fit = module.Estimator.fit

    @functools.wraps(fit)
    def noted(estimator: Any, dataset: Any, *arguments: Any, **named: Any) -> Any:
        result = fit(estimator, dataset, *arguments, **named)
        for model in result if isinstance(result, list) else [result]:
            with suppress(TypeError):  # a model without hash or weak references
                _fitted[model] = dataset
        return result

    module.Estimator.fit = noted


def _wrap_save(module: ModuleType) -> None:
    make = module.JavaMLWriter.__init__

    @functools.wraps(make)
    def init(writer: Any, instance: Any) -> None:
        make(writer, instance)
        writer._headwater_instance = instance

    module.JavaMLWriter.__init__ = init
    for writers in (module.MLWriter, module.JavaMLWriter):
        writers.save = _saving(writers.save)


def _saving(save: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(save)
    def saving(writer: Any, path: str) -> Any:
        from pyspark.sql.utils import is_remote

        if SAVES_MODEL.get():  # part of a larger model's save
            return save(writer, path)
        token = SAVES_MODEL.set(True)
        try:
            if is_remote():
                return _run_remote(writer, path, lambda: save(writer, path))
            return glue_frames.run(lambda: _saved(writer, path), "save", lambda: save(writer, path))
        finally:
            SAVES_MODEL.reset(token)

    return saving


def _instance_of(writer: Any) -> Any:
    names = ("_headwater_instance", "instance", "_instance")
    return next((vars(writer)[name] for name in names if name in vars(writer)), None)


def _run_remote(writer: Any, path: str, save: Callable[[], Any]) -> Any:
    started_ms = now_ms()

    def end(error: BaseException | None) -> None:
        instance = _instance_of(writer)
        for report in _reports:
            report(path, _frame_of(instance), writer, _is_model(instance), started_ms, error)

    return reported(save, end)


def _saved(writer: Any, path: str) -> tuple[Any, Step]:
    """Find the context, and the save of a model; an estimator or transformer is made of no data."""
    context, instance = writer.sparkSession._sc, _instance_of(writer)
    where = context._jvm.org.apache.hadoop.fs.Path(path)
    whole = where.getFileSystem(context._jsc.hadoopConfiguration()).makeQualified(where).toString()
    java = getattr(writer, "_jwrite", None)
    overwrites = writer.shouldOverwrite if java is None else java.shouldOverwrite()
    sink = {"connection_type": MODEL, "options": {"path": whole}, "overwrites": bool(overwrites)}
    return context, Step("sink", (_made_of(instance),), sink)


def _frame_of(instance: Any) -> Any:
    """Find the frame of a model's fit; None without a fit seen by capture."""
    with suppress(TypeError):
        return _fitted.get(instance)
    return None


def _made_of(instance: Any) -> Step:
    frame = _frame_of(instance)
    if frame is not None:
        return Step("frame", frame=frame._jdf)
    return Step("unfitted" if _is_model(instance) else "program")


def _is_model(instance: Any) -> bool:
    from pyspark.ml import Model

    return isinstance(instance, Model)


def _wrap_remote_save(module: ModuleType) -> None:
    module.RemoteMLWriter.save = _saving(module.RemoteMLWriter.save)


_WRAPS: dict[str, Callable[[ModuleType], None]] = {
    "pyspark.ml.base": _wrap_fit,
    "pyspark.ml.util": _wrap_save,
    "pyspark.ml.connect.readwrite": _wrap_remote_save,
}
