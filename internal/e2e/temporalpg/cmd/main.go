// Command cmd runs Temporal on PostgreSQL for the tests with several processes:
//
//	cmd --database 'host=/path/of/the/socket user=pawl dbname=postgres'
//
// It prints its address (host:port) as one line when it is ready, and stops on SIGTERM or Ctrl-C. Its log goes to
// standard error.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"pawl/internal/e2e/temporalpg"
)

func main() {
	dsn := flag.String("database", os.Getenv("PAWL_TEST_DATABASE_URL"), "connection `string` of a PostgreSQL on which databases may be created")
	flag.Parse()
	if err := run(*dsn); err != nil {
		fmt.Fprintln(os.Stderr, "temporalpg:", err)
		os.Exit(1)
	}
}

func run(dsn string) error {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	s, err := temporalpg.Start(ctx, dsn, slog.New(slog.NewTextHandler(os.Stderr, nil)))
	if err != nil {
		return err
	}
	fmt.Println(s.HostPort())
	<-ctx.Done()
	return s.Stop()
}
