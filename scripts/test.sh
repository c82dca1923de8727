#!/usr/bin/env bash
# Run every test on the newest Spark, and the Spark tests on the oldest beside them:
# scripts/test.sh BIN SPARK35_FOLDER PYTEST_OPTION...
# Up to five tests that failed run once more, alone: a browser or a JVM may be late on a machine that does so much at once.
set -u
bin=$1 spark35=$2
shift 2
kept=$(mktemp -d)
trap 'kill "$beside" 2>/dev/null; rm -rf "$kept"' EXIT
newest() { "$bin/python" -m pytest -q -o cache_dir="$kept/newest" "$@"; }
oldest() { "$spark35/bin/python" -m pytest -q -o cache_dir="$kept/oldest" tests/spark "$@"; }
# Return 0 if the few tests that failed in the last run of `newest` or `oldest` pass alone.
passes_alone() {
    local failed
    failed=$(sed -n 's/^  "\(.*\)": true,\?$/\1/p' "$kept/$1/v/cache/lastfailed")
    [ "$(wc -l <<<"$failed")" -le 5 ] || return 1
    printf '\nThese run once more, alone, on the %s Spark:\n%s\n' "$1" "$failed"
    "$1" --last-failed
}
if [ -e "$spark35/.unavailable" ]; then
    echo "skipped: $(cat "$spark35/.unavailable")" >"$kept/oldest.log" &
else
    oldest >"$kept/oldest.log" 2>&1 &
fi
beside=$!
newest "$@"
newest_ended=$?
wait "$beside"
oldest_ended=$?
printf '\nThe Spark tests on Spark 3.5:\n'
cat "$kept/oldest.log"
if [ "$newest_ended" = 1 ] && passes_alone newest; then newest_ended=0; fi
if [ "$oldest_ended" = 1 ] && passes_alone oldest; then oldest_ended=0; fi
exit $((newest_ended ? newest_ended : oldest_ended))
