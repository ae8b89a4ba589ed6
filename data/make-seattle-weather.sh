#!/usr/bin/env bash
# Makes seattle-weather.csv from the file of the same name in the PyPI package vega_datasets 0.9.0: dates become
# 2012-01-31, and the year gets a column of its own. Usage: make-seattle-weather.sh ORIGINAL > seattle-weather.csv
set -euo pipefail

awk -F, -v OFS=, '
    NR == 1 { $1 = "date" OFS "year"; print; next }
    { split($1, day, "/"); $1 = day[1] "-" day[2] "-" day[3] OFS day[1]; print }
' "$1"
