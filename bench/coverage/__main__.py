"""npm run bench:coverage: coverage of each interval of a report. Exits with 1 if an interval without a
caution covers the truth too seldom or too often, or if equal models differ significantly too often.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor

from comparisons import DESIGNS as COMPARISONS
from comparisons import compare_equal_models
from designs import DESIGNS, FEW_EVENTS, QUICK, Design
from net_benefit import report_net_benefit
from simulation import Coverage, joined, simulate, truth_of

_FEWEST_INTERVALS = 0.2
"""Share of the studies; a metric with fewer is not assessed, because most of its studies have no interval."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="npm run bench:coverage --")
    parser.add_argument("--studies", type=int, help="simulated studies per design (300; with --quick 200)")
    parser.add_argument("--quick", action="store_true", help="five designs alone")
    parser.add_argument(
        "--comparisons",
        action="store_true",
        help="how often two equal models differ significantly (300 studies)",
    )
    parser.add_argument(
        "--few-events",
        action="store_true",
        help="designs with one to five expected events; with --comparisons up to five patients of a class",
    )
    parser.add_argument(
        "--net-benefit", action="store_true", help="intervals of the decision curve (500 studies)"
    )
    parser.add_argument("--design", default="", help="only designs whose name holds this text")
    parser.add_argument("--seed", type=int, default=0, help="of the first study")
    options = parser.parse_args()
    if options.comparisons:
        with ProcessPoolExecutor() as pool:
            compared = [design for design in COMPARISONS if options.design in design.name]
            studies = options.studies or 300
            return compare_equal_models(compared, studies, options.seed, options.few_events, pool.map)
    if options.net_benefit:
        with ProcessPoolExecutor() as pool:
            report_net_benefit(options.studies or 500, options.seed, pool)
        return 0
    studies = options.studies or (200 if options.quick else 300)
    known = FEW_EVENTS if options.few_events else QUICK if options.quick else DESIGNS
    designs = [d for d in known if options.design in d.name]
    if not designs:
        parser.error(f'no design holds "{options.design}": {"; ".join(d.name for d in DESIGNS)}')
    print(f"{len(designs)} designs, {studies} studies each; per cent of 95 % intervals that hold the truth\n")
    missed: list[str] = []
    with ProcessPoolExecutor() as pool:
        for design in designs:
            missed += report(design, coverage_of(design, studies, options.seed, pool), studies)
    print(f"\nmissed: {'; '.join(missed)}" if missed else "\nno interval without a caution missed")
    return 1 if missed else 0


def coverage_of(design: Design, studies: int, seed: int, pool: ProcessPoolExecutor) -> dict[str, Coverage]:
    """The studies, divided into as many parts as there are processes."""
    truth = truth_of(design, seed=10**9 + seed)
    step = -(-studies // (os.cpu_count() or 1))
    parts = [range(seed + i, seed + min(i + step, studies)) for i in range(0, studies, step)]
    return joined(list(pool.map(simulate, [design] * len(parts), [truth] * len(parts), parts)))


def report(design: Design, found: dict[str, Coverage], studies: int) -> list[str]:
    """Prints the line of the design; returns the metrics that missed the limit."""
    judged = {name: c for name, c in found.items() if c.given >= _FEWEST_INTERVALS * studies}
    plain = {name: c for name, c in judged.items() if not c.cautioned}
    missed = [name for name, c in plain.items() if not c.kept()]
    print(f"{design.name:38}{len(plain):3} intervals  {_range(plain)}")
    cautioned = [f"{name} {c.text}" for name, c in judged.items() if c.cautioned]
    if cautioned:
        print(f"{'':38}    with a caution: {', '.join(cautioned)}")
    for name in missed:
        print(f"{'':38}    MISSED: {name} {100 * plain[name].share:.1f} of {plain[name].given}")
    sys.stdout.flush()
    return [f"{design.name}: {name}" for name in missed]


def _range(found: dict[str, Coverage]) -> str:
    order: Sequence[tuple[str, Coverage]] = sorted(found.items(), key=lambda item: item[1].share)
    if not order:
        return "none without a caution"
    (lowest, low), (highest, high) = order[0], order[-1]
    return f"lowest {low.text} {lowest}, highest {high.text} {highest}"


if __name__ == "__main__":
    raise SystemExit(main())
