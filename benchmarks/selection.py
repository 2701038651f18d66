"""How long a decision takes, every rejection recorded, beside LiteLLM's Router.

Run: python -m benchmarks.selection [--litellm PYTHON], PYTHON being that of an environment with litellm installed; both
are then measured in this one run. A figure is the best of several medians, the worst printed beside it: a neighbour on
the same processor doubles it. Exit 1 when a bound is missed.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType

from catalog.selector import Bound, Decision, Health, Request, select
from catalog.snapshot import Model, Offer, Price, Snapshot

SIZES = (10, 100, 1_000, 10_000)
VENDORS = tuple(f"vendor-{number}" for number in range(8))
DAY = "2026-11-30"
BOUND_SELECT, BOUND_JSON = 0.5, 5.0
"""Milliseconds at 1,000 offers."""
BOUND_LARGE = 1.0
"""Milliseconds per 1,000 offers at 10,000: linear growth, but what is compared no longer fits the cache."""


def requests() -> Mapping[str, Request]:
    """Return the requests that are measured, by name."""
    health = Health()
    health.failed("m-00000", "vendor-0", whole_vendor=False, reason="status 503")
    health.failed("", "vendor-1", whole_vendor=True, reason="status 401")
    return {
        "no needs": Request(type="llm", as_of=DAY),
        "typical": Request(type="llm", as_of=DAY, min_power=300, input_tokens=100_000, max_price_in="5"),
        "every need": Request(
            type="llm",
            as_of=DAY,
            min_power=200,
            max_power=900,
            input_tokens=50_000,
            output_tokens=4_000,
            outputs=("text",),
            capabilities=("tools",),
            max_price_in="8",
            max_price_out="40",
            never_vendors=("vendor-7",),
        ),
        "vendor order": Request(type="llm", as_of=DAY, min_power=300, vendor_order=("vendor-3", "vendor-1")),
        "balanced": Request(type="llm", as_of=DAY, min_power=300, prefer="balanced"),
        "power-match": Request(type="llm", as_of=DAY, bound=(Bound("m-00001"), Bound("m-00002")), max_price_in="5"),
        "cooling down": Request(type="llm", as_of=DAY, min_power=300, health=health.cooling()),
    }


def main() -> None:
    """Measure and print; end in 1 when a bound is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--litellm", metavar="PYTHON", help="Python of an environment with litellm.")
    chosen = parser.parse_args()
    print(f"decisions, 4 offers a model: ≤ {BOUND_SELECT} ms at 1,000, ≤ {BOUND_LARGE} ms per 1,000 at 10,000")
    missed = [decisions(4)]
    print("\ndecisions, 1 offer a model, no bound")
    decisions(1)
    missed += [json_once(), not threads(synthetic(1_000))]
    litellm(chosen.litellm)
    sys.exit(1 if any(missed) else 0)


def decisions(offers_a_model: int) -> bool:
    """Time decisions over all sizes; return whether a bound is missed."""
    print(f"{'offers':>7}  {'request':14}{'kept':>7}{'out':>7}{'ms':>9}{'worst':>9}{'per 1,000':>11}")
    missed = False
    for size in SIZES:
        snapshot = synthetic(size, offers_a_model)
        for name, request in requests().items():
            decision = select(snapshot, request)
            best, worst = measured(lambda s=snapshot, r=request: select(s, r))
            each = best / size * 1_000
            late = (size == 1_000 and each > BOUND_SELECT) or (size > 1_000 and each > BOUND_LARGE)
            missed |= late
            print(
                f"{size:>7,}  {name:14}{len(decision.candidates):>7,}{len(decision.rejected):>7,}{best:>9.3f}"
                f"{worst:>9.3f}{each:>11.3f}{'  over' if late and offers_a_model > 1 else ''}",
                flush=True,
            )
    return missed


def json_once() -> bool:
    """Time what happens once on a snapshot: its preparation and the first JSON; return whether a bound is missed."""
    request = requests()["typical"]
    prepared, first, again = [], [], []
    for _ in range(15):
        snapshot = synthetic(1_000)
        prepared.append(once(lambda s=snapshot: select(s, request)))
        decision = select(snapshot, request)
        first.append(once(decision.to_json))
        again.append(once(decision.to_json))
    print(f"\n1,000 offers: first decision on a snapshot {min(prepared):.1f} ms (it prepares the type), then as above")
    print(f"JSON of the decision: first {min(first):.2f} ms, again {min(again):.2f} ms; bound {BOUND_JSON:g} ms")
    return min(first) > BOUND_JSON


