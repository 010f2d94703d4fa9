package pgserver

// arguments are those of the postgres program. The load they are chosen for: many small transactions of the ledger
// from one process, short queries by key, one or two users at pages.
func arguments(data, socket string, m Mode) []string {
	args := []string{"-D", data, "-k", socket, "-p", port}
	for _, s := range settings(m) {
		args = append(args, "-c", s)
	}
	return args
}

func settings(m Mode) []string {
	all := []string{
		"listen_addresses=",            // no TCP
		"unix_socket_permissions=0777", // the folder's mode is what guards it
		"max_connections=100",
		"shared_buffers=256MB", // pages are touched when first used, so an idle server stays small
		"work_mem=8MB",
		"maintenance_work_mem=64MB",
		"jit=off",                           // compiling costs more than our short queries do
		"max_parallel_workers_per_gather=0", // no use of /dev/shm, which is 64 MB in containers
		"max_locks_per_transaction=256",     // attempts are partitioned: a query may lock many partitions
		"random_page_cost=1.1",              // solid-state disks
		"wal_level=minimal",                 // nobody replicates from a private server
		"max_wal_senders=0",
		"wal_buffers=16MB",
		"max_wal_size=1GB",
		"min_wal_size=128MB",
		"checkpoint_timeout=15min",
		"autovacuum_naptime=20s", // the queue and the ledger update rows all the time
		"autovacuum_vacuum_scale_factor=0.05",
		"autovacuum_analyze_scale_factor=0.05",
		"timezone=UTC",
		"log_timezone=UTC",
		"log_checkpoints=off",
		"log_min_messages=warning",
		"logging_collector=off",
		"cluster_name=pawl",
	}
	if m == Throwaway {
		return append(all, "fsync=off", "synchronous_commit=off", "full_page_writes=off", "autovacuum_naptime=5min",
			"max_connections=300") // several test processes and a Temporal may share it
	}
	return append(all, "fsync=on", "synchronous_commit=on", "full_page_writes=on")
}
