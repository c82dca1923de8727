#!/usr/bin/env bash
# Run every test on the newest Spark, and the Spark tests on the oldest beside them: scripts/test.sh BIN SPARK35_BIN
set -u
oldest=$(mktemp)
"$2/python" -m pytest -q tests/spark >"$oldest" 2>&1 &
beside=$!
trap 'kill "$beside" 2>/dev/null; rm -f "$oldest"' EXIT
"$1/python" -m pytest -q $PARALLEL
newest_ended=$?
wait "$beside"
oldest_ended=$?
printf '\nThe Spark tests on Spark 3.5:\n'
cat "$oldest"
exit $((newest_ended ? newest_ended : oldest_ended))
