"""Writes the small logs and tables of scripts/golden.sh into a folder: the same bytes each time,
from integers and a random number generator of its own.

    python3 tests/golden/fixtures.py target/golden/fixtures
"""

import struct
import sys
from pathlib import Path


class Random:
    """A linear congruential generator, which is the same in every version of Python."""

    def __init__(self, seed):
        self.state = seed

    def below(self, limit):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % limit


# Protocol buffers.


def varint(value):
    value %= 2**64
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def message(*fields):
    """Of (tag, value): whole numbers, or bytes, texts and messages."""
    out = b""
    for tag, value in fields:
        if isinstance(value, int):
            out += varint(tag << 3) + varint(value)
        else:
            value = value.encode() if isinstance(value, str) else value
            out += varint(tag << 3 | 2) + varint(len(value)) + value
    return out


# Two cores, of which one works for what it does in sections; rails; calls by Binder.

THREADS = [(0, "swapper", 0), (101, "ui", 100), (102, "worker", 100), (201, "binder:200_1", 200)]


def perfetto():
    random = Random(3)
    threads = [(2, message((1, tid), (2, name), (3, pid))) for tid, name, pid in THREADS[1:]]
    processes = [
        (1, message((1, 100), (3, "com.example.game"), (5, 10100))),
        (1, message((1, 200), (3, "system_server"), (5, 1000))),
    ]
    packets = [
        message((10, 1), (2, message(*processes, *threads))),
        message((10, 1), (47, message((1, message((1, "com.example.game"), (2, 10100)))))),
    ]
    start = 5_000_000_000
    names = dict((tid, name) for tid, name, _ in THREADS)
    for cpu in (0, 1):
        events, now, running = [], start, 0
        for khz in (600_000, 1_800_000):
            for _ in range(40):
                now += 1_000_000 + random.below(9_000_000)
                after = [0, 101, 102, 201][random.below(4)] if cpu else [0, 201, 0, 102][random.below(4)]
                if after == running:
                    continue
                if running == 101:
                    events.append((now - 3000, 101, (3, message((2, "E|100\n")))))
                switch = message((1, names[running]), (2, running), (5, names[after]), (6, after))
                events.append((now - 1000, running, (4, switch)))
                idle = message((1, 0 if after == 0 else 2**32 - 1), (2, cpu))
                events.append((now - 500, 0, (13, idle)))
                if after == 101:
                    section = "B|100|" + ["draw", "physics", "wattline:level"][random.below(3)] + "\n"
                    events.append((now, 101, (3, message((2, section)))))
                running = after
            events.append((now + 100, 0, (11, message((1, khz), (2, cpu)))))
        bundle = [(1, cpu)]
        for at, pid, event in events:
            bundle.append((2, message((1, at), (2, pid), event)))
        packets.append(message((10, 1), (1, message(*bundle))))
    rails = [(1, message((1, 0), (2, "S2M_VDD_CPUCL2"), (3, "cpu"))), (1, message((1, 1), (2, "VSYS_MEM"), (3, "mem")))]
    packets.append(message((10, 1), (8, start), (40, message(*rails))))
    energy = [1_000_000, 500_000]
    for step in range(9):
        at_ms = start // 1_000_000 + 50 * step
        data = [(2, message((1, rail), (2, at_ms), (3, energy[rail]))) for rail in (0, 1)]
        packets.append(message((10, 1), (8, at_ms * 1_000_000), (40, message(*data))))
        energy = [energy[0] + 30_000 + random.below(40_000), energy[1] + 9_000 + random.below(3_000)]
    return b"".join(message((1, packet)) for packet in packets)


