package store

import (
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
)

// BadText says whether PostgreSQL refused a text because it holds what a text can't: a NUL character or bytes that
// are no UTF-8.
func BadText(err error) bool {
	const notInRepertoire, untranslatable = "22021", "22P05"
	var p *pgconn.PgError
	return errors.As(err, &p) && (p.Code == notInRepertoire || p.Code == untranslatable)
}
