"""The request: everything a caller may ask of the selector, checked before anything is chosen.

The predecessor's strategies are fields here, not a switch: *Specific* is ``bound`` with ``require_bound``, *ByPower* is
``prefer``, *Default* is a request that names neither.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Any

from catalog.canonical import decimal_text
from catalog.errors import UsageError, nearest
from catalog.selector.fields import PARSERS, Bound, Prefer
from catalog.selector.health import Cooling
from catalog.snapshot import Model, Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is asked of the selector.

    Lists may be given as any collection of text and are kept as tuples; ``bound`` is a list or tuple and also takes
    plain slugs.

    Attributes:
        type: model type; a decision never crosses types.
        prefer: ``highest`` or ``lowest`` PowerRank first, or ``balanced``, see `order.balance`. None is ``highest`` for
            a whole type and the caller's own order for bound models.
        min_power, max_power: PowerRank, both inclusive; they hold for every model, bound or not.
        bound: the models to choose from; None is the whole type.
        require_bound: never fall back to other models than the bound ones.
        input_tokens, output_tokens: what the call needs; both together must fit the context window.
        inputs, outputs: modalities needed, such as ``image``.
        capabilities: capability flags needed.
        status: statuses a model and its offer may have.
        max_price_in, max_price_out: most USD per million tokens, standard tier, as decimal text, int or Decimal.
        only_vendors, never_vendors: vendors that may or must not serve the call.
        vendor_order: vendors to use first, in this order, among the offers of one model; a wish, not a need.
        allow_unknown: let a need pass where the catalog does not know the fact.
        last_resort: when cool-downs leave nothing, offer what is cooling down.
        credentials: vendor slug → whether there are credentials for it; asked once a vendor, see `credentials.ask`.
        health: routes that are cooling down, as `Health.cooling` gives them.
        as_of: ``YYYY-MM-DD`` of the prices; None is the day of the snapshot's last change.

    Raises:
        UsageError: for a field that is malformed or contradicts another, naming field and value.
    """

    type: str
    prefer: Prefer | None = None
    min_power: int | None = None
    max_power: int | None = None
    bound: tuple[Bound, ...] | None = None
    require_bound: bool = False
    input_tokens: int | None = None
    output_tokens: int | None = None
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    capabilities: tuple[str, ...] = ()
    status: tuple[str, ...] = ("active",)
    max_price_in: Decimal | str | int | None = None
    max_price_out: Decimal | str | int | None = None
    only_vendors: tuple[str, ...] | None = None
    never_vendors: tuple[str, ...] = ()
    vendor_order: tuple[str, ...] = ()
    allow_unknown: bool = False
    last_resort: bool = False
    credentials: Callable[[str], object] | None = None
    health: Cooling | None = None
    as_of: str | None = None

    def __post_init__(self) -> None:
        """Bring every field into its one form and refuse what contradicts itself."""
        for field in fields(self):
            parse = PARSERS.get(field.name)
            if parse is not None:
                object.__setattr__(self, field.name, parse(field.name, getattr(self, field.name)))
        _consistent(self)

    def to_data(self) -> dict[str, Any]:
        """Return the request as plain data: the fields that were given, a predicate as ``true``."""
        told = {field.name: getattr(self, field.name) for field in fields(self) if _given(self, field)}
        return {name: _PLAIN.get(name, _as_it_is)(value) for name, value in told.items()}


def models_of(request: Request, snapshot: Snapshot) -> tuple[Model, ...]:
    """Return the bound models of a request, after checking every name in it against a snapshot.

    Raises:
        UsageError: for an unknown type, model or vendor, a bound model of another type, a bound vendor that does not
            serve its model, or ``require_bound`` where every bound model is out of service.
    """
    _known("type", request.type, snapshot.types)
    vendors = [("only_vendors", name) for name in request.only_vendors or ()]
    vendors += [("never_vendors", name) for name in request.never_vendors]
    vendors += [("vendor_order", name) for name in request.vendor_order]
    for field, name in vendors:
        _known(field, name, snapshot.vendors)
    found = tuple(_bound_model(request, bound, snapshot.models) for bound in request.bound or ())
    if request.require_bound and found and not any(model.status in request.status for model in found):
        raise UsageError(
            f"bound: {', '.join(f'{model.slug} is {model.status}' for model in found)}, and require_bound is set",
            hint=f"Wanted is {' or '.join(request.status)}. Bind another model or allow a fallback.",
        )
    return found


def _bound_model(request: Request, bound: Bound, models: Mapping[str, Model]) -> Model:
    _known("bound", bound.model, models)
    model = models[bound.model]
    if model.type != request.type:
        raise UsageError(
            f"bound: {model.slug} is of type {model.type}, the request of type {request.type}",
            hint="A decision never crosses types: bind models of its type.",
        )
    served = [offer.vendor for offer in model.offers]
    if bound.vendor is not None and bound.vendor not in served:
        raise UsageError(
            f"bound: {bound.vendor!r} does not serve {model.slug}",
            hint=f"Served by: {', '.join(served) or 'nobody'}.",
        )
    return model


def _known(field: str, value: str, known: Collection[str]) -> None:
    if value not in known:
        what = {"type": "type", "bound": "model"}.get(field, "vendor")
        listed = f"Known: {', '.join(list(known)[:20])}." if len(known) <= 20 else f"There are {len(known)} {what}s."
        raise UsageError(f"{field}: there is no {what} {value[:60]!r}", hint=nearest(value, known, otherwise=listed))


def _consistent(request: Request) -> None:
    low, high = request.min_power, request.max_power
    if low is not None and high is not None and low > high:
        raise UsageError(f"min_power {low} is above max_power {high}", hint="No rank can satisfy both.")
    both = [vendor for vendor in request.only_vendors or () if vendor in request.never_vendors]
    if both:
        raise UsageError(f"{both[0]!r} stands in only_vendors and in never_vendors", hint="Take it out of one.")
    if request.only_vendors == ():
        raise UsageError("only_vendors is empty: nobody could serve the call", hint="Name vendors or leave it out.")
    if request.require_bound and request.bound is None:
        raise UsageError("require_bound is set, and no model is bound", hint="Name the models, or leave it out.")
    routes = [(bound.model, bound.vendor) for bound in request.bound or ()]
    twice = next((route for route in routes if routes.count(route) > 1), None)
    if twice is not None:
        raise UsageError(f"bound: {twice[0]!r} is named twice", hint="Name a model once, or once a vendor.")


def _given(request: Request, field: Any) -> bool:
    return bool(field.name in {"type", "status"} or getattr(request, field.name) != field.default)


def _as_it_is(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


_PLAIN: Mapping[str, Callable[[Any], object]] = {
    "bound": lambda entries: [entry._asdict() for entry in entries],
    "max_price_in": decimal_text,
    "max_price_out": decimal_text,
    "credentials": lambda _: True,
    "health": lambda view: view.to_data(),
}
