package temporalserver

import "time"

const (
	// shards is the number of history shards. One was as fast as more on SQLite, which has one writer; it can't be
	// changed for a file that exists.
	shards = 1
	// retention is how long closed workflows stay in the file. Pawl reads results from PostgreSQL, so this only
	// needs to outlast whoever waits for a workflow's end, and keeps the file small.
	retention = time.Hour
	// readyLimit bounds the wait for the server to answer; it takes about a second.
	readyLimit = time.Minute
	// stopLimit bounds a stop. The file is written ahead, so what is cut off loses nothing.
	stopLimit = 15 * time.Second
	// busyWait is how long a connection waits for another one's write, in milliseconds.
	busyWait = 10_000
	// checkLimit bounds the check of the file's pages at a start; some 100 MB are read in a second.
	checkLimit = 5 * time.Second
	// timerShift is how long timers are gathered before they are written: no timer ends earlier. It allows for the
	// clocks of several servers, and there is one; the server's default of 1 s makes a second of a wait of 50 ms.
	timerShift = 20 * time.Millisecond
	// cachedWorkflows is how many workflows, ended ones too, the server keeps in memory; each takes some 30 KB. Its default of
	// 128,000 grows by gigabytes within minutes of load (make soak). One that is needed again is read from the file.
	cachedWorkflows = 2000
	// startTries is how often another set of ports is tried when one was taken meanwhile.
	startTries = 3
)
