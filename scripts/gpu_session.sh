#!/usr/bin/env bash
# Measure this checkout on a machine with a GPU; no network is needed. Each stage takes less than ten minutes:
#
#   scripts/gpu_session.sh rows        constants of the model, ticks, batches, crews, fires, maps, with each choice of sizes
#   scripts/gpu_session.sh games       what must be equal to the bit, whole games of all five abilities, CUDA graphs
#   scripts/gpu_session.sh train       training at several sizes, whether reruns are equal, and XLA's deterministic operations
#   scripts/gpu_session.sh tests       the tests that say something about a GPU
#   scripts/gpu_session.sh try         a few small cases, to try this script on any machine
#
# OUT     folder for results.jsonl (one line a measurement), table.txt and log.txt; default: runs/gpu
# PYTHON  an interpreter that has JAX for the GPU, NumPy, Flax, matplotlib, Pillow, rich; default: python3
# WHEELS  a folder of wheels (lark, jaxtyping ...), installed into a folder of their own if Python lacks them
# LIMIT   seconds after which no further case is begun; default: 540
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
STAGE=${1:-}
OUT=${OUT:-runs/gpu}
PYTHON=${PYTHON:-python3}
LIMIT=${LIMIT:-540}
mkdir -p "$OUT"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export PYTHONPATH="$PWD${PYTHONPATH:+:$PYTHONPATH}" PYTHONUNBUFFERED=1 MPLBACKEND=Agg
if [ -n "${WHEELS:-}" ]; then
  "$PYTHON" -m pip install -q --no-index --no-deps --no-cache-dir --upgrade --target "$scratch/site" "$WHEELS"/*.whl || exit 1
  export PYTHONPATH="$PYTHONPATH:$scratch/site"
fi
# A processor is needed beside the GPU for comparison; memory is taken as it is needed, since processes share the GPU.
export JAX_PLATFORMS=${JAX_PLATFORMS:-cuda,cpu} XLA_PYTHON_CLIENT_PREALLOCATE=false
export JAX_COMPILATION_CACHE_DIR=${JAX_COMPILATION_CACHE_DIR:-$scratch/cache} JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS=0

JOBS=() # "sizes|flags of XLA|seconds at most|case"
add() { # add SIZES FLAGS SECONDS ROW CASE...
  local sizes=$1 flags=$2 most=$3 row=$4 case
  shift 4
  for case in "$@"; do
    JOBS+=("$sizes|$flags|$most|{\"row\": \"$row\", \"case\": $case, \"sizes\": \"$sizes\"}")
  done
}

case $STAGE in
  rows)
    add gpu "" 100 constants '{}'
    for units in 1000 4000 64000; do add gpu "" 100 tick "{\"units\": $units, \"parts\": false}"; done
    add gpu "" 100 tick '{"units": 16000, "parts": false, "scenes": 2}' '{"units": 1000000, "parts": false, "scenes": 1}'
    add gpu "" 100 batch '{"units": 10, "batches": [64, 4096, 16384]}' '{"units": 100, "batches": [1024]}'
    add gpu "" 100 crew '{"units": 20, "side": 100}' '{"units": 2000, "side": 1000}' '{"units": 100000, "side": 1000}'
    add gpu "" 100 maps '{}'
    add gpu "" 100 fire '{"side": 1000}' '{"side": 4000}'
    add gpu "" 100 fires '{"maps": 10000, "side": 32}'
    add cpu "" 100 tick '{"units": 1000, "parts": false, "scenes": 2}' '{"units": 64000, "parts": false, "scenes": 2}'
    add cpu "" 100 batch '{"units": 10, "batches": [4096]}'
    add cpu "" 100 crew '{"units": 20, "side": 100}'
    ;;
  games)
    add gpu "" 200 abilities '{"seeds": 64}'
    add gpu "" 100 games '{"batches": [64, 1024]}'
    add gpu "" 150 alike '{}'
    graphs=$("$PYTHON" -c "from hive.ground.sizes import GRAPHS; print(GRAPHS)") || exit 1
    add gpu "$graphs" 60 batch '{"units": 10, "batches": [4096]}'
    add gpu "$graphs" 60 tick '{"units": 4000, "parts": false, "scenes": 1}'
    ;;
  train)
    for flags in "" --xla_gpu_deterministic_ops=true; do
      add gpu "$flags" 150 learners '{"training": [64]}' '{"training": [4096]}' '{"training": [65536]}'
    done
    add gpu "" 100 learners '{"worlds": [4096, 65536]}'
    ;;
  tests)
    timeout "$LIMIT" "$PYTHON" -m pytest -q -m "not slow" -n "${PROCESSES:-6}" -p no:cacheprovider tests/world \
      tests/hive/test_batch.py tests/engine/test_senses.py tests/engine/test_combat.py tests/engine/test_motion.py \
      tests/engine/test_paths.py tests/engine/test_lookout.py 2>&1 | tee "$OUT/log.txt" | tail -n 40
    exit
    ;;
  try)
    add gpu "" 100 constants '{}'
    add gpu "" 100 tick '{"units": 200, "parts": false, "scenes": 1}'
    add cpu "" 100 batch '{"units": 10, "batches": [4]}'
    ;;
  *)
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}" >&2
    exit 2
    ;;
esac

one() { # one case in a process of its own, so that none can harm another; what it prints, and a line if it fails
  local sizes flags most asked rc all
  IFS='|' read -r sizes flags most asked <<<"$1"
  all="${XLA_FLAGS:-}${flags:+ $flags}"
  XLA_FLAGS="${all# }" timeout "$most" "$PYTHON" -m hive.experiments.bench "$asked" 2>>"$OUT/log.txt" \
    | { grep --line-buffered '^{"row"' || true; } | sed -u "s|}\$|, \"flags\": \"$flags\"}|"
  rc=${PIPESTATUS[0]}
  [ "$rc" = 0 ] || echo "${asked%\}}, \"flags\": \"$flags\", \"error\": \"exit code $rc (124: stopped after $most s)\"}"
}
export -f one
export OUT PYTHON

began=$SECONDS
command -v nvidia-smi >/dev/null && nvidia-smi --query-gpu=name,driver_version,clocks.sm,memory.used --format=csv,noheader
# Every program is compiled first, many side by side, into one cache; these runs are not kept.
printf '%s\n' "${JOBS[@]}" | grep -v '"constants"' | grep -v -- "command_buffer" \
  | xargs -d '\n' -P "${PROCESSES:-8}" -I{} bash -c 'one "$1" >/dev/null' _ {}
echo "compiled in $((SECONDS - began)) s"
for job in "${JOBS[@]}"; do
  if [ $((SECONDS - began)) -gt "$LIMIT" ]; then
    echo "{\"row\": \"none\", \"error\": \"no time was left for ${job//\"/\'}\"}"
  else
    one "$job"
  fi | tee -a "$OUT/results.jsonl" | cut -c1-150
done
"$PYTHON" -m hive.experiments.bench --table "$OUT/results.jsonl" | tee "$OUT/table.txt"
