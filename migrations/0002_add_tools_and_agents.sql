-- +goose Up
-- Sandbox tools as steps, and calls of agents (docs/agents.md).

-- A release with tools publishes plugin.<id>.vX-Y-Z beside its app, if it has one.
alter table release add column tools boolean not null default false;
alter table release disable trigger release_immutable;
update release set tools = json_array_length(convert_from(document, 'UTF8')::json #> '{manifest,tools}') > 0 where source = 'developer';
alter table release enable trigger release_immutable;

-- What is in production or kept beside it gets the binding that it would have got.
with missing as (
  insert into binding (identity, scope, state, release_id, kept_until, changed_by, reason)
  select 'plugin.' || r.entry_id || '.v' || r.major || '-' || r.minor || '-' || r.patch, r.scope,
    coalesce(b.state, case when p.enabled then 'active' else 'withdrawn' end), r.id, b.kept_until, 'migration',
    coalesce(b.reason, case when p.enabled then 'promoted' else 'disabled' end)
  from release r join plugin p on p.id = r.entry_id
  left join binding b on b.release_id = r.id and b.scope = r.scope
  where r.source = 'developer' and r.tools and p.removed_at is null
    and (b.identity is not null or p.production_version = r.major || '.' || r.minor || '.' || r.patch)
  on conflict do nothing
  returning identity, state, reason, gen)
insert into audit (actor, verb, object, detail)
select 'migration', 'binding.change', 'binding:' || identity, json_build_object('state', state, 'reason', reason, 'gen', gen)::text from missing;

-- What a tool logged; a JSON array of texts.
alter table attempt add column logs text;

-- A run without an automation is one call of an agent: one action, under the same ledger.
alter table run alter column automation_id drop not null;
alter table run add column action text;
alter table run add constraint run_follows_one_thing check ((automation_id is null) = (action is not null));
alter table run drop constraint run_trigger_known;
alter table run add constraint run_trigger_known check (trigger in ('manual','api','schedule','webhook','event','poll','call','replay','agent'));
create unique index run_call_start_key_once on run (project_id, start_key) where automation_id is null;
comment on column run.action is 'The action identity of a run without an automation: the call of an agent.';

create table approval (
  id               uuid primary key,
  project_id       uuid not null references project,
  state            text not null default 'pending',
  source           text not null,
  action           text not null,
  release_digest   bytea not null,
  effect           text not null,
  account_id       uuid references account,
  target           text not null,
  arguments        text not null,
  arguments_digest bytea not null,
  requested_by     text not null,
  requested_at     timestamptz not null default clock_timestamp(),
  until            timestamptz not null,
  decided_by       text,
  decided_at       timestamptz,
  comment          text not null default '',
  run_id           uuid references run,
  constraint approval_state_known check (state in ('pending','consumed','denied','expired')),
  constraint approval_decided_whole check ((decided_by is null) = (decided_at is null)),
  constraint approval_consumed_by_a_run check ((state = 'consumed') = (run_id is not null)),
  constraint approval_run_once unique (run_id),
  constraint approval_digests_sha256 check (length(release_digest) = 32 and length(arguments_digest) = 32)
);
create unique index approval_one_pending on approval (project_id, requested_by, action, arguments_digest) where state = 'pending';
create index approval_by_project on approval (project_id, id desc);
comment on table approval is 'A call that waits for a person. It binds everything that the call is; allowing it makes its run in the same transaction, once.';
