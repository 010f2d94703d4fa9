package ledger

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Epoch gives the number of the database's present history: its system identifier and timeline. A restore or a
// failover begins another one, in which "no row" does not prove "not sent" for the runs of earlier ones.
func Epoch(ctx context.Context, pool *pgxpool.Pool) (int64, error) {
	var id int64
	err := pool.QueryRow(ctx, `with now as (
		  select (select system_identifier::text from pg_control_system()) as system, (select timeline_id::bigint from pg_control_checkpoint()) as timeline
		), made as (
		  insert into epoch (system_identifier, timeline) select system, timeline from now on conflict do nothing returning id
		)
		select id from made union all
		select e.id from epoch e join now on e.system_identifier = now.system and e.timeline = now.timeline limit 1`).Scan(&id)
	if err != nil {
		return 0, fmt.Errorf("find the database's history: %w", err)
	}
	return id, nil
}
