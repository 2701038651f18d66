"""The tables of the first catalog; its guards are installed after every migration, see catalog.store.guards."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "change_log",
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("old_rank", sa.Integer(), nullable=True),
        sa.Column("new_rank", sa.Integer(), nullable=True),
        sa.Column("low", sa.Integer(), nullable=True),
        sa.Column("high", sa.Integer(), nullable=True),
        sa.Column("source", sa.Text(), nullable=True),
        sa.Column("index_version", sa.Text(), nullable=True),
        sa.Column("as_of", sa.Text(), nullable=True),
        sa.Column("before", sa.Text(), nullable=True),
        sa.Column("after", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("scores", sa.Text(), nullable=True),
        sa.Column("validated", sa.Integer(), nullable=True),
        sa.Column("method", sa.Text(), nullable=True),
        sa.Column("tool_version", sa.Text(), nullable=False),
        sa.Column("prev_hash", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.CheckConstraint(
            "CASE WHEN action IN ('entry', 'rebase', 'correction') THEN model IS NOT NULL AND new_rank IS NOT NULL AND low IS NOT NULL AND high IS NOT NULL AND source IS NOT NULL AND index_version IS NOT NULL AND as_of IS NOT NULL ELSE old_rank IS NULL AND new_rank IS NULL AND low IS NULL AND high IS NULL AND source IS NULL AND index_version IS NULL AND as_of IS NULL END",
            name=op.f("ck_change_log_rank_line"),
        ),
        sa.CheckConstraint(
            "action IN ('entry', 'rebase', 'correction', 'rebase-plan', 'type.add', 'type.edit', 'type.remove', 'vendor.add', 'vendor.edit', 'vendor.remove', 'release.add', 'release.edit', 'release.remove', 'model.add', 'model.edit', 'model.remove', 'alias.add', 'alias.edit', 'alias.remove', 'offer.add', 'offer.edit', 'offer.remove', 'price.add', 'price.edit', 'price.remove', 'score.add', 'score.edit', 'score.remove', 'proposal.add', 'proposal.edit', 'proposal.remove')",
            name=op.f("ck_change_log_action"),
        ),
        sa.CheckConstraint("trim(actor) <> ''", name=op.f("ck_change_log_actor")),
        sa.CheckConstraint("trim(reason) <> ''", name=op.f("ck_change_log_reason")),
        sa.CheckConstraint("trim(source) <> '' AND trim(index_version) <> ''", name=op.f("ck_change_log_provenance")),
        sa.CheckConstraint("length(hash) = 64 AND length(prev_hash) = 64", name=op.f("ck_change_log_hash")),
        sa.CheckConstraint(
            "new_rank >= 1 AND low <= new_rank AND new_rank <= high", name=op.f("ck_change_log_interval")
        ),
        sa.CheckConstraint("seq >= 1", name=op.f("ck_change_log_seq")),
        sa.CheckConstraint("validated IN (0, 1)", name=op.f("ck_change_log_validated")),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_change_log")),
        sqlite_strict=True,
    )
    with op.batch_alter_table("change_log", schema=None) as batch_op:
        batch_op.create_index("ix_change_log_model_seq", ["model", "seq"], unique=False)
        batch_op.create_index(
            "ix_change_log_plan",
            ["seq"],
            unique=False,
            sqlite_where=sa.text("action = 'rebase-plan'"),
            postgresql_where=sa.text("action = 'rebase-plan'"),
        )
        batch_op.create_index(
            "ix_change_log_rank",
            ["model", "seq"],
            unique=False,
            sqlite_where=sa.text("new_rank IS NOT NULL"),
            postgresql_where=sa.text("new_rank IS NOT NULL"),
        )

    op.create_table(
        "model_type",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("reference", sa.Text(), nullable=True),
        sa.Column("score_low", sa.Text(), nullable=True),
        sa.Column("score_high", sa.Text(), nullable=True),
        sa.Column("rank_low", sa.Integer(), nullable=False),
        sa.Column("rank_high", sa.Integer(), nullable=False),
        sa.Column("max_rank", sa.Integer(), nullable=True),
        sa.Column("effort_policy", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=True),
        sa.CheckConstraint("rank_low < rank_high", name=op.f("ck_model_type_ruler")),
        sa.ForeignKeyConstraint(["id"], ["change_log.seq"], name=op.f("fk_model_type_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_model_type")),
        sa.UniqueConstraint("slug", name=op.f("uq_model_type_slug")),
        sqlite_strict=True,
    )
    op.create_table(
        "vendor",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["id"], ["change_log.seq"], name=op.f("fk_vendor_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_vendor")),
        sa.UniqueConstraint("slug", name=op.f("uq_vendor_slug")),
        sqlite_strict=True,
    )
    op.create_table(
        "index_release",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("index_name", sa.Text(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("setting", sa.Text(), nullable=True),
        sa.Column("publisher", sa.Text(), nullable=False),
        sa.Column("space", sa.Text(), nullable=False),
        sa.Column("direction", sa.Text(), nullable=False),
        sa.Column("minimum", sa.Text(), nullable=True),
        sa.Column("maximum", sa.Text(), nullable=True),
        sa.Column("standard_error", sa.Text(), nullable=True),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("preference", sa.Integer(), nullable=False),
        sa.Column("published", sa.Text(), nullable=True),
        sa.Column("licence", sa.Text(), nullable=True),
        sa.Column("url", sa.Text(), nullable=True),
        sa.Column("note", sa.Text(), nullable=True),
        sa.CheckConstraint("direction IN ('higher', 'lower')", name=op.f("ck_index_release_direction")),
        sa.CheckConstraint("role IN ('capability', 'sanity')", name=op.f("ck_index_release_role")),
        sa.ForeignKeyConstraint(["id"], ["change_log.seq"], name=op.f("fk_index_release_id")),
        sa.ForeignKeyConstraint(["type"], ["model_type.slug"], name=op.f("fk_index_release_type")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_index_release")),
        sa.UniqueConstraint("key", name=op.f("uq_index_release_key")),
        sa.UniqueConstraint("type", "index_name", "version", name=op.f("uq_index_release_type_index_name_version")),
        sqlite_strict=True,
    )
    op.create_table(
        "model",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("developer", sa.Text(), nullable=True),
        sa.Column("build", sa.Text(), nullable=True),
        sa.Column("released", sa.Text(), nullable=True),
        sa.Column("retired", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("prior", sa.Text(), nullable=True),
        sa.Column("same_weights_as", sa.Text(), nullable=True),
        sa.Column("context_window", sa.Integer(), nullable=True),
        sa.Column("max_output", sa.Integer(), nullable=True),
        sa.Column("inputs", sa.Text(), nullable=True),
        sa.Column("outputs", sa.Text(), nullable=True),
        sa.Column("capabilities", sa.Text(), nullable=True),
        sa.Column("tokenizer", sa.Text(), nullable=True),
        sa.Column(
            "speed_rank",
            sa.Integer(),
            nullable=True,
            comment="SpeedRank: relative, may be renormalised; higher is faster is better. Never gates prompt content.",
        ),
        sa.Column(
            "cost_rank",
            sa.Integer(),
            nullable=True,
            comment="CostRank: relative, may be renormalised; higher is dearer is WORSE. Never gates prompt content.",
        ),
        sa.Column("legacy_ordinal", sa.Integer(), nullable=True),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column(
            "power_rank",
            sa.Integer(),
            nullable=True,
            comment="PowerRank: capability on the type's scale. Integer >= 1, higher is more capable, 1-1000 by convention without upper limit. Absolute, anchored, locked: only a rank line of change_log moves it.",
        ),
        sa.Column(
            "low", sa.Integer(), nullable=True, comment="Lower end of the rank's 90 % interval. Locked with power_rank."
        ),
        sa.Column(
            "high",
            sa.Integer(),
            nullable=True,
            comment="Upper end of the rank's 90 % interval. Locked with power_rank.",
        ),
        sa.Column(
            "source",
            sa.Text(),
            nullable=True,
            comment="The index or catalog the rank was derived from. Locked with power_rank.",
        ),
        sa.Column(
            "index_version",
            sa.Text(),
            nullable=True,
            comment="The version of that source, patch included. Locked with power_rank.",
        ),
        sa.Column(
            "as_of",
            sa.Text(),
            nullable=True,
            comment="The date the source said so, YYYY-MM-DD. Locked with power_rank.",
        ),
        sa.CheckConstraint("status IN ('preview', 'active', 'deprecated', 'retired')", name=op.f("ck_model_status")),
        sa.CheckConstraint(
            "(power_rank IS NULL) = (low IS NULL) AND (power_rank IS NULL) = (high IS NULL) AND (power_rank IS NULL) = (source IS NULL) AND (power_rank IS NULL) = (index_version IS NULL) AND (power_rank IS NULL) = (as_of IS NULL)",
            name=op.f("ck_model_provenance"),
        ),
        sa.CheckConstraint("context_window >= 0 AND max_output >= 0", name=op.f("ck_model_limits")),
        sa.CheckConstraint("power_rank >= 1 AND low <= power_rank AND power_rank <= high", name=op.f("ck_model_rank")),
        sa.ForeignKeyConstraint(["developer"], ["vendor.slug"], name=op.f("fk_model_developer")),
        sa.ForeignKeyConstraint(["id"], ["change_log.seq"], name=op.f("fk_model_id")),
        sa.ForeignKeyConstraint(["prior"], ["model.slug"], name=op.f("fk_model_prior")),
        sa.ForeignKeyConstraint(["same_weights_as"], ["model.slug"], name=op.f("fk_model_same_weights_as")),
        sa.ForeignKeyConstraint(["type"], ["model_type.slug"], name=op.f("fk_model_type")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_model")),
        sa.UniqueConstraint("slug", name=op.f("uq_model_slug")),
        sqlite_strict=True,
    )
    with op.batch_alter_table("model", schema=None) as batch_op:
        batch_op.create_index("ix_model_type", ["type"], unique=False)

    op.create_table(
        "alias",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("space", sa.Text(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("effort", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=True),
        sa.CheckConstraint("trim(label) <> ''", name=op.f("ck_alias_label")),
        sa.ForeignKeyConstraint(["id"], ["change_log.seq"], name=op.f("fk_alias_id")),
        sa.ForeignKeyConstraint(["model"], ["model.slug"], name=op.f("fk_alias_model")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_alias")),
        sa.UniqueConstraint("space", "label", "scope", name=op.f("uq_alias_space_label_scope")),
        sqlite_strict=True,
    )
    with op.batch_alter_table("alias", schema=None) as batch_op:
        batch_op.create_index("ix_alias_model", ["model"], unique=False)

    op.create_table(
        "offer",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("vendor", sa.Text(), nullable=False),
        sa.Column("api_name", sa.Text(), nullable=True),
        sa.Column("driver", sa.Text(), nullable=True),
        sa.Column("priority", sa.Integer(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("max_input", sa.Integer(), nullable=True),
        sa.Column("max_output", sa.Integer(), nullable=True),
        sa.CheckConstraint("status IN ('preview', 'active', 'deprecated', 'inactive')", name=op.f("ck_offer_status")),
        sa.ForeignKeyConstraint(["id"], ["change_log.seq"], name=op.f("fk_offer_id")),
        sa.ForeignKeyConstraint(["model"], ["model.slug"], name=op.f("fk_offer_model")),
        sa.ForeignKeyConstraint(["vendor"], ["vendor.slug"], name=op.f("fk_offer_vendor")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_offer")),
        sa.UniqueConstraint("model", "vendor", name=op.f("uq_offer_model_vendor")),
        sqlite_strict=True,
    )
    op.create_table(
        "proposal",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("placement", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["id"], ["change_log.seq"], name=op.f("fk_proposal_id")),
        sa.ForeignKeyConstraint(["model"], ["model.slug"], name=op.f("fk_proposal_model")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_proposal")),
        sa.UniqueConstraint("model", name=op.f("uq_proposal_model")),
        sqlite_strict=True,
    )
    op.create_table(
        "score",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("release", sa.Text(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("low", sa.Text(), nullable=True),
        sa.Column("high", sa.Text(), nullable=True),
        sa.Column("effort", sa.Text(), nullable=True),
        sa.Column("as_of", sa.Text(), nullable=False),
        sa.Column("estimated", sa.Integer(), nullable=False),
        sa.Column("url", sa.Text(), nullable=True),
        sa.Column("note", sa.Text(), nullable=True),
        sa.CheckConstraint("estimated IN (0, 1)", name=op.f("ck_score_estimated")),
        sa.ForeignKeyConstraint(["id"], ["change_log.seq"], name=op.f("fk_score_id")),
        sa.ForeignKeyConstraint(["release"], ["index_release.key"], name=op.f("fk_score_release")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_score")),
        sqlite_strict=True,
    )
    with op.batch_alter_table("score", schema=None) as batch_op:
        batch_op.create_index("ix_score_release_label", ["release", "label"], unique=False)

    op.create_table(
        "price",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("vendor", sa.Text(), nullable=False),
        sa.Column("unit", sa.Text(), nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("tier", sa.Text(), nullable=False),
        sa.Column("processing", sa.Text(), nullable=False),
        sa.Column("input", sa.Text(), nullable=True),
        sa.Column("output", sa.Text(), nullable=True),
        sa.Column("cache_read", sa.Text(), nullable=True),
        sa.Column("cache_write", sa.Text(), nullable=True),
        sa.Column("valid_from", sa.Text(), nullable=True),
        sa.Column("valid_to", sa.Text(), nullable=True),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("as_of", sa.Text(), nullable=False),
        sa.CheckConstraint("processing IN ('realtime', 'batch')", name=op.f("ck_price_processing")),
        sa.CheckConstraint("unit IN ('1M tokens', 'image', 'minute', 'hour', 'request')", name=op.f("ck_price_unit")),
        sa.CheckConstraint("valid_from < valid_to", name=op.f("ck_price_period")),
        sa.ForeignKeyConstraint(["id"], ["change_log.seq"], name=op.f("fk_price_id")),
        sa.ForeignKeyConstraint(
            ["model", "vendor"], ["offer.model", "offer.vendor"], name=op.f("fk_price_model_vendor")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_price")),
        sqlite_strict=True,
    )
    with op.batch_alter_table("price", schema=None) as batch_op:
        batch_op.create_index("ix_price_model_vendor", ["model", "vendor"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("price", schema=None) as batch_op:
        batch_op.drop_index("ix_price_model_vendor")

    op.drop_table("price")
    with op.batch_alter_table("score", schema=None) as batch_op:
        batch_op.drop_index("ix_score_release_label")

    op.drop_table("score")
    op.drop_table("proposal")
    op.drop_table("offer")
    with op.batch_alter_table("alias", schema=None) as batch_op:
        batch_op.drop_index("ix_alias_model")

    op.drop_table("alias")
    with op.batch_alter_table("model", schema=None) as batch_op:
        batch_op.drop_index("ix_model_type")

    op.drop_table("model")
    op.drop_table("index_release")
    op.drop_table("vendor")
    op.drop_table("model_type")
    with op.batch_alter_table("change_log", schema=None) as batch_op:
        batch_op.drop_index(
            "ix_change_log_rank",
            sqlite_where=sa.text("new_rank IS NOT NULL"),
            postgresql_where=sa.text("new_rank IS NOT NULL"),
        )
        batch_op.drop_index(
            "ix_change_log_plan",
            sqlite_where=sa.text("action = 'rebase-plan'"),
            postgresql_where=sa.text("action = 'rebase-plan'"),
        )
        batch_op.drop_index("ix_change_log_model_seq")

    op.drop_table("change_log")
