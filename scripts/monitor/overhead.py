"""What the agent costs a server, by paired runs in one JVM.

    overhead.py WATTLINE CLASSPATH [--way instrumentation|sampling] [--blocks N] ...

The server (Shop.java) is on core 0; load at a fixed rate (Load.java) and the monitor are
on core 1. A block is A B B A: without, with, with, without, so that a drift of the machine
cancels. Compared are the processor time of the server's process for a request, by its own
clock, and the time from when a request was due to its answer. What a change of the agent
costs while the JVM compiles anew is a row of its own.
"""

import argparse
import math
import os
import signal
import statistics
import subprocess
import sys
import time

# Student's t, 97.5 %, by degrees of freedom
T = [12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14, 2.13]


def processor_s(pid):
    """Seconds of processor time of another process, by its clock (Linux)."""
    return time.clock_gettime((~pid) << 3 | 2)


def groups_s(pid):
    """The same of the compiler's and the agent's threads, in steps of 10 ms. Threads of
    requests come and go, and take what they used with them."""
    sums = {"compiler": 0.0, "agent": 0.0}
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{task}/stat", encoding="utf-8") as file:
                head, tail = file.read().rsplit(")", 1)
        except OSError:
            continue  # it has ended
        name = head.split("(", 1)[1]
        kind = "compiler" if "Compiler" in name else "agent"
        if kind == "agent" and not name.startswith("wattline"):
            continue
        fields = tail.split()
        sums[kind] += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return sums


class Server:
    def __init__(self, java, classpath, core):
        command = ["taskset", "-c", core, java, "-cp", classpath, "Shop"]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        line = self.process.stdout.readline().split()
        self.port, self.pid = line[1], self.process.pid


class Load:
    def __init__(self, java, classpath, core, port, options):
        command = ["taskset", "-c", core, java, "-cp", classpath, "Load", port]
        command += [str(options.rate), str(options.connections), options.path]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def close_window(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return [float(word) for word in self.process.stdout.readline().split()]


def window(server, load, seconds):
    """Processor time per request in microseconds, by kind, and times of requests."""
    load.close_window()
    before, groups = processor_s(server.pid), groups_s(server.pid)
    time.sleep(seconds)
    requests, failed, mean, median, p99 = load.close_window()
    used, now = processor_s(server.pid) - before, groups_s(server.pid)
    if failed or requests == 0:
        sys.exit(f"{failed:.0f} requests failed, {requests:.0f} answered")
    row = {"processor": 1e6 * used / requests, "mean": mean, "median": median, "p99": p99}
    row |= {kind: 1e6 * (now[kind] - groups[kind]) / requests for kind in now}
    return row


def attach(options, pid):
    command = ["taskset", "-c", options.load_core, options.wattline, "-q", "monitor", "--headless"]
    command += ["--tdp", "65", "--jvm", str(pid), "--mode", options.way]
    command += ["--out", options.out, "--force", *options.monitor.split()]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL)


def detach(monitor):
    monitor.send_signal(signal.SIGINT)
    monitor.wait()


def interval(values):
    """Mean and half of the 95 % interval."""
    mean = statistics.fmean(values)
    if len(values) < 2:
        return mean, math.nan
    t = T[min(len(values) - 2, len(T) - 1)]
    return mean, t * statistics.stdev(values) / math.sqrt(len(values))


def mean_of(rows, key):
    return statistics.fmean(row[key] for row in rows)


def report(options, blocks, changes):
    for key in ("processor", "mean", "median", "p99"):
        ratios = [100 * (mean_of(on, key) / mean_of(off, key) - 1) for off, on in blocks]
        off = statistics.fmean(mean_of(off, key) for off, _ in blocks)
        on = statistics.fmean(mean_of(on, key) for _, on in blocks)
        mean, half = interval(ratios)
        what = "processor time" if key == "processor" else f"{key} latency"
        print(f"{options.way} {what:15} {off:8.1f} us without, {on:8.1f} us with: "
              f"{mean:+.1f} % +- {half:.1f} % (95 %, {len(blocks)} blocks; "
              f"{min(ratios):+.1f} to {max(ratios):+.1f})")
    for kind in ("agent", "compiler"):
        off = statistics.fmean(mean_of(off, kind) for off, _ in blocks)
        on = statistics.fmean(mean_of(on, kind) for _, on in blocks)
        print(f"{options.way}   threads {kind:9} {off:8.1f} us without, {on:8.1f} us with")
    for name, rows in changes.items():
        print(f"{options.way}   {options.settle:.0f} s after it came {name}: "
              f"{mean_of(rows, 'processor'):.1f} us of processor time per request, "
              f"{mean_of(rows, 'compiler'):.1f} of it the compiler's; "
              f"latency {mean_of(rows, 'mean'):.0f} us in the mean")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("wattline")
    parser.add_argument("classpath")
    parser.add_argument("--way", default="instrumentation")
    parser.add_argument("--monitor", default="", help="more options of the monitor")
    parser.add_argument("--blocks", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=5, help="of a window")
    parser.add_argument("--settle", type=float, default=12, help="seconds after a change")
    parser.add_argument("--warm", type=float, default=20)
    parser.add_argument("--rate", type=float, default=1500, help="requests a second")
    parser.add_argument("--connections", type=int, default=4)
    parser.add_argument("--path", default="/search?q=lamp")
    parser.add_argument("--out", default="target/monitor-server/attached")
    parser.add_argument("--core", default="0")
    parser.add_argument("--load-core", default="1")
    options = parser.parse_args()
    home = os.environ.get("JAVA_HOME")
    java = f"{home}/bin/java" if home else "java"
    server = Server(java, options.classpath, options.core)
    load = Load(java, options.classpath, options.load_core, server.port, options)
    monitor = None
    try:
        time.sleep(options.warm)
        blocks, changes = [], {"in": [], "out": []}
        for number in range(options.blocks):
            off = [window(server, load, options.seconds)]
            monitor = attach(options, server.pid)
            changes["in"].append(window(server, load, options.settle))
            on = [window(server, load, options.seconds) for _ in range(2)]
            detach(monitor)
            changes["out"].append(window(server, load, options.settle))
            off.append(window(server, load, options.seconds))
            blocks.append((off, on))
            print(f"block {number + 1}: " + ", ".join(
                f"{row['processor']:.1f}" for row in (off[0], *on, off[1])
            ) + " us per request (without, with, with, without)", flush=True)
        report(options, blocks, changes)
    finally:
        for process in (monitor, load.process, server.process):
            if process and process.poll() is None:
                process.kill()
                process.wait()


if __name__ == "__main__":
    main()
