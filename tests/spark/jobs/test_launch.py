"""Script of the Spark jobs: the arguments that Glue passes, and those that the job gets."""

from importlib import import_module

import pytest

from headwater.records.digest import key_of
from headwater_model.archive_tables import manifest_key
from headwater_model.errors import HeadwaterError
from jobs import compact_archive
from jobs.launch import JOBS, main
from tests.spark.archive_folder import DAY, ArchiveFolder

_RUNS = {
    "with equals signs": ["--job=compact_archive", "--archive={archive}", f"--day={DAY}", "--attempt=a-1"],
    "with what Glue adds": [
        *("--enable-metrics", "--job-language", "python", "--TempDir", "s3://temp/", "--job", "compact_archive"),
        *(
            "--day",
            DAY,
            "--attempt",
            "a-1",
            "--JOB_NAME",
            "compact",
            "--archive",
            "{archive}",
            "--enable-glue-datacatalog",
        ),
    ],
    "the run's own after the job's": [
        *("--job", "compact_archive", "--archive", "{archive}", "--attempt", "another"),
        *("--day", DAY, "--attempt", "a-1"),
    ],
}


@pytest.mark.parametrize("arguments", _RUNS.values(), ids=_RUNS)
def test_the_job_that_is_named_runs_with_its_own_arguments(spark, tmp_path, arguments):
    archive = ArchiveFolder(tmp_path / "archive")
    archive.seal(DAY)
    assert main([argument.format(archive=archive.folder) for argument in arguments], spark) == 0
    assert (archive.folder / manifest_key(DAY, "a-1")).exists()


@pytest.mark.parametrize("arguments", [[], ["--job"], ["--job", "--day"], ["--job", "os"], ["compact_archive"]])
def test_a_job_that_there_is_not_is_refused(arguments):
    with pytest.raises(ValueError, match=f"--job: must be one of {', '.join(sorted(JOBS))}, got"):
        main(arguments)


def test_every_job_takes_the_arguments_of_its_help(capsys):
    for job in map(import_module, JOBS.values()):
        with pytest.raises(SystemExit):
            job.main(["--help"])
        help_text = capsys.readouterr().out
        assert all(f"--{argument}" in help_text for argument in job.ARGUMENTS)


def test_what_a_job_lacks_ends_it(spark, capsys):
    with pytest.raises(SystemExit):
        main(["--job", "compact_archive", "--day", DAY, "--attempt", "a-1"], spark)
    assert "--archive" in capsys.readouterr().err


def test_what_a_job_refuses_ends_the_run(spark, tmp_path):
    archive = ArchiveFolder(tmp_path / "archive")
    archive.seal(DAY)
    archive.put(key_of(DAY), b"")
    with pytest.raises(HeadwaterError, match="does not begin as one"):
        compact_archive.main(["--archive", str(archive.folder), "--day", DAY, "--attempt", "a-1"], spark)