def quanto():
    """A node with three LEDs and a timer; 8.33 uJ a count, 1 us a tick."""
    log, at, energy = bytearray(), 1000, 0
    led, activity = [0, 0, 0], [1, 2, 3]

    def entry(kind, component, value):
        log.extend(struct.pack("<BBIIH", kind, component, at % 2**32, energy % 2**32, value))

    for component in range(4):
        entry(0x30, component, 0)
        entry(0x01, component, 0x100)
    for second in range(1, 25):
        power = 300 + sum(on * counts for on, counts in zip(led, (900, 800, 300)))
        energy += power
        at += 1_000_000
        entry(0x02, 0, 0x105)
        entry(0x30, 0, 1)
        for which in range(3):
            if second % (1 << which) == 0:
                at += 700
                energy += 1
                led[which] ^= 1
                entry(0x04, 0, 0x100 + activity[which])
                entry(0x01, which + 1, 0x100 + activity[which] * led[which])
                entry(0x30, which + 1, led[which])
        at += 900
        entry(0x03, 0, 0x100)
        entry(0x30, 0, 0)
    return bytes(log)


QUANTO_NAMES = """node = 1
tick_s = 1e-6
count_j = 8.33e-6

[[component]]
id = 0
name = "CPU"
processor = true
states = { 0 = "idle", 1 = "active" }
initial = 0

[[component]]
id = 1
name = "LED0"
states = { 0 = "off", 1 = "on" }

[[component]]
id = 2
name = "LED1"
states = { 0 = "off", 1 = "on" }

[[component]]
id = 3
name = "LED2"
states = { 0 = "off", 1 = "on" }

[activities]
0 = "Idle"
1 = "Red"
2 = "Green"
3 = "Blue"
5 = "int_Timer"
"""


def states_csv():
    random = Random(5)
    lines, energy_uj = ["time_s,component,event,value"], 0
    states = {"cpu": ["idle", "busy", "boost"], "radio": ["off", "on"]}
    powers_uw = {"idle": 10_000, "busy": 900_000, "boost": 2_100_000, "off": 0, "on": 400_000}
    now = {"cpu": "idle", "radio": "off"}
    for name, state in now.items():
        lines += [f"0.0,{name},state {state},", f"0.0,{name},set,(none)"]
    lines.append("0.0,,energy,0")
    for step in range(1, 61):
        energy_uj += sum(powers_uw[state] for state in now.values()) // 2 + random.below(4000)
        at = f"{step // 2}.{step % 2 * 5}"
        lines.append(f"{at},,energy,{energy_uj / 1e6:.6f}")
        name = ["cpu", "cpu", "radio"][random.below(3)]
        now[name] = states[name][random.below(len(states[name]))]
        lines.append(f"{at},{name},state,{now[name]}")
        lines.append(f"{at},{name},set,{['mail', 'map', 'music'][random.below(3)]}")
    return "\n".join(lines) + "\n"


def intervals_csv():
    random = Random(6)
    lines = ["Start Time (Seconds),End Time (Seconds),Duration (Seconds),Component,Energy Consumption (Joule)"]
    for component, powers in (("CPU", {"C0": 9, "C1": 2}), ("GPU", {"on": 6, "off": 1})):
        at, states = 0, sorted(powers)
        for step in range(20):
            length = 1 + random.below(9)
            state = states[step % 2]
            figures = f"{at / 10},{(at + length) / 10},{length / 10},{component} {state}"
            lines.append(f"{figures},{powers[state] * length / 100}")
            at += length
    return "\n".join(lines) + "\n"


BATTERYSTATS = """9,0,i,vers,36,214,AP1A.240305.019.A1,AP2A.240805.005.S4
9,hsp,0,10216,"com.example.browser"
9,hsp,1,10001,"job"
9,h,0:RESET:TIME:1732816430344
9,h,0,Bl=100,Bs=d,Bv=4000,Bcc=4000,+r,+w,-S,Pcn=lte
9,h,3600000,Bcc=3990
9,h,0,+S,+Etp=0
9,h,3600000,Bcc=3890
9,h,0,-S,-Etp=0,+Ejb=1
9,h,3600000,Bcc=3880,-Ejb=1
"""

