-- +goose Up
-- The whole first schema. Rules that hold for it:
--   * JSON that users or providers gave us is stored as text, never jsonb: jsonb refuses \u0000 and rewrites numbers.
--   * Every invariant is a named constraint, so that the store can turn a violation into a sentence.
--   * Rows that people trust us with are never deleted: they carry removed_at, revoked_at or a state.

create table epoch (
  id                bigint generated always as identity primary key,
  system_identifier text not null,
  timeline          bigint not null,
  seen_at           timestamptz not null default clock_timestamp(),
  confirmed_at      timestamptz,
  confirmed_by      text,
  constraint epoch_identity_once unique (system_identifier, timeline)
);
comment on table epoch is 'Histories of this database that Pawl has lived through: a restore or a failover begins a new one (docs/runtime.md, Epoch).';

create table project (
  id         uuid primary key,
  name       text not null,
  title      text not null default '',
  local_only boolean not null default false,
  created_at timestamptz not null default clock_timestamp(),
  removed_at timestamptz,
  constraint project_name_form check (name ~ '^[a-z][a-z0-9-]{0,62}$'),
  constraint project_name_once unique (name)
);

create table person (
  id            uuid primary key,
  email         text not null,
  name          text not null default '',
  password_hash text,
  owner         boolean not null default false,
  created_at    timestamptz not null default clock_timestamp(),
  disabled_at   timestamptz,
  constraint person_email_form check (email = lower(email) and email like '%_@_%'),
  constraint person_email_once unique (email)
);

create table member (
  project_id uuid not null references project,
  person_id  uuid not null references person,
  role       text not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (project_id, person_id),
  constraint member_role_known check (role in ('viewer','builder','operator','developer','admin','owner'))
);

create table api_key (
  id           uuid primary key,
  person_id    uuid not null references person,
  project_id   uuid references project,
  kind         text not null,
  name         text not null,
  prefix       text not null,
  hash         bytea not null,
  created_at   timestamptz not null default clock_timestamp(),
  last_used_at timestamptz,
  expires_at   timestamptz,
  revoked_at   timestamptz,
  constraint api_key_kind_known check (kind in ('test','live','research')),
  constraint api_key_hash_once unique (hash)
);
comment on column api_key.hash is 'SHA-256 of the key; the key itself is shown once and kept nowhere.';

create table signin_link (
  hash       bytea primary key,
  person_id  uuid not null references person,
  expires_at timestamptz not null,
  used_at    timestamptz,
  created_at timestamptz not null default clock_timestamp()
);

create table session (
  token  text primary key,
  data   bytea not null,
  expiry timestamptz not null
);
create index session_expiry on session (expiry);

-- Plugins and releases -----------------------------------------------------------------------------------------

create table plugin (
  id                 text primary key,
  draft              bytea,
  draft_digest       bytea,
  draft_settings     bytea,
  draft_rev          bigint not null default 0,
  preview_version    text,
  production_version text,
  peak_version       text,
  enabled            boolean not null default true,
  created_at         timestamptz not null default clock_timestamp(),
  updated_at         timestamptz not null default clock_timestamp(),
  updated_by         text not null default '',
  removed_at         timestamptz,
  constraint plugin_id_form check (id ~ '^[a-z][a-z0-9-]{1,40}$')
);

comment on column plugin.peak_version is 'The highest version that has ever been in production: rollback reaches every frozen version up to it.';

create table preview_project (
  plugin_id  text not null references plugin,
  project_id uuid not null references project,
  primary key (plugin_id, project_id)
);

