package ledger

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// now is the epoch that a connection lives in, as EnterEpoch has set it, in statements of this package and of others.
const now = `current_setting('pawl.epoch')::bigint`

// ErrNoSchema is returned by Epoch where the database has no schema of Pawl.
var ErrNoSchema = errors.New("ledger: the database has no schema of Pawl")

// enterSQL finds or makes the number of the database's present history, and keeps it for the connection.
const enterSQL = `with now as (
  select (select system_identifier::text from pg_control_system()) as system, (select timeline_id::bigint from pg_control_checkpoint()) as timeline
), made as (
  insert into epoch (system_identifier, timeline) select system, timeline from now on conflict do nothing returning id
)
select set_config('pawl.epoch', id::text, false) from (
  select id from made union all
  select e.id from epoch e join now on e.system_identifier = now.system and e.timeline = now.timeline limit 1) as present`

// EnterEpoch tells a new connection in which history of the database it lives: its system identifier and timeline. A
// restore or a failover begins another one, in which "no row" does not prove "not sent" for the runs of earlier ones, and
// it ends all connections: so the statements of a connection always know. A database without a schema has no history yet.
func EnterEpoch(ctx context.Context, conn *pgx.Conn) error {
	var schema bool
	if err := conn.QueryRow(ctx, `select to_regclass('epoch') is not null`).Scan(&schema); err != nil {
		return fmt.Errorf("look for the schema: %w", err)
	}
	if !schema {
		return nil
	}
	for { // whom another connection forestalled sees its row the next time
		var id string
		err := conn.QueryRow(ctx, enterSQL).Scan(&id)
		if !errors.Is(err, pgx.ErrNoRows) {
			return wrapped(err)
		}
	}
}

func wrapped(err error) error {
	if err != nil {
		return fmt.Errorf("find the database's history: %w", err)
	}
	return nil
}

// Epoch gives the number of the history that the pool's connections live in, or ErrNoSchema.
func Epoch(ctx context.Context, pool *pgxpool.Pool) (int64, error) {
	var id *string
	if err := pool.QueryRow(ctx, `select nullif(current_setting('pawl.epoch', true), '')`).Scan(&id); err != nil {
		return 0, wrapped(err)
	}
	if id == nil {
		return 0, ErrNoSchema
	}
	var n int64
	if _, err := fmt.Sscan(*id, &n); err != nil {
		return 0, wrapped(err)
	}
	return n, nil
}
