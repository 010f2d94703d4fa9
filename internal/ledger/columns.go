package ledger

import (
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"
)

// Columns of unnest: pgx encodes these without reflection, which costs more than all else in a group.
type (
	uuidColumn  = pgtype.FlatArray[pgtype.UUID]
	textColumn  = pgtype.FlatArray[pgtype.Text]
	intColumn   = pgtype.FlatArray[pgtype.Int4]
	longColumn  = pgtype.FlatArray[pgtype.Int8]
	boolColumn  = pgtype.FlatArray[pgtype.Bool]
	bytesColumn = pgtype.FlatArray[[]byte]
)

func uid(u uuid.UUID) pgtype.UUID { return pgtype.UUID{Bytes: u, Valid: true} }

// maybe is null for the nil UUID.
func maybe(u uuid.UUID) pgtype.UUID { return pgtype.UUID{Bytes: u, Valid: u != uuid.Nil} }

func str(s string) pgtype.Text { return pgtype.Text{String: s, Valid: true} }

// text is null for nil bytes.
func text(b []byte) pgtype.Text { return pgtype.Text{String: string(b), Valid: b != nil} }

func number(n int) pgtype.Int4 { return pgtype.Int4{Int32: int32(n), Valid: true} }

func numberOf(n *int) pgtype.Int4 {
	if n == nil {
		return pgtype.Int4{}
	}
	return number(*n)
}

func yes(b bool) pgtype.Bool { return pgtype.Bool{Bool: b, Valid: true} }

func micros(d time.Duration) pgtype.Int8 { return pgtype.Int8{Int64: d.Microseconds(), Valid: true} }

// positive is null for a duration of 0 or less.
func positive(d time.Duration) pgtype.Int8 {
	return pgtype.Int8{Int64: d.Microseconds(), Valid: d > 0}
}