create table release (
  id          uuid primary key,
  source      text not null,
  entry_id    text not null,
  scope       uuid not null,
  major       int not null,
  minor       int not null,
  patch       int not null,
  digest      bytea not null,
  document    bytea not null,
  settings    bytea,
  app         boolean not null,
  frozen_at   timestamptz not null default clock_timestamp(),
  frozen_by   text not null,
  constraint release_version_once unique (source, entry_id, scope, major, minor, patch),
  constraint release_source_known check (source in ('developer','plugin','openapi','mcp','package','builtin','core')),
  constraint release_version_positive check (major >= 0 and minor >= 0 and patch >= 0),
  constraint release_digest_sha256 check (length(digest) = 32)
);
comment on table release is 'Frozen versions. For plugins source is ''developer'', one row a version, whether it has an app or not. scope: the project, or the nil UUID for the installation. digest: SHA-256 over the RFC 8785 form of {document, settings}.';
comment on column release.document is 'The canonical (RFC 8785) bytes, never changed: a trigger refuses it.';

-- +goose StatementBegin
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% rows are immutable', tg_table_name using errcode = 'integrity_constraint_violation', constraint = tg_table_name || '_immutable';
end $$;
-- +goose StatementEnd
create trigger release_immutable before update or delete on release for each row execute function refuse_change();

create table binding (
  identity   text not null,
  scope      uuid not null,
  state      text not null,
  gen        bigint not null default 1,
  release_id uuid not null references release,
  kept_until timestamptz,
  changed_at timestamptz not null default clock_timestamp(),
  changed_by text not null,
  reason     text not null,
  primary key (identity, scope),
  constraint binding_state_known check (state in ('active','withdrawn')),
  constraint binding_reason_known check (reason in ('promoted','superseded','rolled_back','disabled','enabled','removed','kept_until_passed','drift','accepted'))
);
comment on table binding is 'The routing fact of one connection identity. Routable = active and (kept_until is null or kept_until > now). gen grows with every change.';

-- Accounts, secrets, grants ------------------------------------------------------------------------------------

create table secret (
  id         uuid primary key,
  version    int not null,
  sealed     bytea not null,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);
comment on table secret is 'Envelope-encrypted (docs/vault.md); associated data binds the bytes to id and version.';

create table account (
  id         uuid primary key,
  project_id uuid not null references project,
  identity   text not null,
  name       text not null,
  status     text not null default 'unchecked',
  secret_id  uuid references secret,
  created_at timestamptz not null default clock_timestamp(),
  created_by text not null,
  updated_at timestamptz not null default clock_timestamp(),
  removed_at timestamptz,
  constraint account_status_known check (status in ('unchecked','verified','failing','expired')),
  constraint account_name_form check (name ~ '^[A-Za-z0-9][A-Za-z0-9 ._-]{0,62}$')
);
create unique index account_name_once on account (project_id, identity, name) where removed_at is null;

create table standing_grant (
  id         uuid primary key,
  project_id uuid not null references project,
  kind       text not null,
  action     text not null default '',
  plugin_id  text not null default '',
  host       text not null default '',
  created_at timestamptz not null default clock_timestamp(),
  created_by text not null,
  revoked_at timestamptz,
  revoked_by text,
  constraint standing_grant_kind_known check (kind in ('action','host','agents')),
  constraint standing_grant_shape check (
    (kind = 'action' and action <> '' and plugin_id = '' and host = '') or
    (kind = 'host' and action = '' and plugin_id <> '' and host <> '') or
    (kind = 'agents' and action = '' and plugin_id <> '' and host = ''))
);
create unique index standing_grant_once on standing_grant (project_id, kind, action, plugin_id, host) where revoked_at is null;

-- Automations --------------------------------------------------------------------------------------------------

create table document (
  digest     bytea primary key,
  body       bytea not null,
  created_at timestamptz not null default clock_timestamp(),
  constraint document_digest_sha256 check (length(digest) = 32)
);
comment on table document is 'Automation documents by the SHA-256 of their RFC 8785 form: runs of versions and of drafts point here.';
create trigger document_immutable before update or delete on document for each row execute function refuse_change();

