package temporalserver

import (
	"strconv"

	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/common/metrics"
	"go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
	"go.temporal.io/server/common/primitives"
	"go.temporal.io/server/temporal"

	"pawl/internal/local/temporalserver/parts"
)

// options are what the server is made of.
func options(c Config, sql *config.SQL, p parts.Ports, log *parts.Logger) []temporal.ServerOption {
	all := []temporal.ServerOption{
		temporal.WithConfig(parts.Configuration(stores(c, sql), p)),
		temporal.WithLogger(log),
		temporal.WithAuthorizer(authorization.NewNoopAuthorizer()),
		temporal.WithCustomMetricsHandler(metrics.NoopMetricsHandler),
		temporal.WithStaticHosts(p.Hosts()),
	}
	if c.Tuning == Defaults {
		return append(all, temporal.ForServices(temporal.DefaultServices),
			temporal.WithDynamicConfigClient(dynamicconfig.StaticClient{}))
	}
	return append(all,
		temporal.ForServices([]string{
			string(primitives.FrontendService), string(primitives.HistoryService), string(primitives.MatchingService),
		}),
		temporal.WithCustomVisibilityStoreFactory(noVisibility{}),
		temporal.WithDynamicConfigClient(tuned()))
}

// tuned are the dynamic settings. Eager start and eager activities hand work to the process that asked for it,
// without a way through the queues; partitions of a queue only help where several machines share it.
func tuned() dynamicconfig.StaticClient {
	on := []dynamicconfig.ConstrainedValue{{Value: true}}
	one := []dynamicconfig.ConstrainedValue{{Value: 1}}
	shift := []dynamicconfig.ConstrainedValue{{Value: timerShift}}
	kept := []dynamicconfig.ConstrainedValue{{Value: cachedWorkflows}}
	return dynamicconfig.StaticClient{
		dynamicconfig.EnableActivityEagerExecution.Key():            on,
		dynamicconfig.EnableEagerWorkflowStart.Key():                on,
		dynamicconfig.MatchingNumTaskqueueReadPartitions.Key():      one,
		dynamicconfig.MatchingNumTaskqueueWritePartitions.Key():     one,
		dynamicconfig.ForceSearchAttributesCacheRefreshOnRead.Key(): on,
		dynamicconfig.TimerProcessorMaxTimeShift.Key():              shift,
		dynamicconfig.HistoryCacheHostLevelMaxSize.Key():            kept,
	}
}

func stores(c Config, sql *config.SQL) parts.Stores {
	s := parts.Stores{Shards: shards, Main: config.DataStore{SQL: sql}, Visibility: config.DataStore{SQL: sql}}
	if c.Tuning == Tuned {
		s.Visibility = config.DataStore{CustomDataStoreConfig: &config.CustomDatastoreConfig{Name: "none", IndexName: "none"}}
	}
	return s
}

// connection describes the file to Temporal's SQLite plugin. The names of the pragmas have no underscore in front,
// and unknown ones are ignored without a word, so prepare reads the settings back.
func connection(c Config) *config.SQL {
	attributes := map[string]string{"mode": "rwc"}
	if c.Tuning == Tuned {
		attributes["journal_mode"] = journalMode
		attributes["synchronous"] = synchronous
		attributes["busy_timeout"] = strconv.Itoa(busyWait)
	}
	// The plugin keeps connections by their text for as long as the process lives, also to a file that was replaced.
	// A pragma that SQLite does not know makes this start's text its own.
	attributes["pawl_start"] = startMark()
	return &config.SQL{PluginName: sqlite.PluginName, DatabaseName: escape(c.File), ConnectAttributes: attributes}
}
