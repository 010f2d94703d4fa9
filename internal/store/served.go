package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"pawl/connections"
	"pawl/connections/release"
)

// ServedPlugins gives what an audience is served (release.ServedStore): for a test key the draft, in a chosen project the
// preview version, else the production version.
func (s *Store) ServedPlugins(ctx context.Context, a release.Audience, id, after string, limit int) ([]release.ServedRow, error) {
	rows, err := s.pool.Query(ctx, `with chosen as (
		  select p.id, p.draft, p.draft_digest,
		    case when @test then 'test' when p.preview_version is not null and v.project_id is not null then 'preview' else 'production' end as stage,
		    case when p.preview_version is not null and v.project_id is not null then p.preview_version else p.production_version end as version
		  from plugin p left join preview_project v on v.plugin_id = p.id and v.project_id = @project
		  where p.removed_at is null and p.enabled and p.id > @after and (@id = '' or p.id = @id))
		select c.id, c.stage, case when @test then c.draft_digest else r.digest end, case when @test then c.draft else r.document end
		from chosen c left join release r on not @test and r.source = @source and r.entry_id = c.id and r.scope = @scope
		  and c.version = r.major || '.' || r.minor || '.' || r.patch
		where case when @test then c.draft is not null else r.id is not null end
		order by c.id limit @limit`,
		pgx.NamedArgs{
			"test": a.Test, "project": a.Project, "id": id, "after": after, "limit": limit,
			"source": connections.SourceDeveloper, "scope": release.Installation,
		})
	if err != nil {
		return nil, fmt.Errorf("read what agents are served: %w", err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[release.ServedRow])
	if err != nil {
		return nil, fmt.Errorf("read what agents are served: %w", err)
	}
	return list, nil
}
