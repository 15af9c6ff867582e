# The joined log of the ODROID-XU3 (github.com/kranik/ARMPM_BUILDMODEL, cbench/concatenated.data)
# -> a CSV for `wattline fit`: joules between consecutive samples of one program's run, the
# interval's length and the counters. Usage: awk -v mhz=1000 -f benches/xu3.awk concatenated.data
BEGIN { FS = "\t"; OFS = "," }
NR == 1 {
    printf "case,program,energy_j,interval_s"
    for (i = 9; i <= NF; i++) printf ",%s", $i
    print ""
    next
}
$4 == mhz {
    # Nanoseconds since 1970 have more digits than a number: the last fifteen will do.
    now = substr($1, 5) * 1e-9
    if ($2 == program && $3 == run) {
        interval = now - before
        printf "%s,%s,%.12g,%.12g", $1, $2, $8 * interval, interval
        for (i = 9; i <= NF; i++) printf ",%s", $i
        print ""
    }
    program = $2; run = $3; before = now
}
