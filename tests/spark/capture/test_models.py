"""A saved model of pyspark.ml is one write of one folder, made of what the model was fitted on."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from pyspark.ml import Pipeline, PipelineModel, Transformer
from pyspark.ml.evaluation import RegressionEvaluator
from pyspark.ml.feature import StringIndexer, StringIndexerModel, VectorAssembler
from pyspark.ml.regression import LinearRegression
from pyspark.ml.tuning import ParamGridBuilder, TrainValidationSplit
from pyspark.ml.util import DefaultParamsReadable, DefaultParamsWritable
from pyspark.sql import DataFrame, SparkSession

from tests.spark.capture.conftest import Hearing, Watch
from tests.spark.capture.specification import short_name

_UNSEEN = "Model: capture did not see what it was fitted on"


class Same(Transformer, DefaultParamsReadable, DefaultParamsWritable):
    """Transformer that only Python has."""

    def _transform(self, dataset: DataFrame) -> DataFrame:
        return dataset


def _flights(spark: SparkSession) -> DataFrame:
    planes = spark.table("planes").select("tailnum", "seats")
    return spark.table("flights").join(planes, "tailnum", "left").na.fill(0)


def _stages() -> list[Any]:
    return [
        StringIndexer(inputCol="carrier", outputCol="number", handleInvalid="keep"),
        VectorAssembler(inputCols=["number", "seats"], outputCol="features"),
        LinearRegression(labelCol="distance", maxIter=1, solver="l-bfgs"),
    ]


def _best(spark: SparkSession, _: str) -> Any:
    split = TrainValidationSplit(
        estimator=Pipeline(stages=_stages()),
        estimatorParamMaps=ParamGridBuilder().build(),
        evaluator=RegressionEvaluator(labelCol="distance"),
        seed=1,
    )
    best = split.fit(_flights(spark).crossJoin(spark.range(20)))
    gc.collect()  # PySpark leaves its pool of threads to the garbage collector
    return best


def _loaded(spark: SparkSession, out: str) -> StringIndexerModel:
    _stages()[0].fit(_flights(spark)).save(f"{out}_before")
    return StringIndexerModel.load(f"{out}_before")


class Saved(NamedTuple):
    """Model that is saved, what it is made of, and whether it is a case that only `make test-all` needs."""

    make: Callable[[SparkSession, str], Any]
    inputs: str = "flights planes"
    unknown: tuple[str, ...] = ()
    is_slow: bool = False


MODELS = {
    "a model": Saved(lambda spark, _: _stages()[0].fit(_flights(spark))),
    "a pipeline": Saved(lambda spark, _: Pipeline(stages=_stages()).fit(_flights(spark)), is_slow=True),
    "a pipeline with a stage of Python's": Saved(
        lambda spark, _: Pipeline(stages=[Same(), _stages()[0]]).fit(_flights(spark))
    ),
    "the best of several": Saved(_best, is_slow=True),
    "an estimator": Saved(lambda spark, _: Pipeline(stages=_stages()), ""),
    "a transformer": Saved(lambda spark, _: VectorAssembler(inputCols=["seats"], outputCol="f"), ""),
    "a transformer of Python's": Saved(lambda spark, _: Same(), ""),
    "a model that was loaded": Saved(_loaded, "", (_UNSEEN,)),
}


@pytest.mark.filterwarnings("ignore:unclosed running multiprocessing pool:ResourceWarning")
@pytest.mark.parametrize(
    "saved", [pytest.param(each, id=name, marks=[pytest.mark.slow] * each.is_slow) for name, each in MODELS.items()]
)
def test_a_saved_model_is_one_write_of_what_it_was_fitted_on(
    saved: Saved, spark: SparkSession, watch: Watch, tmp_path: Path
) -> None:
    out = str(tmp_path / "model")
    model = saved.make(spark, out)
    first, again = watch.writes_of(lambda: (model.save(out), model.write().overwrite().save(out)))
    for write in (first, again):
        assert (write.output.id.namespace, write.output.id.name) == ("file", out)
        assert sorted(short_name(dataset.id) for dataset in write.inputs) == saved.inputs.split()
        assert (write.unknown_inputs, write.failure, write.tier) == (saved.unknown, None, "tables")
        assert (write.written.rows, bool(write.written.size_bytes)) == (None, True)
    assert (first.change, again.change) == (None, "OVERWRITE")


def test_models_over_spark_connect_are_one_write_each(
    remote: Any, hearing: Hearing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_CONNECT_MODE_ENABLED", "1")
    model = Pipeline(stages=_stages()[:2]).fit(_flights(remote))
    hearing.writes()
    model.save(str(tmp_path / "pipeline"))
    model.stages[0].write().overwrite().save(str(tmp_path / "stage"))
    model.stages[1].save(str(tmp_path / "transformer"))
    with pytest.raises(Exception, match="already exists"):
        model.stages[1].save(str(tmp_path / "transformer"))
    PipelineModel(model.stages).save(str(tmp_path / "together"))
    with hearing.log.without_stacks():
        writes = hearing.writes()
    assert [(short_name(write.output.id), write.change, write.unknown_inputs) for write in writes] == [
        ("pipeline", None, ()),
        ("stage", "OVERWRITE", ()),
        ("transformer", None, ()),
        ("transformer", None, ()),
        ("together", None, (_UNSEEN,)),
    ]
    inputs = [" ".join(sorted(short_name(dataset.id) for dataset in write.inputs)) for write in writes]
    assert inputs == ["flights planes", "flights planes", "", "", ""]
    assert [write.failure is not None for write in writes] == [False, False, False, True, False]


def test_a_save_that_fails_fails_as_it_would_have_and_is_one_failed_write(
    spark: SparkSession, watch: Watch, tmp_path: Path
) -> None:
    model = Pipeline(stages=_stages())
    model.save(str(tmp_path / "model"))

    def save_again() -> None:
        with pytest.raises(Exception, match="already exists"):
            model.save(str(tmp_path / "model"))

    (write,) = watch.writes_of(save_again)
    assert write.failure is not None
    assert "already exists" in write.failure.message


def test_a_write_beside_a_model_is_a_write_of_its_own(spark: SparkSession, watch: Watch, tmp_path: Path) -> None:
    class Noting(Same):
        """Transformer that writes another folder while it is saved."""

        def write(self) -> Any:
            writer = super().write()
            save = writer.saveImpl

            def save_both(path: str) -> None:
                save(path)
                spark.table("planes").write.parquet(str(tmp_path / "notes"))

            writer.saveImpl = save_both
            return writer

    writes = watch.writes_of(lambda: Noting().save(str(tmp_path / "model")))
    assert {short_name(write.output.id): [short_name(each.id) for each in write.inputs] for write in writes} == {
        "model": [],
        "notes": ["planes"],
    }
