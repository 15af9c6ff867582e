"""Writes the saved draws and ArviZ's figures about them that the tests compare with.

Usage: python benches/reference_diagnostics.py crates/model/src/bayes/fixtures
"""
import sys

import arviz
import numpy

CHAINS, DRAWS = 4, 251  # odd, so that splitting drops a draw


def autoregressive(random, rho, shift=0.0):
    draws = numpy.zeros((CHAINS, DRAWS))
    for chain in range(CHAINS):
        value = random.normal()
        for draw in range(DRAWS):
            value = rho * value + (1 - rho**2) ** 0.5 * random.normal()
            draws[chain, draw] = value + shift * (chain == 0)
    return draws


def main(folder):
    random = numpy.random.default_rng(20261121)
    draws = {
        "independent": autoregressive(random, 0.0),
        "slow": autoregressive(random, 0.95),
        "antithetic": autoregressive(random, -0.4),
        "shifted": autoregressive(random, 0.3, shift=0.5),
        "heavy": numpy.tan(autoregressive(random, 0.5)),
        "coarse": numpy.round(autoregressive(random, 0.5)),
    }
    with open(f"{folder}/draws.csv", "w") as file:
        file.write("chain," + ",".join(draws) + "\n")
        for chain in range(CHAINS):
            for draw in range(DRAWS):
                row = ",".join(f"{draws[name][chain, draw]:.9g}" for name in draws)
                file.write(f"{chain},{row}\n")
    saved = numpy.genfromtxt(f"{folder}/draws.csv", delimiter=",", names=True)
    with open(f"{folder}/figures.csv", "w") as file:
        file.write("name,rhat,ess_bulk,ess_tail,mcse_mean\n")
        for name in draws:
            values = saved[name].reshape(CHAINS, DRAWS)
            figures = (
                arviz.rhat(values),
                arviz.ess(values, method="bulk"),
                arviz.ess(values, method="tail"),
                arviz.mcse(values, method="mean"),
            )
            file.write(name + "," + ",".join(f"{float(f):.10g}" for f in figures) + "\n")


main(sys.argv[1])
