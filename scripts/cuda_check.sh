#!/bin/sh
# The quick suite on a CUDA device, within ten minutes, and a table of what it found.
#
#   scripts/cuda_check.sh [FOLDER]      rows and result.json go to FOLDER, out/cuda by default
#
# Needs `make venv`, or PYTHON=... with attlas's dependencies. Exits 0 if the suite passes, 1 if it
# does not, 2 where there is no CUDA device, 124 after ten minutes (what was run is kept: repeat).
set -eu
cd "$(dirname "$0")/.."
folder=${1:-out/cuda}
python=${PYTHON:-.venv/bin/python}
command -v "$python" >/dev/null || { echo "no $python: run make venv, or set PYTHON" >&2; exit 2; }

"$python" -c '
import sys, torch
if not torch.cuda.is_available():
    sys.exit("no CUDA device is visible to torch " + torch.__version__)
' || exit 2

mkdir -p "$folder"
workers=$(nproc)
[ "$workers" -le 8 ] || workers=8 # they share the device; the paired theory is solved beside it
code=0
timeout 600 "$python" -c 'from attlas.cli.main import run; run()' verify --suite quick --device cuda \
    --processes "$workers" --store "$folder/store" --json >"$folder/result.json" || code=$?
[ "$code" -le 1 ] || exit "$code"

"$python" - "$folder/result.json" <<'TABLE'
import json
import sys
from collections import Counter

document = json.load(open(sys.argv[1], encoding="utf-8"))
result = document["result"]
print(f"{result['machine']['accelerator']}; torch {result['packages']['torch']}")
print(", ".join(f"{stage} {seconds:.0f} s" for stage, seconds in result["seconds"].items()))
print(f"{result['rows_made']} runs made, {result['rows_reused']} were there")
print(f"{'claim':20} {'verdicts':40} {'controls':10} {'worst certificate':>18} {'run seconds':>12}")
for claim in result["claims"]:
    outcomes = Counter(verdict["outcome"] for verdict in claim["verdicts"])
    verdicts = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items()))
    controls = f"{sum(c['rejected'] for c in claim['controls'])}/{len(claim['controls'])}"
    sizes = [size for point in claim["points"] for size in point["sizes"]]
    worst = max(size["largest_certificate"] or 0.0 for size in sizes)
    seconds = sum(size["seconds"] for size in sizes)
    print(f"{claim['id']:20} {verdicts:40} {controls:10} {worst:18.1e} {seconds:12.1f}")
print(document["status"]["message"])
TABLE
exit "$code"
