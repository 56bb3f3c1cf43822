#!/usr/bin/env bash
# Build the wheel and the source archive, install the wheel into an empty environment outside of this checkout, and use it
# there: the first run of the README, the page, one training run, the dependencies.
#
#   scripts/check_package.sh           with the first Python 3.11 or newer of the path
#   PYTHON=python3.13 scripts/check_package.sh
#   LOWEST=1 scripts/check_package.sh  with the oldest packages that pyproject.toml allows, and some tests of the checkout
#
# OUT   folder for the wheel and the source archive; default: a temporary one
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
checkout=$PWD
PYTHON=${PYTHON:-python3}
scratch=$(mktemp -d)
server=
trap 'if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; fi; rm -rf "$scratch"' EXIT
OUT=${OUT:-$scratch/dist}
mkdir -p "$OUT"
OUT=$(cd "$OUT" && pwd)
if ls "$OUT"/*.whl >/dev/null 2>&1; then echo "error: $OUT holds a wheel already" >&2; exit 2; fi
say() { printf '\n== %s\n' "$*"; }

say "building with $("$PYTHON" --version)"
"$PYTHON" -m venv "$scratch/builder"
"$scratch/builder/bin/python" -m pip install -q --disable-pip-version-check build
git archive HEAD | (mkdir "$scratch/source" && tar -x -C "$scratch/source")  # nothing that git does not have
"$scratch/builder/bin/python" -m build --outdir "$OUT" "$scratch/source" >"$scratch/build.txt" 2>&1 \
  || { tail -n 30 "$scratch/build.txt" >&2; exit 1; }
wheel=$(ls "$OUT"/*.whl)
ls -l "$OUT"

say "what the packages hold"
# Every file of the packages that git has is in the wheel, and nothing else.
git ls-files bt dsl hive scenarios | sort >"$scratch/tracked"
"$PYTHON" -m zipfile --list "$wheel" | awk 'NR > 1 {print $1}' | grep -v '\.dist-info/' | sort >"$scratch/held"
diff "$scratch/tracked" "$scratch/held" || { echo "error: the wheel and the packages differ, see above" >&2; exit 1; }

say "installing into an empty environment"
"$PYTHON" -m venv "$scratch/venv"
export PATH="$scratch/venv/bin:$PATH"
unset PYTHONPATH
cd "$scratch"
if [ -n "${LOWEST:-}" ]; then
  # pip has no way to ask for the oldest, uv does.
  "$scratch/builder/bin/python" -m pip install -q --disable-pip-version-check uv
  "$scratch/builder/bin/uv" pip install -q --python "$scratch/venv" --resolution lowest-direct "$wheel[movie,rl,test,web]"
else
  python -m pip install -q --disable-pip-version-check "$wheel[movie,rl,web]"
fi
python -m pip check
python -c 'import hive; assert "site-packages" in hive.__file__, hive.__file__'

say "the first run"
hive --version
hive list >list.txt
hive run coordinate --units 100 --seeds 3
hive run coordinate --units 100 --movie --out first
hive replay first
hive run wildfire/scout_fire_small
hive run kitchen/boiled_egg --out kitchen
hive verify first

say "a training run"
hive train kitchen_two_orders --steps 8192 --out policy
hive evaluate policy --episodes 4

say "the page"
hive serve coordinate --units 100 >serve.txt 2>&1 &
server=$!
for _ in $(seq 120); do
  link=$(grep -o 'http://[^ ]*' serve.txt || true)
  if [ -n "$link" ] || ! kill -0 "$server"; then break; fi
  sleep 1
done
python - "$link" <<'PY'
import sys, urllib.request
with urllib.request.urlopen(sys.argv[1], timeout=60) as page:
    text = page.read().decode()
assert page.status == 200 and "<html" in text.lower(), text[:200]
print("the page answers:", len(text), "characters")
PY

if [ -n "${LOWEST:-}" ]; then
  say "tests of what each package is used for"
  cd "$checkout"
  # Languages (lark), options (cyclopts), files (msgspec), pictures (matplotlib, pillow), learners (flax, optax, orbax).
  python -m pytest -q -m "not slow and not long" -p no:cacheprovider tests/dsl tests/cli/test_entry.py \
    tests/cli/test_values.py tests/hive/test_file_schemas.py tests/view/test_picture.py tests/view/test_movie.py \
    tests/rl/test_ppo.py tests/rl/test_training.py tests/rl/test_views.py tests/web/test_live.py tests/mcp
fi

say "all of it works"
