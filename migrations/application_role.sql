-- Rights of an application role on a catalog in PostgreSQL: everything the command `catalog` does day by day, nothing more.
--
-- Run it with psql, connected to the catalog's database as the owner of its tables (the role that ran `catalog init`),
-- after `catalog init` and again after every `catalog upgrade`:
--
--     psql postgresql://owner@host/database -v role=catalog_app -f application_role.sql
--
-- The role must exist:  CREATE ROLE catalog_app LOGIN PASSWORD '…'
-- The tables are expected in the schema `public`. Running the script twice changes nothing.
--
-- What the role cannot do: change or delete a line of the log or a score, delete a model, write a rank column, create or
-- drop tables and triggers, migrate. A rank still moves by a rank line: the trigger that applies it has its owner's rights.

\set ON_ERROR_STOP on

BEGIN;

REVOKE ALL ON ALL TABLES IN SCHEMA public FROM :"role";
REVOKE CREATE ON SCHEMA public FROM :"role";
GRANT USAGE ON SCHEMA public TO :"role";

GRANT SELECT ON alembic_version TO :"role";

GRANT SELECT, INSERT ON change_log, score TO :"role";

GRANT SELECT, INSERT ON model TO :"role";
GRANT UPDATE (
  type, slug, name, developer, build, released, retired, status, prior, same_weights_as, context_window, max_output,
  inputs, outputs, capabilities, tokenizer, speed_rank, cost_rank, legacy_ordinal, note
) ON model TO :"role";

GRANT SELECT, INSERT, UPDATE ON model_type TO :"role";
GRANT SELECT, INSERT, UPDATE, DELETE ON vendor, index_release, alias, offer, price, proposal TO :"role";

COMMIT;
