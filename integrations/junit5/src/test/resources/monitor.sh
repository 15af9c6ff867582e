#!/bin/sh
# Stands in for `wattline` in the tests of the extension: `monitor ... --out FOLDER` writes a
# recording in which the JVM that started it spends 1 J in each cycle.
set -eu
while [ "$1" != --out ]; do shift; done
folder=$2
mkdir -p "$folder"
# Between this script and the JVM is the shell that ends it.
read -r _ _ _ jvm _ <"/proc/$PPID/stat"

header() { # CYCLES
    printf 'recording = 1\ncycles = %s\nis_virtual = false\nnotes = ["made up"]\n' "$1" >"$folder/part"
    printf '[[formulas]]\npart = "cpu"\nname = "made-up"\nbasis = "model"\nfrom = "1 J in each cycle"\n' >>"$folder/part"
    mv "$folder/part" "$folder/monitor.toml"
}

uptime() {
    read -r seconds _ </proc/uptime
    echo "$seconds"
}

cycle() {
    number=$((number + 1))
    end=$(uptime)
    echo "$number,$begin,$end,cpu,made-up,model,2.0,1.0" >>"$folder/cycles.csv"
    echo "$number,$jvm,1,\"java, or so\",0.05,0.5,0.5,1.000000000000000," >>"$folder/processes.csv"
    header "$number"
    begin=$end
}

echo "cycle,start_s,end_s,part,formula,basis,energy_j,unattributed_j" >"$folder/cycles.csv"
echo "cycle,pid,start_ticks,name,cpu_s,share_active,share_capacity,cpu_j,network_j" >"$folder/processes.csv"
number=0
begin=$(uptime)
trap 'cycle; touch "$folder/ended"; exit 0' TERM
header 0
while :; do
    sleep 0.05
    cycle
done
