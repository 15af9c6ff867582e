"""What the agent costs a server, by two servers of which one has it.

    overhead.py WATTLINE CLASSPATH [--way instrumentation|sampling] [--rounds N] ...

Both servers (Shop.java) are on core 0, and load at a fixed rate (Load.java) and the monitor
on core 1. Load goes to one server at a time, in windows of seconds: A B B A and so on, so
that a drift of the machine cancels. In a round the agent is in one server first and then in
the other, so that what differs between two JVMs cancels too. Compared are the processor time
of a server's process for a request, by its own clock, and the time from when a request was
due to its answer. What coming and going cost while the JVM compiles anew is in none of it.
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
    """Seconds of CPU time of another process, by its clock (Linux)."""
    return time.clock_gettime((~pid) << 3 | 2)


def groups_s(pid):
    """The same of the compiler's and the agent's threads, Flight Recorder's among them, in
    steps of 10 ms. Threads of requests come and go, and take what they used with them."""
    sums = {"compiler": 0.0, "agent": 0.0}
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{task}/stat", encoding="utf-8") as file:
                head, tail = file.read().rsplit(")", 1)
        except OSError:
            continue  # it has ended
        name = head.split("(", 1)[1]
        kind = "compiler" if "Compiler" in name else "agent"
        if kind == "agent" and not name.startswith(("wattline", "JFR")):
            continue
        fields = tail.split()
        sums[kind] += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return sums


class Server:
    """A server with load of its own, which rests but in windows."""

    def __init__(self, options, java):
        command = ["taskset", "-c", options.core, java, "-cp", options.classpath, "Shop"]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        said = self.process.stdout.readline().split()
        if len(said) < 2:
            sys.exit(f"the server did not start: {' '.join(command)}")
        port = said[1]
        command = ["taskset", "-c", options.load_core, java, "-cp", options.classpath, "Load"]
        command += [port, str(options.rate), str(options.connections), options.path]
        self.load = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.pid = self.process.pid

    def say(self, word):
        self.load.stdin.write(word + "\n")
        self.load.stdin.flush()

    def window(self, seconds):
        """CPU time per request in microseconds, by kind, and times of requests."""
        before, groups = processor_s(self.pid), groups_s(self.pid)
        self.say("go")
        time.sleep(seconds)
        self.say("rest")
        requests, failed, mean, median, p99 = map(float, self.load.stdout.readline().split())
        used, now = processor_s(self.pid) - before, groups_s(self.pid)
        if failed or requests == 0:
            sys.exit(f"{failed:.0f} requests failed, {requests:.0f} answered")
        row = {"processor": 1e6 * used / requests, "mean": mean, "median": median, "p99": p99}
        return row | {kind: 1e6 * (now[kind] - groups[kind]) / requests for kind in now}

    def kill(self):
        for process in (self.load, self.process):
            process.kill()
            process.wait()


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


def overhead(halves, key):
    """Percent by which a figure grows with the agent: the geometric mean over the pairs of
    neighbouring windows, in which a machine's speed hardly changes."""
    pairs = [pair for half in halves for pair in zip(*half)]
    logs = [math.log(on[key] / off[key]) for off, on in pairs]
    return 100 * (math.exp(statistics.fmean(logs)) - 1)


def drive(options, servers, seconds):
    """Load in turns, too short for a connection to be closed meanwhile; nothing is kept."""
    for _ in range(max(1, round(seconds / options.seconds / len(servers)))):
        for server in servers:
            server.window(options.seconds)


def half_round(options, plain, watched):
    """Windows without and with the agent, after the time in which it settles: the compiler
    wants calls, so most load is the watched server's then."""
    monitor = attach(options, watched.pid)
    try:
        drive(options, [watched, watched, watched, plain], options.settle)
        off, on = [], []
        for number in range(options.windows):
            order = [(plain, off), (watched, on)]
            for server, rows in order if number % 2 == 0 else order[::-1]:
                rows.append(server.window(options.seconds))
        return off, on
    finally:
        detach(monitor)


def report(options, rounds):
    halves = [half for halves in rounds for half in halves]
    for key in ("processor", "mean", "median", "p99"):
        parts = [overhead(halves, key) for halves in rounds]
        off = statistics.fmean(mean_of(off, key) for off, _ in halves)
        on = statistics.fmean(mean_of(on, key) for _, on in halves)
        mean, half = interval(parts)
        what = "CPU time" if key == "processor" else f"{key} latency"
        print(f"{options.way} {what:15} {off:8.1f} us without, {on:8.1f} us with: "
              f"{mean:+.1f} % +- {half:.1f} % (95 %, {len(rounds)} rounds; "
              f"{min(parts):+.1f} to {max(parts):+.1f})")
    for kind in ("agent", "compiler"):
        off = statistics.fmean(mean_of(off, kind) for off, _ in halves)
        on = statistics.fmean(mean_of(on, kind) for _, on in halves)
        print(f"{options.way}   threads {kind:9} {off:8.1f} us without, {on:8.1f} us with")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("wattline")
    parser.add_argument("classpath")
    parser.add_argument("--way", default="instrumentation")
    parser.add_argument("--monitor", default="", help="more options of the monitor")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--windows", type=int, default=20, help="of each server in half a round")
    parser.add_argument("--seconds", type=float, default=1, help="of a window")
    parser.add_argument("--settle", type=float, default=60, help="seconds after a change")
    parser.add_argument("--warm", type=float, default=40, help="seconds of load before")
    parser.add_argument("--rate", type=float, default=1500, help="requests a second")
    parser.add_argument("--connections", type=int, default=4)
    parser.add_argument("--path", default="/search?q=lamp")
    parser.add_argument("--out", default="target/monitor-server/attached")
    parser.add_argument("--core", default="0")
    parser.add_argument("--load-core", default="1")
    options = parser.parse_args()
    home = os.environ.get("JAVA_HOME")
    java = f"{home}/bin/java" if home else "java"
    servers = []
    try:
        servers = [Server(options, java) for _ in range(2)]
        drive(options, servers, options.warm)
        rounds = []
        for number in range(options.rounds):
            halves = [half_round(options, *servers), half_round(options, *servers[::-1])]
            rounds.append(halves)
            print(f"round {number + 1}: " + ", ".join(
                f"{mean_of(off, 'processor'):.1f} us without, {mean_of(on, 'processor'):.1f} with"
                for off, on in halves
            ) + f": {overhead(halves, 'processor'):+.1f} %", flush=True)
        report(options, rounds)
    finally:
        for server in servers:
            server.kill()


if __name__ == "__main__":
    main()
