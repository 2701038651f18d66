"""History: what of a conversation can go, when it pays, and how it comes back.

Masking, budgets and recovery in steps were among the plans of MemberJunction; form and code are our own.
"""

from __future__ import annotations

from catalog.crusher.conversation.shapes import Shape
from catalog.crusher.conversation.texts import Message
from catalog.crusher.history.compacting import Compacted, compact
from catalog.crusher.history.entering import Entered, at_insertion
from catalog.crusher.history.masking import Masked, Policy, Waiting, mask
from catalog.crusher.history.masks import Retrieved, retrieve
from catalog.crusher.history.meta import Kind, Meta, MetaOf, Mode, default_meta
from catalog.crusher.history.prices import Cost, break_even, cost
from catalog.crusher.history.pruning import Action, Deferred, Pruned, prune
from catalog.crusher.history.recovering import Recovered, recover
from catalog.crusher.history.review import Review, review
from catalog.crusher.history.shortening import Summarise
from catalog.crusher.history.stores import MemoryStore, SqliteStore, Store
from catalog.crusher.history.utilization import BudgetDecision, budget

__all__ = [
    "Action",
    "BudgetDecision",
    "Compacted",
    "Cost",
    "Deferred",
    "Entered",
    "Kind",
    "Masked",
    "MemoryStore",
    "Message",
    "Meta",
    "MetaOf",
    "Mode",
    "Policy",
    "Pruned",
    "Recovered",
    "Retrieved",
    "Review",
    "Shape",
    "SqliteStore",
    "Store",
    "Summarise",
    "Waiting",
    "at_insertion",
    "break_even",
    "budget",
    "compact",
    "cost",
    "default_meta",
    "mask",
    "prune",
    "recover",
    "retrieve",
    "review",
]
