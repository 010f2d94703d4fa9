package pgserver

import "time"

const (
	// socketPathMax is the longest path of a unix socket in bytes: sun_path of Linux holds 108 with its final
	// zero, that of macOS 104.
	socketPathMax = 103
	// startLimit bounds the wait for a server to accept connections. A normal start takes a tenth of a second;
	// recovery after a crash replays at most max_wal_size (1 GB), which slow disks read in minutes.
	startLimit = 5 * time.Minute
	// askPause is the pause between two questions whether the server or the folder is ready.
	askPause = 10 * time.Millisecond
	// fastStop is how long a fast shutdown (SIGINT) may take before the immediate one (SIGQUIT), which is safe
	// too: the next start replays the log.
	fastStop = 20 * time.Second
	// immediateStop is how long an immediate shutdown may take before the process is killed.
	immediateStop = 5 * time.Second
	// orphanWait is how long backends of a killed server may take to notice and let go of the folder.
	orphanWait = 10 * time.Second
	// logKept is the size in bytes above which the server's log is begun anew at a start; the old one is kept once.
	logKept = 10 << 20
	// logQuoted is how much of the end of the log an error quotes, in bytes.
	logQuoted = 1500
	// fetchLimit bounds bringing the binaries (23 MB) with npm.
	fetchLimit = 10 * time.Minute
	// fileMax is the largest file that an archive of binaries may hold, in bytes; the largest real one has 30 MB.
	fileMax = 200 << 20
)
