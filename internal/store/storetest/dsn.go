package storetest

import (
	"net/url"
	"strings"
)

// withDatabase names another database in a connection string of either form that PostgreSQL knows.
func withDatabase(dsn, name string) string {
	if !strings.HasPrefix(dsn, "postgres://") && !strings.HasPrefix(dsn, "postgresql://") {
		return dsn + " dbname=" + name // the last of two wins
	}
	u, err := url.Parse(dsn)
	if err != nil {
		return dsn // pgx has read it, so this does not happen
	}
	u.Path = "/" + name
	q := u.Query()
	q.Del("dbname")
	u.RawQuery = q.Encode()
	return u.String()
}
