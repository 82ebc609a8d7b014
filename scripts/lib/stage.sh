# For stages of scripts/test.d that are shell scripts:
#
#     . scripts/lib/stage.sh
#     check "what is promised" command arguments...     counts; prints the command's output when it fails
#     skip "what is not checked" "why"
#     finish                                            the last line: prints the count, exits accordingly
#
# The stage runs in the root of the repository, after scripts/build.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
export LC_ALL=C.UTF-8

stage_passed=0
stage_failed=0
stage_skipped=0
stage_work=$(mktemp -d)
trap 'rm -rf "$stage_work"' EXIT

check() {
    local what=$1
    shift
    if "$@" >"$stage_work/output" 2>&1; then
        stage_passed=$((stage_passed + 1))
        echo "ok    $what"
    else
        local status=$?
        stage_failed=$((stage_failed + 1))
        echo "FAIL  $what  (status $status: $*)"
        sed 's/^/      /' "$stage_work/output"
    fi
}

# For a condition that should not hold: check "no X" none grep X file
none() {
    if "$@"; then
        return 1
    fi
}

skip() {
    stage_skipped=$((stage_skipped + 1))
    echo "skip  $1: $2"
}

finish() {
    local skipped=
    [ "$stage_skipped" -eq 0 ] || skipped=", $stage_skipped skipped"
    echo "stage: $stage_passed passed, $stage_failed failed$skipped"
    [ "$stage_failed" -eq 0 ]
    exit
}
