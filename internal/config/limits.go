package config

const (
	// minConnections lets the ledger's writer, the queue, the listener and a request work at the same time.
	minConnections = 4
	// maxConnections is beyond what one PostgreSQL serves well; more is a mistake.
	maxConnections = 1000
	// quotedMax is the most of a wrong value that an error quotes, in bytes.
	quotedMax = 80
)
