// Package launch starts runs and keeps them going. PostgreSQL is the queue: whoever wants a run inserts a row with a
// unique start key; workers claim queued rows and start a workflow with the run's id. Cancelling, settling and waking
// are rows too, followed by a nudge to the workflow; a reconciler looks after runs that make no progress.
package launch
