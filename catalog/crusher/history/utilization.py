"""Utilization: how full a context window is, and what is to be done about it; no decision undoes the one before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from catalog.crusher.checking import check_count

PARTITION, COMPACT = 0.60, 0.70
"""Shares of the window from which work is split among agents, and from which the conversation is made compact."""
LEAST_REDUCTION, MOST_REDUCTION = 0.50, 0.70
"""Shares by which compaction makes a conversation shorter; beyond the second something is likely to be lost."""
REARMED = 0.50
"""Share of the window below which compaction is armed again: a trigger that fires at once again is a loop."""


Action = Literal["none", "partition", "compact", "recover"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetDecision:
    """What to do about the window.

    Attributes:
        action: ``none``, ``partition``: split the work, ``compact``, or ``recover``: it overflows all the same.
        reason: why, in words.
        share: of the window that is used.
        target: tokens that compaction should leave at most; 0 where nothing is to be made compact.
        floor: tokens below which too little would be left, and the result is to be looked at.
        armed: to be handed in the next time.
    """

    action: Action
    reason: str
    share: float
    target: int
    floor: int
    armed: bool


def budget(used: int, limit: int, *, armed: bool = True, least_gain: int = 2_000) -> BudgetDecision:
    """Return what to do with a conversation of so many tokens in a window of so many.

    Compaction is due from 70 % of the window, partition from 60 %. After a compaction it is disarmed until less than
    half of the window is used: so a compaction that gained little is not followed by the next. What overflows all the
    same is to be recovered, and so is what is so long that compaction would have to take more than 70 % of it.
    Compaction is not worth it where fewer than `least_gain` tokens could go.

    Args:
        used: tokens of the conversation, at least 0.
        limit: tokens of the window, at least 1.
        armed: of the decision before; true at first.
        least_gain: tokens that a compaction must gain.

    Raises:
        ValueError: for tokens that cannot be.
    """
    check_count("used", used)
    check_count("limit", limit, least=1)
    check_count("least_gain", least_gain)
    share = used / limit
    ready = armed or share < REARMED
    target = max(1, min(round(used * (1 - LEAST_REDUCTION)), round(REARMED * limit) - 1))
    least = round(used * (1 - MOST_REDUCTION))
    floor = min(target, least)
    said = f"{used * 1_000 // limit / 10:g}% of the window is used"  # never rounded up to a bound

    def decided(action: Action, why: str, *, armed: bool) -> BudgetDecision:
        compacts = action == "compact"
        return BudgetDecision(
            action=action,
            reason=f"{said}; {why}",
            share=share,
            target=target if compacts else 0,
            floor=floor if compacts else 0,
            armed=armed,
        )

    full: Action = "recover" if used > limit else "partition"
    if share >= COMPACT and not ready:
        return decided(full, "compaction was tried, and waits until less than half is used", armed=False)
    if used > limit and target < least:
        return decided("recover", f"compaction would have to take more than {MOST_REDUCTION:.0%}", armed=ready)
    if share >= COMPACT and used - target < least_gain:
        return decided(full, f"compaction would gain fewer than {least_gain:,} tokens", armed=ready)
    if share >= COMPACT:
        return decided("compact", f"compaction is due from {COMPACT:.0%}", armed=False)
    if share >= PARTITION:
        return decided("partition", f"work is split from {PARTITION:.0%}", armed=ready)
    return decided("none", "there is room", armed=ready)
