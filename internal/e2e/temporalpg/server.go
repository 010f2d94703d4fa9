// Package temporalpg runs the official Temporal server with PostgreSQL persistence, as a production cluster has
// it: all four services and a visibility store. The tests with several processes start its command
// (internal/e2e/temporalpg/cmd) as the Temporal that serve and worker connect to.
package temporalpg

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/common/metrics"
	"go.temporal.io/server/temporal"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"pawl/internal/local/temporalserver/parts"
)

const (
	// shards is small: one machine.
	shards = 4
	// connections is how many each of four services opens to each of two databases, at most.
	connections = 8
	// retention is the shortest that Temporal takes from its API.
	retention = 24 * time.Hour
	// readyLimit bounds a start: a first one makes two schemas.
	readyLimit = 2 * time.Minute
	// stopLimit bounds a stop.
	stopLimit = 30 * time.Second
)

// Server is a running Temporal.
type Server struct {
	address string
	server  temporal.Server
	log     *parts.Logger
}

// Start makes the databases temporal and temporal_visibility on the server that dsn connects to (any of its
// databases; a unix socket will do), brings their schemas to the newest version, and returns when the namespace
// default takes workflows. A later Start on the same databases goes on with what is there.
func Start(ctx context.Context, dsn string, logger *slog.Logger) (*Server, error) {
	ctx, cancel := context.WithTimeout(ctx, readyLimit)
	defer cancel()
	main, visibility, err := migrate(ctx, dsn)
	if err != nil {
		return nil, err
	}
	p, err := parts.ChoosePorts(ctx)
	if err != nil {
		return nil, err
	}
	s := &Server{address: p.Address(), log: parts.NewLogger(logger)}
	s.server, err = temporal.NewServer(
		temporal.WithConfig(parts.Configuration(parts.Stores{
			Shards: shards, Main: config.DataStore{SQL: main}, Visibility: config.DataStore{SQL: visibility},
		}, p)),
		temporal.ForServices(temporal.DefaultServices),
		temporal.WithLogger(s.log),
		temporal.WithAuthorizer(authorization.NewNoopAuthorizer()),
		temporal.WithCustomMetricsHandler(metrics.NoopMetricsHandler),
		temporal.WithStaticHosts(p.Hosts()),
		temporal.WithDynamicConfigClient(dynamicconfig.StaticClient{}),
	)
	if err != nil {
		return nil, fmt.Errorf("make the Temporal server: %w", err)
	}
	if err := parts.Launch(ctx, s.server, s.address, func() error { return register(ctx, s.address) }, s.log); err != nil {
		return nil, errors.Join(fmt.Errorf("start Temporal: %w", err), s.Stop())
	}
	return s, nil
}

// HostPort is the address for clients (gRPC, no TLS).
func (s *Server) HostPort() string { return s.address }

// Stop ends the server.
func (s *Server) Stop() error { return parts.End(s.server, s.log, stopLimit) }

// register makes the namespace unless it is there.
func register(ctx context.Context, address string) error {
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = workflowservice.NewWorkflowServiceClient(conn).RegisterNamespace(ctx, &workflowservice.RegisterNamespaceRequest{
		Namespace: parts.Namespace, WorkflowExecutionRetentionPeriod: durationpb.New(retention),
	})
	var there *serviceerror.NamespaceAlreadyExists
	if err == nil || errors.As(serviceerror.FromStatus(status.Convert(err)), &there) {
		return nil
	}
	return fmt.Errorf("register the namespace %s: %w", parts.Namespace, err)
}