BATTERY_USE = """  Estimated power use (mAh):
  Capacity: 5000, Computed drain: 123.4, actual drain: 120.0
  Global
    screen: 10.0 apps: 10.0 duration: 30m 0s
    cpu: 30.0 apps: 29.0 duration: 1h 0m 0s
  UID u0a123: 50.5 fg: 20 (10m) bg: 30 (20m)
      screen=10.4 cpu=7.05 cpu:fg=3.91
  UID 1000: 25 bg: 25
"""

CPU_USE = """Load: 4.03 / 3.43 / 2.44
CPU usage from 23770ms to 16630ms ago:
  58% 1844/logd: 58% user + 0% kernel / faults: 3 minor
  +9.7% 7834/kworker/0:2: 0% user + 9.7% kernel
25% TOTAL: 12% user + 13% kernel
"""


def lines_log():
    """What a program prints with the API for activities, and beside it a board's samples."""
    lines, random = [], Random(7)
    samples = ["# wattline-samples 1 rails=arm,mem unit=W period_us=100000 update_period_us=200000"]
    busy = []
    for step in range(40):
        begin = 1_000_000_000 + step * 250_000_000
        end = begin + 50_000_000 + random.below(150_000_000)
        label = ["load", "draw", "save"][random.below(3)]
        lines.append(f"wattline-act B {begin} 1 {label}")
        if step % 4 == 0:
            lines.append(f"something else, line {step}")
        lines.append(f"wattline-act E {end} 1")
        busy.append((begin, end))
    for step in range(110):
        at = 900_000_000 + step * 100_000_000
        watts = 3.0 if any(begin <= at <= end for begin, end in busy) else 0.5
        samples.append(f"{at / 1e9:.1f} {watts + random.below(100) / 1000:.3f} {0.2 + random.below(9) / 100:.2f}")
    return "\n".join(lines) + "\n", "\n".join(samples) + "\n"


# Who ran on a machine.


def perf(counters):
    random = Random(8)
    who = [("rustc", 70, 71), ("java", 80, 81), ("java", 80, 82), ("kworker/0:1", 9, 9), ("swapper/0", 0, 0)]
    at_us, lines, running = 100_000_000, [], [4, 4]
    for _ in range(1200):
        cpu, after = random.below(2), random.below(5)
        at_us += 200 + random.below(4000)
        (prev, prev_pid, prev_tid), (new, _, new_tid) = who[running[cpu]], who[after]
        clock = f"{at_us // 1_000_000}.{at_us % 1_000_000:06}"
        if counters:
            head = f"{prev:>16} {prev_pid}/{prev_tid} [{cpu:03}] {clock}:"
            lines.append(f"{head} {random.below(4_000_000):>9} cycles:")
            lines.append(f"{head} {random.below(8_000_000):>9} instructions:")
            head += f" {1:>9}"
        else:
            head = f"{prev:>16} {prev_tid:>5} [{cpu:03}] {clock}:"
        lines.append(
            f"{head} sched:sched_switch: prev_comm={prev} prev_pid={prev_tid} prev_prio=120 "
            f"prev_state=S ==> next_comm={new} next_pid={new_tid} next_prio=120"
        )
        running[cpu] = after
    return "\n".join(lines) + "\n", at_us


def meter_csv(until_us):
    random = Random(9)
    lines, at_us = ["time_s,power_w"], 100_000_000
    while at_us < until_us:
        lines.append(f"{at_us / 1e6:.2f},{6 + random.below(1000) / 100:.2f}")
        at_us += 50_000
    return "\n".join(lines) + "\n"


