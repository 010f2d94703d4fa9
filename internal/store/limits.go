package store

import "time"

const (
	// maxTries bounds how often a transaction is run when PostgreSQL asks for it to be run again.
	maxTries = 8
	// retryPause is the base of the pause before the next try.
	retryPause = 2 * time.Millisecond
)
