package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"pawl/internal/auth"
	"pawl/internal/fault"
)

// personColumns reads a person with the roles as one JSON object, so that a call needs one round trip.
const personColumns = `p.id, p.email, p.name, coalesce(p.password_hash, ''), p.owner, p.disabled_at is not null,
	coalesce((select json_object_agg(m.project_id, m.role) from member m where m.person_id = p.id), '{}')::text`

type scanner interface{ Scan(dest ...any) error }

func scanPerson(row scanner, more ...any) (auth.Person, error) {
	var p auth.Person
	var roles string
	err := row.Scan(append([]any{&p.ID, &p.Email, &p.Name, &p.PasswordHash, &p.Owner, &p.Disabled, &roles}, more...)...)
	if err != nil {
		return auth.Person{}, err
	}
	if err := json.Unmarshal([]byte(roles), &p.Roles); err != nil {
		return auth.Person{}, fmt.Errorf("read the roles of %s: %w", p.ID, err)
	}
	return p, nil
}

// PersonByEmail gives the person with a lower-case address, else a not_found fault.
func (s *Store) PersonByEmail(ctx context.Context, email string) (auth.Person, error) {
	return s.person(ctx, `where p.email = $1`, email)
}

// Person gives the person with an id, else a not_found fault.
func (s *Store) Person(ctx context.Context, id uuid.UUID) (auth.Person, error) {
	return s.person(ctx, `where p.id = $1`, id)
}

func (s *Store) person(ctx context.Context, where string, arg any) (auth.Person, error) {
	p, err := scanPerson(s.pool.QueryRow(ctx, `select `+personColumns+` from person p `+where, arg))
	if errors.Is(err, pgx.ErrNoRows) {
		return auth.Person{}, fault.New(fault.NotFound, "person", "There is no such person.")
	}
	if err != nil {
		return auth.Person{}, fmt.Errorf("find a person: %w", err)
	}
	return p, nil
}

// SetPassword replaces the password's hash and ends nothing else.
func (s *Store) SetPassword(ctx context.Context, id uuid.UUID, hash, actor string) error {
	return s.InTx(ctx, "set a password", func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `update person set password_hash = $2 where id = $1`, id, hash); err != nil {
			return fmt.Errorf("set a password: %w", err)
		}
		return noteAudit(ctx, tx, actor, nil, "person.set_password", "person:"+id.String(), nil)
	})
}

// AddMember makes a person, if the address is new, and gives it a role in a project, in place of an earlier one.
func (s *Store) AddMember(ctx context.Context, project uuid.UUID, email string, role auth.Role, actor string) (auth.Person, error) {
	err := s.InTx(ctx, "add a member", func(tx pgx.Tx) error {
		var id uuid.UUID
		err := tx.QueryRow(ctx, `
			with made as (insert into person (id, email) values ($1, $2) on conflict (email) do nothing returning id)
			select id from made union all select id from person where email = $2 limit 1`,
			uuid.Must(uuid.NewV7()), email).Scan(&id)
		if err != nil {
			return memberFault(email, role, err)
		}
		_, err = tx.Exec(ctx, `
			insert into member (project_id, person_id, role) values ($1, $2, $3)
			on conflict (project_id, person_id) do update set role = excluded.role`, project, id, string(role))
		if err != nil {
			return memberFault(email, role, err)
		}
		return noteAudit(ctx, tx, actor, &project, "member.set", "person:"+id.String(), map[string]any{"role": string(role), "email": email})
	})
	if err != nil {
		return auth.Person{}, err
	}
	return s.PersonByEmail(ctx, email)
}

func memberFault(email string, role auth.Role, err error) error {
	switch constraintOf(err) {
	case "person_email_form":
		return fault.New(fault.InvalidInput, "email", "%q is no e-mail address in lower case.", email).At("/email")
	case "member_role_known":
		return fault.New(fault.InvalidInput, "role", "%q is no role: use viewer, builder, operator, developer, admin or owner.", role).At("/role")
	}
	return fmt.Errorf("add a member: %w", err)
}