create table automation (
  id           uuid primary key,
  project_id   uuid not null references project,
  name         text not null,
  draft        bytea,
  draft_rev    bigint not null default 1,
  live_version int,
  created_at   timestamptz not null default clock_timestamp(),
  updated_at   timestamptz not null default clock_timestamp(),
  updated_by   text not null default '',
  removed_at   timestamptz,
  constraint automation_name_form check (name ~ '^[a-z0-9][a-z0-9-]{0,99}$')
);
create unique index automation_name_once on automation (project_id, name) where removed_at is null;
comment on column automation.name is 'The handle in addresses and commands; the document has the readable name.';

create table automation_version (
  automation_id uuid not null references automation,
  version       int not null,
  digest        bytea not null references document,
  author        text not null,
  message       text not null default '',
  published_at  timestamptz not null default clock_timestamp(),
  primary key (automation_id, version),
  constraint automation_version_positive check (version >= 1)
);
create trigger automation_version_immutable before update or delete on automation_version for each row execute function refuse_change();

-- Runs ---------------------------------------------------------------------------------------------------------

create table run (
  id                  uuid primary key,
  project_id          uuid not null references project,
  automation_id       uuid not null references automation,
  version             int,
  digest              bytea not null references document,
  state               text not null default 'queued',
  start_key           text not null,
  trigger             text not null,
  trigger_data        text,
  input               text not null default '{}',
  output              text,
  output_blob         bytea,
  error               text,
  accounts            text not null default '{}',
  stage               text not null default 'production',
  local_only          boolean not null default false,
  replay_of           uuid references run,
  epoch               bigint not null references epoch,
  created_at          timestamptz not null default clock_timestamp(),
  created_by          text not null,
  started_at          timestamptz,
  finished_at         timestamptz,
  cancel_requested_at timestamptz,
  cancel_requested_by text,
  cancel_force        boolean not null default false,
  claimed_by          text,
  claimed_until       timestamptz,
  stuck               text,
  nudge_at            timestamptz,
  constraint run_state_known check (state in ('queued','running','waiting','needs_attention','succeeded','failed','cancelled')),
  constraint run_trigger_known check (trigger in ('manual','api','schedule','webhook','event','poll','call','replay')),
  constraint run_stage_known check (stage in ('test','preview','production')),
  constraint run_start_key_once unique (automation_id, start_key),
  constraint run_finished_exactly_when_ended check ((state in ('succeeded','failed','cancelled')) = (finished_at is not null))
);
create index run_queue on run (created_at) where state = 'queued';
create index run_alive on run (id) where state in ('queued','running','waiting','needs_attention');
create index run_nudge on run (id) where nudge_at is not null;
create index run_by_automation on run (automation_id, id desc);
create index run_by_project on run (project_id, id desc);
comment on column run.accounts is 'Account ids frozen at the start: {"<connection identity> <account name>": "<account id>"}; the name is empty where the step names none.';

-- +goose StatementBegin
create function keep_end_state() returns trigger language plpgsql as $$
begin
  if old.state in ('succeeded','failed','cancelled') and new.state is distinct from old.state then
    raise exception 'run % has ended %', old.id, old.state using errcode = 'integrity_constraint_violation', constraint = 'run_end_state_final';
  end if;
  return new;
end $$;
-- +goose StatementEnd
create trigger run_end_state_final before update of state on run for each row execute function keep_end_state();

create table attempt (
  run_id         uuid not null,
  path           text not null,
  n              int not null,
  action         text not null,
  effect         text not null,
  state          text not null,
  again          boolean not null default false,
  owner          uuid not null,
  gen            bigint not null default 0,
  account_id     uuid,
  epoch          bigint not null,
  input          text,
  input_blob     bytea,
  request        text,
  request_digest bytea,
  claimed_at     timestamptz not null default clock_timestamp(),
  lease_until    timestamptz,
  finished_at    timestamptz,
  status         int,
  output         text,
  output_blob    bytea,
  error          text,
  retry_after    timestamptz,
  late_answer    text,
  settled_as     text,
  settled_by     text,
  settled_at     timestamptz,
  primary key (run_id, path, n),
  constraint attempt_number_positive check (n >= 1),
  constraint attempt_effect_known check (effect in ('read','safe','unsafe')),
  constraint attempt_state_known check (state in ('sending','not_sent','answered','unknown','lost')),
  constraint attempt_unsafe_never_lost check (not (state = 'lost' and effect = 'unsafe')),
  constraint attempt_open_has_no_next check (not (again and state in ('sending','unknown'))),
  constraint attempt_settled_known check (settled_as in ('succeeded','failed','retry')),
  constraint attempt_settled_whole check ((settled_as is null) = (settled_at is null))
) partition by range (run_id);
comment on table attempt is 'The effect ledger: what is known of each attempt. SQL on it lives in internal/ledger only.';
comment on column attempt.retry_after is 'The instant before which the provider asked us not to try again.';
create unique index attempt_one_open on attempt (run_id, path) where state in ('sending','unknown') and effect <> 'read';
create index attempt_on_the_wire on attempt (action) where state = 'sending';

