"""Payloads of shapes that tools really answer with, made up from a seed alone.

Every kind draws from its own generator, so adding a kind leaves the values of the others as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from random import Random
from uuid import UUID

Record = dict[str, object]

DAWN = 1_782_864_000
"""2026-07-01T00:00:00Z in seconds: every made-up instant lies after it."""
GIVEN = ("Amara", "Bjørn", "Carla", "Dēvs", "Eszter", "Fatih", "Greta", "Hiro", "Inés", "Jakub", "Kofi", "Maeve")
FAMILY = ("Abbott", "Brânză", "Costa", "D'Amico", "Eriksen", "Fekete", "Goldberg", "Hassan", "Ito", "Jansen", "Kaya")
TOWNS = ("Antwerp", "Bilbao", "Cork", "Debrecen", "Espoo", "Fürth", "Ghent", "Łódź", "St. John's", "Austin, TX")
WORDS = (
    "cache", "index", "worker", "queue", "retry", "timeout", "token", "parser", "schema", "column", "header", "request",
    "response", "when", "after", "before", "the", "a", "of", "in", "with", "without", "fails", "returns", "ignores",
    "duplicates", "keeps", "drops", "blocks", "large", "empty", "nested", "missing", "unexpected", "value", "config",
    "default", "user", "session", "stream", "buffer", "release", "upgrade", "memory", "leak", "slow", "first", "last",
    "page", "table", "key",
)  # fmt: skip


def generated(seed: int = 1) -> dict[str, object]:
    """Return one payload of every kind, by name."""
    return {name: kind(Random(f"{seed}/{name}")) for name, kind in KINDS.items()}


def sql_rows(random: Random, rows: int = 200) -> list[Record]:
    """Return the rows of a wide query: an id that counts up, a uuid, NULLs, money, dates and a constant column."""
    answer, opened = [], DAWN
    for number in range(rows):
        opened += random.randrange(60, 9_000)
        given, family = random.choice(GIVEN), random.choice(FAMILY)
        closed = _instant(opened + random.randrange(90_000, 900_000)) if random.random() < 0.08 else None
        answer.append({
            "account_id": 48_200 + number,
            "external_ref": _uuid(random),
            "holder": f"{given} {family}",
            "email": f"{given[0]}.{family}{number % 37}@mail.example.net".lower().replace("'", ""),
            "state": _weighted(random, {"open": 76, "dormant": 14, "closed": 7, "under_review": 3}),
            "product": random.choice(("current", "savings", "joint_savings")),
            "branch": "north-west-07",
            "town": random.choice(TOWNS),
            "balance": round(random.uniform(-200, 18_000), 2),
            "transactions": random.randrange(120),
            "opened_at": _instant(opened),
            "closed_at": closed,
        })  # fmt: skip
    return answer


def issue_tracker(random: Random, issues: int = 40) -> list[Record]:
    """Return an issue list as trackers answer it: users and labels repeated, addresses derived from the number."""
    users = [_tracker_user(random) for _ in range(9)]
    labels = [_tracker_label(number, name) for number, name in enumerate(("bug", "docs", "good first issue", "perf"))]
    answer, at = [], DAWN + 9_000_000
    for number in range(issues):
        at -= random.randrange(600, 70_000)
        answer.append(_tracker_issue(random, 2_417 - number, at, users, labels))
    return answer


def _tracker_user(random: Random) -> Record:
    """Return a user as it is repeated in every issue."""
    login = f"{random.choice(GIVEN)}{random.choice(FAMILY)}{random.randrange(90)}".lower().replace("'", "")
    base = f"https://tracker.example.org/api/users/{login}"
    return {
        "login": login,
        "id": random.randrange(10_000, 9_000_000),
        "avatar_url": f"https://avatars.example.org/u/{random.randrange(10_000, 9_000_000)}?v=4",
        "url": base,
        "html_url": f"https://tracker.example.org/{login}",
        "followers_url": f"{base}/followers",
        "following_url": f"{base}/following{{/other}}",
        "starred_url": f"{base}/starred{{/owner}}{{/repo}}",
        "organizations_url": f"{base}/orgs",
        "repos_url": f"{base}/repos",
        "events_url": f"{base}/events{{/privacy}}",
        "received_events_url": f"{base}/received_events",
        "type": "User",
        "site_admin": False,
    }


def _tracker_label(number: int, name: str) -> Record:
    """Return a label as it is repeated in every issue."""
    url = f"https://tracker.example.org/api/repos/lathe/spindle/labels/{name.replace(' ', '%20')}"
    colour = ("d93f0b", "0075ca", "7057ff", "fbca04")[number]
    return {"id": 8_800 + number, "url": url, "name": name, "color": colour, "default": number < 2, "description": None}


def _tracker_issue(random: Random, number: int, at: int, users: list[Record], labels: list[Record]) -> Record:
    """Return one issue with the addresses its number gives."""
    url = f"https://tracker.example.org/api/repos/lathe/spindle/issues/{number}"
    closed = random.random() < 0.45
    return {
        "id": 3_100_000_000 + number * 17,
        "number": number,
        "url": url,
        "repository_url": "https://tracker.example.org/api/repos/lathe/spindle",
        "labels_url": f"{url}/labels{{/name}}",
        "comments_url": f"{url}/comments",
        "events_url": f"{url}/events",
        "html_url": f"https://tracker.example.org/lathe/spindle/issues/{number}",
        "title": _sentence(random, 5, 9),
        "user": random.choice(users),
        "labels": random.sample(labels, random.randrange(3)),
        "state": "closed" if closed else "open",
        "state_reason": "completed" if closed else None,
        "locked": False,
        "assignee": random.choice(users) if random.random() < 0.3 else None,
        "assignees": [],
        "milestone": None,
        "comments": random.randrange(15),
        "created_at": _instant(at),
        "updated_at": _instant(at + random.randrange(300, 80_000)),
        "closed_at": _instant(at + random.randrange(80_000, 400_000)) if closed else None,
        "author_association": random.choice(("NONE", "CONTRIBUTOR", "MEMBER")),
        "draft": None,
        "body": f"{_sentence(random, 12, 40)}.\r\n\r\n```\r\nspindle --version\r\n4.{random.randrange(12)}.0\r\n```",
        "reactions": {"url": f"{url}/reactions", "total_count": 0, "+1": 0, "-1": 0, "heart": 0, "eyes": 0},
    }


def logs(random: Random, lines: int = 300) -> list[Record]:
    """Return structured log lines: messages of few templates, hosts, trace ids and rarely an error with a stack."""
    answer, at = [], DAWN * 1_000
    for _ in range(lines):
        at += random.randrange(1, 1_400)
        service = random.choice(("checkout", "catalogue", "identity", "mailer"))
        line: Record = {
            "time": _instant(at // 1_000, at % 1_000),
            "severity": "info",
            "service": service,
            "host": f"{service}-{random.randrange(1, 6)}.prod.internal",
            "trace": f"{random.getrandbits(64):016x}",
        }
        line["message"], line["severity"], failure = _log_message(random, service)
        answer.append(line | ({"error": failure} if failure else {}))
    return answer


def _log_message(random: Random, service: str) -> tuple[str, str, Record | None]:
    """Return the message of a log line, its severity and what failed."""
    drawn = random.random()
    if drawn < 0.05:
        wait = random.choice((2_000, 10_000))
        stack = (
            f"DeadlineExceeded: {wait} ms\n  at dial ({service}/client.ts:{random.randrange(20, 400)}:11)\n"
            f"  at async serve ({service}/main.ts:{random.randrange(20, 90)}:5)"
        )
        failure: Record = {"name": "DeadlineExceeded", "status": 504, "stack": stack}
        return f"call to ledger exceeded {wait} ms", "error", failure
    if drawn < 0.17:
        key = f"{service}:{random.randrange(9_999)}"
        return f"cache miss for key {key}, {random.randrange(2, 90)} waiting", "warning", None
    verb, status = random.choice(("GET", "GET", "GET", "POST")), _weighted(random, {"200": 85, "304": 10, "404": 5})
    return f"{verb} /v2/{service}/{random.randrange(99_999)} {status} in {random.randrange(3, 700)} ms", "info", None


def orders(random: Random, count: int = 60) -> Record:
    """Return a page of orders: customer and address inside, line items of a small assortment, sometimes a coupon."""
    names = ("Desk lamp, brass", "Notebook A5", 'Frame 8" × 10"', "Wool throw", "Tea set", "Coat hook", "Wall clock")
    assortment = [(f"HX-{random.randrange(1_000, 9_999)}", name, random.randrange(400, 24_000)) for name in names]
    answer, at = [], DAWN
    for number in range(count):
        at += random.randrange(120, 20_000)
        answer.append(_order(random, number, at, assortment))
    return {"orders": answer, "page": {"limit": count, "next": "b2Zmc2V0PTYw", "more": True}, "currency_rates": {}}


def _order(random: Random, number: int, at: int, assortment: list[tuple[str, str, int]]) -> Record:
    """Return one order; prices come in cents and are written in euros."""
    items, total = [], 0
    for sku, name, cents in random.sample(assortment, random.randrange(1, 5)):
        quantity = random.randrange(1, 4)
        total += cents * quantity
        items.append({"sku": sku, "name": name, "quantity": quantity, "price": cents / 100, "tax": 0.21, "gift": False})
    order: Record = {
        "id": f"W{73_000 + number}",
        "placed_at": _instant(at),
        "status": _weighted(random, {"delivered": 60, "in_transit": 25, "cancelled": 15}),
        "customer": {"id": random.randrange(500), "name": _name(random), "segment": random.choice(("retail", "trade"))},
        "address": {
            "street": f"{random.choice(FAMILY)} Street {random.randrange(1, 140)}",
            "unit": "" if random.random() < 0.8 else f"{random.randrange(1, 9)}B",
            "town": random.choice(TOWNS),
            "postcode": f"{random.randrange(99_999):05}",
            "country": random.choice(("BE", "ES", "IE", "NL")),
        },
        "items": items,
        "currency": "EUR",
        "delivery": random.choice((0, 4.5, 12.0)),
        "total": total / 100,
    }
    return order | ({"coupon": {"code": "SUMMER-26", "percent": 15}} if random.random() < 0.2 else {})


def documents(random: Random, count: int = 150) -> list[Record]:
    """Return sparse documents: 5 keys in each, 30 in few of them; null, "" and absent all occur."""
    makers: dict[str, Callable[[], object]] = {
        "code": lambda: random.randrange(1, 5_000),
        "title": lambda: random.choice(TOWNS),
        "share": lambda: round(random.random(), 3),
        "active": lambda: random.random() < 0.5,
        "remark": lambda: random.choice(("", None, "checked by hand")),
        "seen": lambda: DAWN + random.randrange(900_000),
    }
    topics = ("site_access", "spare_part", "last_visit", "crew_lead", "measuring_tool")
    optional = [(f"{topic}_{part}", maker) for topic in topics for part, maker in makers.items()]
    answer = []
    for number in range(count):
        document: Record = {
            "_id": f"insp-{number:04}",
            "_type": "inspection",
            "_version": 1,
            "outcome": random.choice(("passed", "failed", "postponed")),
            "inspector": random.randrange(1, 45),
        }
        answer.append(document | {key: maker() for key, maker in optional if random.random() < 0.12})
    return answer


def metrics(random: Random, points: int = 360) -> Record:
    """Return a time series: a constant step, counters that only grow, gauges and floats."""
    answer, served, load, heap = [], 5_201_774, 42.0, 3_221_225_472
    for number in range(points):
        served += random.randrange(520)
        load = min(99.0, max(2.0, load + random.uniform(-3, 3)))
        heap += random.randrange(-30, 31) * 131_072
        answer.append({
            "at": DAWN + 30 * number,
            "load_percent": round(load, 2),
            "heap_bytes": heap,
            "served_total": served,
            "failed": 0 if random.random() < 0.92 else random.randrange(1, 7),
            "median_ms": round(random.uniform(5, 12), 1),
            "slowest_ms": round(random.uniform(80, 240), 1),
            "ready": random.random() < 0.985,
        })  # fmt: skip
    return {"node": "edge-fra-03", "step_seconds": 30, "samples": answer}


def range_query(random: Random, series: int = 24, points: int = 60) -> Record:
    """Return a matrix as metric stores answer it: label sets, each with pairs of an instant and a number as text."""
    answer = []
    for number in range(series):
        value, values = random.uniform(1, 80), []
        for step in range(points):
            value = max(0.0, value + random.uniform(-2, 2))
            values.append([DAWN + 20 * step, f"{value:.3f}"])
        labels = {
            "__name__": "grpc_server_handling_seconds_sum",
            "cluster": "west",
            "instance": f"172.16.{number % 3}.{20 + number}:9100",
            "grpc_method": random.choice(("Get", "List", "Watch")),
            "grpc_code": random.choice(("OK", "NotFound", "Unavailable")),
        }
        answer.append({"metric": labels, "values": values})
    return {"status": "success", "data": {"resultType": "matrix", "result": answer}}


def events(random: Random, count: int = 160) -> list[Record]:
    """Return a stream of events of five shapes in one list."""
    shapes: dict[str, Callable[[], Record]] = {
        "screen_opened": lambda: {
            "screen": random.choice(("home", "cart", "help/returns")),
            "from": random.choice(("", "push")),
        },
        "tapped": lambda: {
            "target": random.choice(("button#pay", "li:nth-child(3) > a", ".offer, .badge")),
            "x": random.randrange(390),
            "y": random.randrange(844),
        },
        "paid": lambda: {
            "lines": [_line(random) for _ in range(random.randrange(1, 4))],
            "amount": random.randrange(300, 30_000) / 100,
            "currency": "CHF",
        },
        "crashed": lambda: {
            "reason": "SIGSEGV at 0x0",
            "thread": random.randrange(40),
            "foreground": random.random() < 0.7,
        },
        "signed_in": lambda: {
            "profile": {
                "email": f"guest{random.randrange(60)}@example.com",
                "tier": random.choice(("basic", "plus")),
            },
        },
    }
    answer, at = [], DAWN * 1_000
    for _ in range(count):
        at += random.randrange(5, 12_000)
        name = random.choice(list(shapes))
        answer.append({"name": name, "device": f"dev-{random.randrange(36):03}", "at": at, "data": shapes[name]()})
    return answer


def _line(random: Random) -> Record:
    """Return a line of what was paid for."""
    return {"sku": f"K{random.randrange(9)}", "count": random.randrange(1, 4)}


def mixed(random: Random, count: int = 600) -> list[object]:
    """Return a list of anything: strings that look like other values, escapes, big integers, floats, containers."""
    texts = (
        "false", "null", "", "~", "2e3", "0042", " padded ", "x;y", "it's", 'a "b"', "one\ntwo", "tab\there",
        "Ünï 語", "\u2028", "\\",
    )  # fmt: skip
    makers: tuple[Callable[[], object], ...] = (
        lambda: random.randrange(-2_000_000, 2_000_000),
        lambda: round(random.uniform(-4, 4), 5),
        lambda: None,
        lambda: random.random() < 0.5,
        lambda: str(random.randrange(300)),
        lambda: random.choice(texts),
        lambda: [random.randrange(20) for _ in range(random.randrange(6))],
        lambda: {"on": random.random() < 0.5, "as": random.choice((None, "", "w"))},
        lambda: random.choice(({}, [], [[]], [[7, 8], [[9]]])),
        lambda: 2**64 + random.randrange(1_000),
        lambda: random.choice((2.0, -0.0, 3e22, 5e-7)),
    )
    return [random.choice(makers)() for _ in range(count)]


def search_hits(random: Random, count: int = 30) -> Record:
    """Return search hits: mostly prose, little structure to win."""
    hits = [
        {
            "position": number + 1,
            "title": _sentence(random, 5, 9),
            "link": f"https://handbook.example.org/{random.choice(WORDS)}/{random.choice(WORDS)}-{random.randrange(900)}",
            "snippet": f"{_sentence(random, 28, 60)}.",
            "relevance": round(9.4 / (1 + number * 0.11) + random.uniform(0, 0.02), 4),
            "section": random.choice(("guides", "reference", "forum")),
        }
        for number in range(count)
    ]
    return {"query": "stream buffer leak", "hits": hits, "estimated_total": 1_290, "took_ms": 14}


def small_result(random: Random) -> Record:
    """Return one small tool result: what a header or a legend costs shows here."""
    return {
        "ticket": random.randrange(100, 999),
        "subject": "Door does not lock",
        "notes": None,
        "state": "open",
        "owner": None,
        "extra": "{}",
        "opened": "2026-07-02 09:14:33",
        "tags": ["lock", "urgent"],
        "steps": [{"id": 1, "text": "inspect", "done": True}, {"id": 2, "text": "replace", "done": False}],
    }


def pods(random: Random, count: int = 30) -> Record:
    """Return a pod list of a cluster: deep objects of one shape, most of whose values repeat."""
    items = [_pod(random) for _ in range(count)]
    return {"apiVersion": "v1", "kind": "PodList", "metadata": {"resourceVersion": "90441127"}, "items": items}


def _pod(random: Random) -> Record:
    """Return one pod with a container and its state."""
    app, tail = random.choice(("ingest", "frontend", "billing")), f"{random.getrandbits(20):05x}"
    name, restarts = f"{app}-7d9c6b5f48-{tail}", _weighted(random, {"0": 80, "1": 15, "14": 5})
    failing = restarts == "14"
    waiting = {"reason": "CrashLoopBackOff", "message": f"back-off restarting failed container {app}"}
    container = {
        "name": app,
        "image": f"registry.example.org/shop/{app}:2.{len(app)}.1",
        "ports": [{"containerPort": 8080, "protocol": "TCP"}],
        "resources": {"limits": {"cpu": "500m", "memory": "512Mi"}, "requests": {"cpu": "100m", "memory": "128Mi"}},
        "env": [{"name": "STAGE", "value": "production"}, {"name": "PORT", "value": "8080"}],
    }
    started = _instant(DAWN + random.randrange(900_000))
    return {
        "metadata": {
            "name": name,
            "namespace": "shop",
            "uid": _uuid(random),
            "creationTimestamp": started,
            "labels": {"app.kubernetes.io/name": app, "pod-template-hash": "7d9c6b5f48"},
        },
        "spec": {"nodeName": f"node-{random.randrange(4)}", "restartPolicy": "Always", "containers": [container]},
        "status": {
            "phase": "Running",
            "podIP": f"10.42.{random.randrange(4)}.{random.randrange(2, 250)}",
            "startTime": started,
            "containerStatuses": [{
                "name": app,
                "ready": not failing,
                "restartCount": int(restarts),
                "state": {"waiting": waiting} if failing else {"running": {"startedAt": started}},
            }],
        },
    }  # fmt: skip


def file_tree(random: Random, depth: int = 4) -> Record:
    """Return a folder with everything below it: the same shape at every depth."""
    return _folder(random, "spindle", depth)


def _folder(random: Random, name: str, depth: int) -> Record:
    """Return a folder with files and, while depth is left, folders."""
    inside = [_file(random) for _ in range(random.randrange(2, 6))]
    if depth:
        names = random.sample(WORDS, random.randrange(2, 4))
        inside += [_folder(random, inner, depth - 1) for inner in names]
    return {"name": name, "type": "directory", "children": inside}


def _file(random: Random) -> Record:
    """Return a file with its size and last change."""
    name = f"{random.choice(WORDS)}_{random.choice(WORDS)}.{random.choice(('py', 'py', 'md', 'json'))}"
    modified = _instant(DAWN + random.randrange(2_000_000))
    return {"name": name, "type": "file", "size": random.randrange(90, 40_000), "modified": modified}


def transcript(random: Random, turns: int = 24) -> Record:
    """Return a conversation with tool calls whose arguments and results are JSON inside strings."""
    messages: list[Record] = [{"role": "system", "content": "You answer questions about the warehouse."}]
    for number in range(turns):
        call, aisle = f"call_{random.getrandbits(48):012x}", random.randrange(40)
        arguments = f'{{"aisle":{aisle},"include_empty":false}}'
        found = f'{{"aisle":{aisle},"pallets":{random.randrange(90)},"checked":"{_instant(DAWN + 60 * number)}"}}'
        asked = {"id": call, "type": "function", "function": {"name": "count_pallets", "arguments": arguments}}
        messages += [
            {"role": "user", "content": f"{_sentence(random, 6, 14)}?"},
            {"role": "assistant", "content": None, "tool_calls": [asked]},
            {"role": "tool", "tool_call_id": call, "content": found},
            {"role": "assistant", "content": f"{_sentence(random, 14, 30)}."},
        ]
    return {"model": "assistant-large", "temperature": 0.2, "messages": messages}


def test_report(random: Random, cases: int = 140) -> Record:
    """Return a test report: names under few files, durations, and what the failed ones say."""
    tests, failed = [], 0
    for _ in range(cases):
        file = f"tests/test_{random.choice(WORDS[:12])}.py"
        outcome = _weighted(random, {"passed": 92, "failed": 4, "skipped": 4})
        test: Record = {
            "nodeid": f"{file}::test_{'_'.join(random.sample(WORDS, 4))}",
            "lineno": random.randrange(5, 400),
            "outcome": outcome,
            "setup": {"duration": round(random.uniform(0, 0.004), 6), "outcome": "passed"},
            "call": {"duration": round(random.uniform(0, 0.9), 6), "outcome": outcome},
            "teardown": {"duration": round(random.uniform(0, 0.002), 6), "outcome": "passed"},
        }
        if outcome == "failed":
            failed += 1
            place = f"{file}:{random.randrange(5, 400)}"
            test["longrepr"] = f"{place}: AssertionError\nE   assert {random.randrange(9)} == 9"
        tests.append(test)
    summary = {"failed": failed, "total": cases}
    return {"exitcode": int(failed > 0), "root": "/home/ci/spindle", "summary": summary, "tests": tests}


def csv_lines(random: Random, count: int = 150) -> Record:
    """Return an export that holds its rows as lines of comma-separated text."""
    lines = [_csv_line(random, DAWN + 3_600 * number) for number in range(count)]
    header = "date,dock,town,pallets,weight,remark"
    return {"file": "deliveries.csv", "header": header, "lines": lines, "truncated": False}


def _csv_line(random: Random, at: int) -> str:
    """Return one delivery as a line of comma-separated text."""
    dock = f"{random.choice(('A', 'B', 'C'))}-{random.randrange(100, 999)}"
    weight = random.randrange(100, 90_000) / 100
    remark = random.choice(("", "late"))
    return f'{_instant(at)[:10]},{dock},"{random.choice(TOWNS)}",{random.randrange(1, 60)},{weight:.2f},{remark}'


def schemas(random: Random, count: int = 24) -> Record:
    """Return definitions of an interface description: keyed objects, shared types, lists of required names."""
    types: tuple[Record, ...] = (
        {"type": "string", "maxLength": 255},
        {"type": "string", "format": "date-time"},
        {"type": "integer", "minimum": 0},
        {"type": "array", "items": {"type": "string"}},
        {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
        {"$ref": "#/components/schemas/Money"},
    )
    definitions: Record = {}
    for number in range(count):
        names = random.sample(WORDS, random.randrange(3, 9))
        fields = {name: {**random.choice(types), "title": name.capitalize()} for name in names}
        title = f"{random.choice(WORDS).capitalize()}{random.choice(WORDS).capitalize()}{number}"
        definitions[title] = {"title": title, "type": "object", "required": names[:2], "properties": fields}
    return {"openapi": "3.1.0", "info": {"title": "Spindle", "version": "4.2"}, "components": {"schemas": definitions}}


def commits(random: Random, count: int = 60) -> list[Record]:
    """Return commits as a forge answers them: hashes that come again as parents, people, addresses, counts."""
    people = [{"name": (name := _name(random)), "email": f"{name.split()[0].lower()}@example.org"} for _ in range(5)]
    answer: list[Record] = []
    parent, at = f"{random.getrandbits(160):040x}", DAWN
    for _ in range(count):
        at += random.randrange(300, 90_000)
        sha, author = f"{random.getrandbits(160):040x}", random.choice(people)
        changed = {"additions": random.randrange(300), "deletions": random.randrange(90)}
        answer.append({
            "sha": sha,
            "html_url": f"https://forge.example.org/lathe/spindle/commit/{sha}",
            "commit": {
                "author": {**author, "date": _instant(at)},
                "committer": {**author, "date": _instant(at + random.choice((0, 0, 0, 86_400)))},
                "message": _sentence(random, 3, 9),
                "comment_count": int(random.random() < 0.1),
            },
            "parents": [{"sha": parent}],
            "stats": {**changed, "total": changed["additions"] + changed["deletions"]},
        })  # fmt: skip
        parent = sha
    return answer


def model_list(random: Random, count: int = 50) -> Record:
    """Return what a router of models lists: slugs, windows, prices as text, parameters that most of them take."""
    takes = ["max_tokens", "temperature", "tools", "top_p", "response_format", "seed", "logprobs"]
    data = []
    for _ in range(count):
        vendor, size = random.choice(("lathe", "spindle", "anvil", "bellows")), random.choice((8, 24, 70, 235))
        slug = f"{vendor}/{random.choice(WORDS)}-{size}b"
        prompt = random.choice((0.00000015, 0.0000006, 0.000003))
        data.append({
            "id": slug,
            "canonical_slug": f"{slug}-2026{random.randrange(1, 10):02}{random.randrange(1, 29):02}",
            "created": DAWN - random.randrange(40_000_000),
            "context_length": random.choice((32_768, 131_072, 262_144)),
            "architecture": {"modality": "text->text", "input_modalities": ["text"], "tokenizer": "Other"},
            "pricing": {"prompt": f"{prompt:.8f}", "completion": f"{prompt * 4:.8f}", "image": "0"},
            "top_provider": {"max_completion_tokens": random.choice((None, 8_192)), "is_moderated": False},
            "supported_parameters": takes[: random.choice((5, 6, 7, 7))],
        })  # fmt: skip
    return {"data": data}


def _weighted(random: Random, weights: Mapping[str, int]) -> str:
    """Return one of the words, as often as its weight says."""
    return random.choices(list(weights), list(weights.values()))[0]


def _uuid(random: Random) -> str:
    """Return a random uuid."""
    return str(UUID(int=random.getrandbits(128), version=4))


def _name(random: Random) -> str:
    """Return a person's name."""
    return f"{random.choice(GIVEN)} {random.choice(FAMILY)}"


def _sentence(random: Random, fewest: int, most: int) -> str:
    """Return words that begin with a capital."""
    return " ".join(random.choices(WORDS, k=random.randrange(fewest, most + 1))).capitalize()


def _instant(seconds: int, milliseconds: int | None = None) -> str:
    """Return an instant in UTC as ISO 8601."""
    tail = "Z" if milliseconds is None else f".{milliseconds:03}Z"
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}{tail}"


_GOALS = (
    sql_rows, issue_tracker, logs, orders, documents, metrics, range_query, events, mixed, search_hits, small_result,
)  # fmt: skip
_OURS = (pods, file_tree, transcript, test_report, csv_lines, schemas, commits, model_list)
KINDS: Mapping[str, Callable[[Random], object]] = {kind.__name__: kind for kind in (*_GOALS, *_OURS)}
GOAL_KINDS = tuple(kind.__name__ for kind in _GOALS)
"""The shapes the goals were set on; the others came later."""