def xen():
    random = Random(10)
    rapl, counters = ["TSC,CPU,DOM,vCPU,PKG,PP0,PP1,DRAM"], []
    counters.append("TSC,CPU,DOM,vCPU,INSTR_RETIRED.ANY,CPU_CLK_UNHALTED.CORE,CPU_CLK_UNHALTED")
    tsc, joules = 1_000_000_000, 1_000_000
    for _ in range(800):
        tsc += 1_000_000 + random.below(9_000_000)
        cpu, domain = random.below(2), [0, 1, 2, 32767][random.below(4)]
        joules += 500 + random.below(3000)
        cycles = 0 if domain == 32767 else 400_000 + random.below(600_000)
        rapl.append(f"{tsc},{cpu},{domain},0,{joules},{joules // 2},{joules // 9},{joules // 5}")
        counters.append(f"{tsc},{cpu},{domain},0,{cycles * 2},{cycles},{cycles}")
    return "\n".join(rapl) + "\n", "\n".join(counters) + "\n"


def runs_csv(mean_mw):
    random = Random(mean_mw)
    lines = ["case,scenario,power_w"]
    for case in ("pinned", "unpinned"):
        for _ in range(30):
            lines.append(f"{case},running-3,{(mean_mw + random.below(4000) - 2000) / 1000:.3f}")
    return "\n".join(lines) + "\n"


# Cases for a fit: whole counts, an energy that is their sum with noise.


def cases_csv(rows, seed, group=",program"):
    random = Random(seed)
    costs_nj = [12, 30, 7, 55, 90, 3, 18]
    lines = [f"case,energy_j,duration_s{group}," + ",".join(f"op{at}" for at in range(7))]
    for row in range(rows):
        counts = [random.below(1_000_000) * (1 + row % 5) for _ in costs_nj]
        nj = sum(count * cost for count, cost in zip(counts, costs_nj))
        nj += nj // 1000 * (random.below(41) - 20)
        figures = ",".join(map(str, counts))
        program = f",p{row % 6}" if group else ""
        lines.append(f"case{row},{nj / 1e9:.9f},{nj / 2e9:.6f}{program},{figures}")
    return "\n".join(lines) + "\n"


def patterns_csv():
    random = Random(12)
    lines = ["operation,size,type,device,energy_j"]
    operations = {"Addition": 40, "Division": 90, "If": 25, "Array access": 60}
    for operation, nj in operations.items():
        for size, times in (("Variable", 100), ("Constant", 80)):
            for type_, more in (("int", 0), ("long", 9), ("double", 14)):
                for device, extra in (("left", 0), ("right", 5)):
                    for _ in range(3):
                        total = nj * times + (more + extra) * 100 + random.below(200)
                        lines.append(f"{operation},{size},{type_},{device},{total / 1e11:.6e}")
    return "\n".join(lines) + "\n"


def main(folder):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    switches, until_us = perf(False)
    counted, _ = perf(True)
    rapl, counters = xen()
    lines, samples = lines_log()
    files = {
        "trace.pftrace": perfetto(),
        "node.quanto": quanto(),
        "node.toml": QUANTO_NAMES,
        "states.csv": states_csv(),
        "intervals.csv": intervals_csv(),
        "battery.txt": BATTERYSTATS,
        "lines.txt": lines,
        "samples.txt": samples,
        "switches.txt": switches,
        "counted.txt": counted,
        "meter.csv": meter_csv(until_us),
        "rapl.csv": rapl,
        "ctr.csv": counters,
        "batteryuse.txt": BATTERY_USE,
        "cpuinfo.txt": CPU_USE,
        "with.csv": runs_csv(74_900),
        "base.csv": runs_csv(74_500),
        "cases.csv": cases_csv(90, 11),
        "part1.csv": cases_csv(60, 13),
        "part2.csv": cases_csv(50, 14),
        "counted.csv": cases_csv(8, 15, ""),
        "patterns.csv": patterns_csv(),
    }
    for name, content in files.items():
        content = content.encode() if isinstance(content, str) else content
        (folder / name).write_bytes(content)


if __name__ == "__main__":
    main(sys.argv[1])
