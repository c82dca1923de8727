#!/usr/bin/env bash
# Run every test on the newest Spark, and the Spark tests on the oldest beside them:
# scripts/test.sh BIN SPARK35_FOLDER PYTEST_OPTION...
set -u
bin=$1 spark35=$2
shift 2
oldest=$(mktemp)
if [ -e "$spark35/.unavailable" ]; then
    echo "skipped: $(cat "$spark35/.unavailable")" >"$oldest" &
else
    "$spark35/bin/python" -m pytest -q tests/spark >"$oldest" 2>&1 &
fi
beside=$!
trap 'kill "$beside" 2>/dev/null; rm -f "$oldest"' EXIT
"$bin/python" -m pytest -q "$@"
newest_ended=$?
wait "$beside"
oldest_ended=$?
printf '\nThe Spark tests on Spark 3.5:\n'
cat "$oldest"
exit $((newest_ended ? newest_ended : oldest_ended))
