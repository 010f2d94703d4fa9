// Package parts holds what every Temporal server that we start ourselves has in common, whatever it stores its
// data in: ports, the static configuration, the log and the question whether it is ready.
package parts

import (
	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/membership/static"
	"go.temporal.io/server/common/primitives"
)

const (
	// Namespace is the one namespace of our servers.
	Namespace = "default"
	// ClusterName is the name under which a server stores itself in its data.
	ClusterName = "active"

	mainStore       = "main"
	visibilityStore = "visibility"
)

// Stores says where a server keeps its data.
type Stores struct {
	Main       config.DataStore
	Visibility config.DataStore
	// Shards is the number of history shards; it can't be changed for data that exists.
	Shards int32
}

// Configuration is the static configuration of a server with all services on the loopback interface.
func Configuration(s Stores, p Ports) *config.Config {
	const off = "disabled"
	return &config.Config{
		Persistence: config.Persistence{
			DefaultStore: mainStore, VisibilityStore: visibilityStore, NumHistoryShards: s.Shards,
			DataStores: map[string]config.DataStore{mainStore: s.Main, visibilityStore: s.Visibility},
		},
		ClusterMetadata: &cluster.Config{
			FailoverVersionIncrement: 10, MasterClusterName: ClusterName, CurrentClusterName: ClusterName,
			ClusterInformation: map[string]cluster.ClusterInformation{
				ClusterName: {Enabled: true, InitialFailoverVersion: 1, RPCAddress: p.Address()},
			},
		},
		DCRedirectionPolicy: config.DCRedirectionPolicy{Policy: "noop"},
		Services:            p.services(),
		Archival: config.Archival{
			History: config.HistoryArchival{State: off}, Visibility: config.VisibilityArchival{State: off},
		},
		PublicClient: config.PublicClient{HostPort: p.Address()},
		NamespaceDefaults: config.NamespaceDefaults{Archival: config.ArchivalNamespaceDefaults{
			History:    config.HistoryArchivalNamespaceDefaults{State: off},
			Visibility: config.VisibilityArchivalNamespaceDefaults{State: off},
		}},
	}
}

// Hosts says that each service is here: a single process needs no membership protocol, nor its ports, nor its wait
// for members of an earlier start (tried: 50 s).
func (p Ports) Hosts() map[primitives.ServiceName]static.Hosts {
	all := map[primitives.ServiceName]static.Hosts{}
	for name, port := range p {
		all[name] = static.SingleLocalHost(address(port))
	}
	return all
}

func (p Ports) services() map[string]config.Service {
	all := map[string]config.Service{}
	for name, port := range p {
		all[string(name)] = config.Service{RPC: config.RPC{GRPCPort: port, BindOnLocalHost: true}}
	}
	return all
}
