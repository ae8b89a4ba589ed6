#!/usr/bin/env bash
# The command-line tool on real data, as `./dev demo` shows it: the running rainfall of four years in Seattle, with a
# picture, and then a gibibyte of float32 through files and in memory, beside this machine's own copies of it.
# Usage: demo.sh UPSWEEP [FOLDER], the program and where results go (build/demo/results).
set -euo pipefail

upsweep=$(readlink -f "${1:?usage: demo.sh UPSWEEP [FOLDER]}")
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
folder=${2:-build/demo/results}
mkdir -p "$folder"

show() { printf '\n$ upsweep %s\n' "$*"; }

# --- rainfall -----------------------------------------------------------------------------------------------

weather=data/seattle-weather.csv
for picture in "$folder/rainfall.svg" "$folder/rainfall.png"; do
    arguments=(scan "$weather" --column precipitation --by year -o "$folder/rainfall.csv" --plot "$picture")
    show "${arguments[@]}"
    "$upsweep" "${arguments[@]}"
done

printf '\n%-6s %6s %12s %22s\n' year days 'rain in mm' 'of it before 1 July'
awk -F, '
    NR == 1 { for (i = 1; i <= NF; ++i) place[$i] = i; next }
    {
        year = $place["year"]; total = $place["precipitation_sum"]
        if (!(year in days)) order[++years] = year
        ++days[year]; rain[year] = total
        if (substr($place["date"], 6) < "07-01") half[year] = total
    }
    END {
        for (i = 1; i <= years; ++i) {
            year = order[i]
            printf "%-6s %6d %12.1f %19.0f %%\n", year, days[year], rain[year], 100 * half[year] / rain[year]
        }
    }' "$folder/rainfall.csv"
printf '\nThe running rainfall of every day: %s\nIts picture: %s and .png\n' "$folder/rainfall.csv" "$folder/rainfall.svg"

# --- a gibibyte ---------------------------------------------------------------------------------------------

kib_free=$(df -Pk "$folder" | awk 'NR == 2 { print $4 }')
kib_memory=$(awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo 2>/dev/null || echo 0)
elements=$((1 << 28))
while ((elements > 1 << 20 && kib_free < elements * 14 / 1024)); do elements=$((elements / 2)); done
mib=$((elements * 4 / 1048576))
if ((elements < 1 << 28)); then printf '\nOnly %d MiB of disk are free here: %d MiB instead of 1 GiB.\n' $((kib_free / 1024)) "$mib"; fi

big=$(mktemp -d "$folder/big.XXXXXX")
trap 'rm -rf "$big"' EXIT
printf '\nMaking an array of %d float32 (%d MiB): the running sums of as many random bytes.\n' "$elements" "$mib"
head -c "$elements" /dev/urandom >"$big/bytes.raw"
"$upsweep" scan "$big/bytes.raw" --input-dtype uint8 --dtype float32 -o "$big/array.npy"
rm "$big/bytes.raw"

seconds_since() { awk -v start="$1" -v end="$EPOCHREALTIME" 'BEGIN { printf "%.6f\n", end - start }'; }
median() { sort -g | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'; }
field() { sed -n "s/.*\"$1\": \([0-9.e+-]*\).*/\1/p"; }
rate() { awk -v seconds="$1" -v elements="$elements" 'BEGIN { printf "%.2f GB/s", 8 * elements / seconds / 1e9 }'; }
percent() { awk -v copy="$1" -v scan="$2" 'BEGIN { printf "%.0f %%", 100 * copy / scan }'; }

# Scan and copy take turns, since a machine's speed drifts; the median of five rounds counts.
show scan array.npy -o sums.npy
scans=() copies=()
for _ in 1 2 3 4 5; do
    scans+=("$("$upsweep" scan "$big/array.npy" -o "$big/sums.npy" --json | field seconds)")
    rm "$big/sums.npy"
    start=$EPOCHREALTIME
    cp --reflink=never "$big/array.npy" "$big/copy.npy"
    copies+=("$(seconds_since "$start")")
    rm "$big/copy.npy"
done
scan=$(printf '%s\n' "${scans[@]}" | median)
copy=$(printf '%s\n' "${copies[@]}" | median)

printf '\n%-34s %9s %12s %12s\n' "$mib MiB of float32, read and written" seconds speed 'of the copy'
printf '%-34s %9.3f %12s\n' 'cp, file to file' "$copy" "$(rate "$copy")"
printf '%-34s %9.3f %12s %12s\n' 'upsweep scan, file to file' "$scan" "$(rate "$scan")" "$(percent "$copy" "$scan")"
if ((kib_memory > elements * 10 / 1024)); then
    bench=$("$upsweep" bench --sizes "$elements" --json)
    scan=$(field seconds <<<"$bench")
    copy=$(field copy_seconds <<<"$bench")
    printf '%-34s %9.3f %12s\n' 'copy by all threads, in memory' "$copy" "$(rate "$copy")"
    printf '%-34s %9.3f %12s %12s\n' 'running sum, in memory' "$scan" "$(rate "$scan")" "$(percent "$copy" "$scan")"
fi