create table attempt_rest partition of attempt default;

-- +goose StatementBegin
create function uuid7_floor(at timestamptz) returns uuid language sql immutable strict as $$
  select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '00000000000000000000')::uuid
$$;
-- +goose StatementEnd

-- +goose StatementBegin
create function make_attempt_partitions(months int) returns void language plpgsql as $$
declare
  f timestamptz := date_trunc('month', clock_timestamp() at time zone 'UTC') at time zone 'UTC';
  t timestamptz;
  name text;
begin
  perform pg_advisory_xact_lock(hashtextextended('make_attempt_partitions', 7));
  for i in 0..months loop
    t := (date_trunc('month', (f at time zone 'UTC') + interval '1 month')) at time zone 'UTC';
    name := 'attempt_' || to_char(f at time zone 'UTC', 'YYYY_MM');
    if to_regclass(name) is null then
      execute format('create table %I partition of attempt for values from (%L) to (%L)', name, uuid7_floor(f), uuid7_floor(t));
    end if;
    f := t;
  end loop;
end $$;
-- +goose StatementEnd
select make_attempt_partitions(1);

create table decision (
  run_id     uuid not null references run,
  path       text not null,
  kind       text not null,
  label      text not null default '',
  count      int,
  instant    timestamptz,
  value      text,
  value_blob bytea,
  error      text,
  created_at timestamptz not null default clock_timestamp(),
  primary key (run_id, path),
  constraint decision_kind_known check (kind in ('if','branch','each','set','wait','retry','check','stop','approve','call','try'))
);
comment on table decision is 'Frozen decisions: the first write wins and every later walk reads it.';

create table loop_chunk (
  run_id uuid not null,
  path   text not null,
  chunk  int not null,
  items  text not null,
  primary key (run_id, path, chunk)
);
comment on table loop_chunk is 'The items of an each, in chunks of at most 256 items, as a JSON array; written with the decision.';

create table wait (
  run_id   uuid not null references run,
  path     text not null,
  kind     text not null,
  key      text not null default '',
  since    timestamptz not null default clock_timestamp(),
  until    timestamptz,
  woken_at timestamptz,
  done_at  timestamptz,
  detail   text,
  primary key (run_id, path, kind),
  constraint wait_kind_known check (kind in ('timer','retry','hold','settle','approval','event','call'))
);
create index wait_open on wait (kind, key) where done_at is null;
create index wait_open_by_run on wait (run_id) where done_at is null;

create table blob (
  run_id     uuid not null,
  digest     bytea not null,
  media_type text not null,
  size       bigint not null,
  body       bytea not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (run_id, digest)
);

create table audit (
  id         bigint generated always as identity primary key,
  at         timestamptz not null default clock_timestamp(),
  actor      text not null,
  project_id uuid references project,
  verb       text not null,
  object     text not null,
  detail     text not null default '{}'
);
create index audit_by_object on audit (object, id desc);
comment on table audit is 'Append-only: one row for every change of releases, bindings, grants, accounts, automations, people and keys, in the transaction that makes it.';
create trigger audit_immutable before update or delete on audit for each row execute function refuse_change();