def synthetic(offers: int, a_model: int = 4) -> Snapshot:
    """Return a snapshot of models with some offers each; facts spread over what a catalog holds, ranks over 600."""
    count = -(-offers // a_model)
    models = {}
    for number in range(count):
        slug = f"m-{number:05}"
        served = [_offer(slug, number, place) for place in range(min(a_model, offers - number * a_model))]
        facts = {
            "id": number, "type": "llm", "slug": slug, "name": slug, "status": "active", "inputs": "text",
            "outputs": "text", "capabilities": "tools" if number % 3 else "tools,vision", "max_output": 32_000,
            "context_window": 32_000 * (1 + number % 9), "speed_rank": 1 + number % 12, "cost_rank": 1 + number % 11,
            "power_rank": 1 + 599 * (number * 7919 % count) // count, "low": 1, "high": 1000, "source": "S",
            "index_version": "1", "as_of": DAY, "offers": tuple(served),
        }  # fmt: skip
        models[slug] = Model._make(facts.get(name) for name in Model._fields)
    return Snapshot("0" * 64, f"{DAY}T00:00:00Z", ("llm",), VENDORS, MappingProxyType(models))


def _offer(slug: str, number: int, place: int) -> Offer:
    price = Price(
        "1M tokens", "USD", "standard", "realtime", f"{1 + (number + place) % 10}", f"{5 + number % 50}", None, None,
        "2026-01-01", None, "S", DAY,
    )  # fmt: skip
    vendor = VENDORS[(number + place) % len(VENDORS)]
    return Offer(slug, vendor, f"{slug}-api", None, place, "active", None, None, (price,))


def measured(call: Callable[[], object], *, rounds: int = 9, times: int = 25) -> tuple[float, float]:
    """Return the best and the worst of several medians, in milliseconds."""
    medians = [statistics.median([once(call) for _ in range(times)]) for _ in range(rounds)]
    return min(medians), max(medians)


def once(call: Callable[[], object]) -> float:
    """Return how many milliseconds a call takes."""
    started = time.perf_counter()
    call()
    return (time.perf_counter() - started) * 1000


def threads(snapshot: Snapshot) -> bool:
    """Let 8 threads share one snapshot; return whether every decision is the same as alone."""
    asked = requests()
    expected = {name: select(snapshot, request).to_json() for name, request in asked.items()}

    def work(_: int) -> list[Decision]:
        return [select(snapshot, request) for _ in range(25) for request in asked.values()]

    with ThreadPoolExecutor(8) as pool:
        found = [decision.to_json() for decisions in pool.map(work, range(8)) for decision in decisions]
    lost = sum(text != expected[name] for text, name in zip(found, list(asked) * 200, strict=True))
    print(f"8 threads, one snapshot: {len(found):,} decisions, {lost} differ from the same request alone\n")
    return lost == 0


def litellm(python: str | None) -> None:
    """Time LiteLLM's Router on as many deployments in its own environment; its largest takes minutes to build."""
    if python is None:
        print("LiteLLM's Router: not measured, name its environment's python with --litellm")
        return
    ended = subprocess.run([python, "-c", _LITELLM], capture_output=True, text=True, check=False)
    if ended.returncode:
        print(f"LiteLLM's Router: failed: {ended.stderr.strip().splitlines()[-1]}")
        return
    for line in ended.stdout.splitlines():
        found = json.loads(line) if line.startswith("{") else None
        if found:
            print(
                f"{found['offers']:>7,}  LiteLLM {found['version']} {found['strategy']:22} {found['ms']:>9.3f} ms"
                f"  (built in {found['built']:,.0f} ms, no rejection recorded)"
            )


_LITELLM = """
import json, logging, statistics, time, warnings
warnings.simplefilter("ignore")
import litellm
from importlib.metadata import version
litellm.suppress_debug_info = True
logging.disable(logging.CRITICAL)
measured = [(size, strategy) for size in (10, 100, 1000) for strategy in ("simple-shuffle", "latency-based-routing")]
for size, strategy in [*measured, (10000, "simple-shuffle")]:
    deployments = [
        {"model_name": "group", "litellm_params": {"model": f"openai/m-{n}", "api_key": "k", "api_base": "http://x"}}
        for n in range(size)
    ]
    started = time.perf_counter()
    router = litellm.Router(model_list=deployments, routing_strategy=strategy)
    built = (time.perf_counter() - started) * 1000
    taken = []
    for _ in range(21 if size < 10000 else 5):
        started = time.perf_counter()
        router.get_available_deployment(model="group", messages=[{"role": "user", "content": "hi"}])
        taken.append((time.perf_counter() - started) * 1000)
    found = {"offers": size, "strategy": strategy, "ms": statistics.median(taken), "built": built}
    print(json.dumps({**found, "version": version("litellm")}), flush=True)
"""


if __name__ == "__main__":
    main()
