# For stages of scripts/test.d that are shell scripts:
#
#     . scripts/lib/stage.sh
#     check "what is promised" command arguments...     counts; prints the command's output when it fails
#     beside "what is promised" command arguments...    the same beside what follows, a command for each processor
#     gather                                            waits for those and counts them, in the order they began
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

counted() { # what, exit status, file with its output, command...
    local what=$1 status=$2 output=$3
    shift 3
    if [ "$status" -eq 0 ]; then
        stage_passed=$((stage_passed + 1))
        echo "ok    $what"
    else
        stage_failed=$((stage_failed + 1))
        echo "FAIL  $what  (status $status: $*)"
        sed 's/^/      /' "$output"
    fi
}

check() {
    local what=$1 status=0 begun=$SECONDS
    shift
    "$@" >"$stage_work/output" 2>&1 || status=$?
    counted "$what$(took $((SECONDS - begun)))" "$status" "$stage_work/output" "$@"
}

# What is long is found in the log, when the whole run takes too long.
took() { # seconds
    [ "$1" -lt 5 ] || echo " ($1 s)"
}

stage_beside=()

beside() {
    local what=$1 output=$stage_work/beside.${#stage_beside[@]}
    shift
    while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n; done
    # Quoted, so that `gather` has the words again as they are here.
    stage_beside+=("$(printf '%q ' "$what" "$output" "$@")")
    {
        begun=$SECONDS
        "$@" >"$output" 2>&1
        echo $? $((SECONDS - begun)) >"$output.status"
    } &
}

gather() {
    local begun words status seconds
    wait
    for begun in "${stage_beside[@]}"; do
        eval "words=($begun)"
        # Without a file, or with half of it, the command was ended from outside.
        read -r status seconds <"${words[1]}.status" || { status=255 seconds=0; }
        counted "${words[0]}$(took "$seconds")" "$status" "${words[1]}" "${words[@]:2}"
    done
    stage_beside=()
    rm -f "$stage_work"/beside.*
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
