package temporalpg

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/log"
	_ "go.temporal.io/server/common/persistence/sql/sqlplugin/postgresql" // registers the plugin
	"go.temporal.io/server/tools/common/schema"
	sqltool "go.temporal.io/server/tools/sql"
)

const plugin = "postgres12_pgx"

// The folders of the schemas inside Temporal's module.
const (
	mainSchema       = "postgresql/v12/temporal"
	visibilitySchema = "postgresql/v12/visibility"
)

// migrate makes both databases ready and describes them to the server.
func migrate(ctx context.Context, dsn string) (main, visibility *config.SQL, err error) {
	target, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, nil, fmt.Errorf("read the connection string: %w", err)
	}
	conn, err := pgx.ConnectConfig(ctx, target)
	if err != nil {
		return nil, nil, fmt.Errorf("connect to PostgreSQL: %w", err)
	}
	defer conn.Close(ctx)
	if main, err = migrateOne(ctx, conn, "temporal", mainSchema); err != nil {
		return nil, nil, err
	}
	visibility, err = migrateOne(ctx, conn, "temporal_visibility", visibilitySchema)
	return main, visibility, err
}

func migrateOne(ctx context.Context, conn *pgx.Conn, name, folder string) (*config.SQL, error) {
	var there bool
	if err := conn.QueryRow(ctx, "select exists (select from pg_database where datname = $1)", name).Scan(&there); err != nil {
		return nil, fmt.Errorf("look for the database %s: %w", name, err)
	}
	if !there {
		if _, err := conn.Exec(ctx, "create database "+pgx.Identifier{name}.Sanitize()); err != nil {
			return nil, fmt.Errorf("create the database %s: %w", name, err)
		}
	}
	target := describe(conn.Config(), name)
	if err := update(target, folder); err != nil {
		return nil, fmt.Errorf("bring the schema of %s up to date: %w", name, err)
	}
	return target, nil
}

// update does what temporal-sql-tool does: the table of versions first, then every version that is missing.
func update(target *config.SQL, folder string) error {
	quiet := log.NewNoopLogger()
	conn, err := sqltool.NewConnection(target, quiet)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ReadSchemaVersion(); err != nil {
		if err := schema.NewSetupSchemaTask(conn, &schema.SetupConfig{InitialVersion: "0.0"}, quiet).Run(); err != nil {
			return err
		}
	}
	return schema.NewUpdateSchemaTask(conn, &schema.UpdateConfig{DBName: target.DatabaseName, SchemaName: folder}, quiet).Run()
}

// describe says it in Temporal's words. The plugin only knows addresses, but passes what it does not know on to
// pgx, where host and port go before the address: that is the way to a unix socket.
func describe(c *pgx.ConnConfig, name string) *config.SQL {
	s := &config.SQL{
		PluginName: plugin, DatabaseName: name, User: c.User, Password: c.Password,
		ConnectProtocol: "tcp", ConnectAddr: net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port))),
		MaxConns: connections, MaxIdleConns: connections, ConnectAttributes: map[string]string{},
	}
	if strings.HasPrefix(c.Host, "/") {
		s.ConnectAddr = "localhost"
		s.ConnectAttributes["host"] = c.Host
		s.ConnectAttributes["port"] = strconv.Itoa(int(c.Port))
	}
	return s
}
