package temporalserver

import (
	"time"

	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/common/membership/static"
	"go.temporal.io/server/common/metrics"
	"go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
	"go.temporal.io/server/common/primitives"
	"go.temporal.io/server/temporal"
)

const (
	clusterName     = "active"
	mainStore       = "pawl"
	visibilityStore = "pawl-visibility"
)

// options are the parts of the server. Hosts are static: a single process needs no membership protocol, its ports
// or its wait for members of an earlier start.
func options(c Config, sql *config.SQL, p ports, log *logger) []temporal.ServerOption {
	all := []temporal.ServerOption{
		temporal.WithConfig(configuration(c, sql, p)),
		temporal.WithLogger(log),
		temporal.WithAuthorizer(authorization.NewNoopAuthorizer()),
		temporal.WithCustomMetricsHandler(metrics.NoopMetricsHandler),
		temporal.WithStaticHosts(p.hosts()),
	}
	if c.Tuning == Defaults {
		return append(all, temporal.ForServices(temporal.DefaultServices),
			temporal.WithDynamicConfigClient(dynamicconfig.StaticClient{}))
	}
	return append(all,
		temporal.ForServices([]string{
			string(primitives.FrontendService), string(primitives.HistoryService), string(primitives.MatchingService)}),
		temporal.WithCustomVisibilityStoreFactory(noVisibility{}),
		temporal.WithDynamicConfigClient(tuned()))
}

// tuned are the dynamic settings. Eager start and eager activities hand work to the process that asked for it,
// without a way through the queues; partitions of a queue only help where several machines share it.
func tuned() dynamicconfig.StaticClient {
	on := []dynamicconfig.ConstrainedValue{{Value: true}}
	one := []dynamicconfig.ConstrainedValue{{Value: 1}}
	return dynamicconfig.StaticClient{
		dynamicconfig.EnableActivityEagerExecution.Key():            on,
		dynamicconfig.EnableEagerWorkflowStart.Key():                on,
		dynamicconfig.MatchingNumTaskqueueReadPartitions.Key():      one,
		dynamicconfig.MatchingNumTaskqueueWritePartitions.Key():     one,
		dynamicconfig.ForceSearchAttributesCacheRefreshOnRead.Key(): on,
	}
}

func configuration(c Config, sql *config.SQL, p ports) *config.Config {
	visibility := config.DataStore{SQL: sql}
	if c.Tuning == Tuned {
		visibility = config.DataStore{CustomDataStoreConfig: &config.CustomDatastoreConfig{Name: "none", IndexName: "none"}}
	}
	off := "disabled"
	return &config.Config{
		Global: config.Global{Membership: config.Membership{
			MaxJoinDuration: 30 * time.Second, BroadcastAddress: loopback}},
		Persistence: config.Persistence{
			DefaultStore: mainStore, VisibilityStore: visibilityStore, NumHistoryShards: shards,
			DataStores: map[string]config.DataStore{mainStore: {SQL: sql}, visibilityStore: visibility},
		},
		ClusterMetadata: &cluster.Config{
			FailoverVersionIncrement: 10, MasterClusterName: clusterName, CurrentClusterName: clusterName,
			ClusterInformation: map[string]cluster.ClusterInformation{clusterName: {
				Enabled: true, InitialFailoverVersion: 1, RPCAddress: p.address(p.frontend)}},
		},
		DCRedirectionPolicy: config.DCRedirectionPolicy{Policy: "noop"},
		Services:            p.services(),
		Archival: config.Archival{
			History: config.HistoryArchival{State: off}, Visibility: config.VisibilityArchival{State: off}},
		PublicClient: config.PublicClient{HostPort: p.address(p.frontend)},
		NamespaceDefaults: config.NamespaceDefaults{Archival: config.ArchivalNamespaceDefaults{
			History:    config.HistoryArchivalNamespaceDefaults{State: off},
			Visibility: config.VisibilityArchivalNamespaceDefaults{State: off}}},
	}
}

// hosts says where each service is: here.
func (p ports) hosts() map[primitives.ServiceName]static.Hosts {
	return map[primitives.ServiceName]static.Hosts{
		primitives.FrontendService: static.SingleLocalHost(p.address(p.frontend)),
		primitives.HistoryService:  static.SingleLocalHost(p.address(p.history)),
		primitives.MatchingService: static.SingleLocalHost(p.address(p.matching)),
		primitives.WorkerService:   static.SingleLocalHost(p.address(p.worker)),
	}
}

func (p ports) services() map[string]config.Service {
	all := map[string]config.Service{}
	for name, port := range map[primitives.ServiceName]int{
		primitives.FrontendService: p.frontend, primitives.HistoryService: p.history,
		primitives.MatchingService: p.matching, primitives.WorkerService: p.worker,
	} {
		all[string(name)] = config.Service{RPC: config.RPC{GRPCPort: port, BindOnLocalHost: true}}
	}
	return all
}

// connection describes the file to Temporal's SQLite plugin. The names of the pragmas have no underscore in front,
// and unknown ones are ignored without a word, so prepare reads the settings back.
func connection(c Config) *config.SQL {
	attributes := map[string]string{"mode": "rwc"}
	if c.Tuning == Tuned {
		attributes["journal_mode"] = journalMode
		attributes["synchronous"] = synchronous
		attributes["busy_timeout"] = busyTimeout
	}
	// The plugin keeps connections by their text for as long as the process lives, also to a file that was replaced.
	// A pragma that SQLite does not know makes this start's text its own.
	attributes["pawl_start"] = startMark()
	return &config.SQL{PluginName: sqlite.PluginName, DatabaseName: escape(c.File), ConnectAttributes: attributes}
}
