package launch

import "time"

const (
	// maxNameBytes bounds the name of an input of a call.
	maxNameBytes = 200
	// claimMax is the most queued runs that one look takes.
	claimMax = 32
	// startTimeout bounds the start of one workflow.
	startTimeout = 10 * time.Second
	// claimFor is how long a claimed run belongs to the process that claimed it; then another may start it.
	claimFor = 30 * time.Second
	// starters is how many workflows a process starts at the same time.
	starters = 16
	// queuePoll is how often the queue is looked at without being told.
	queuePoll = time.Second
	// cancelPoll is how often runs with requests under way are asked whether they were cancelled.
	cancelPoll = 300 * time.Millisecond
	// cancelAfter is how long a request is under way before its run is asked for.
	cancelAfter = 200 * time.Millisecond
	// wakePoll is how often held runs are looked at without being told.
	wakePoll = 5 * time.Second
	// wakeMax is how many held runs of an identity are woken a second, so that a restored binding is not overrun.
	wakeMax = 50
	// reconcileEvery is how often runs without progress are looked at, and reconcileAfter how long they had none.
	reconcileEvery = 20 * time.Second
	reconcileAfter = 60 * time.Second
	// reconcileMax is the most runs that one look takes.
	reconcileMax = 200
	// stuckTries is the number of failed tries of a workflow task from which a run counts as stuck.
	stuckTries = 3
	// notifyEvery is the least time between two notifications of a process: NOTIFY takes a global lock at commit.
	notifyEvery = 100 * time.Millisecond
	// idsMax is the most run ids in one notification (8,000 bytes are the most that PostgreSQL takes); more are told
	// as "*".
	idsMax = 200
	// expireMax is the most plugins of which one look notes that older versions are past their date.
	expireMax = 50
	// taskTimeout is the workflow task timeout: local activities end well below it.
	taskTimeout = 5 * time.Second
	// nudgeTimeout bounds one signal.
	nudgeTimeout = 5 * time.Second
	// documentsMax is how many decoded documents a starter keeps.
	documentsMax = 200
	// partitionsAhead is how many months of partitions of the ledger are kept ready.
	partitionsAhead = 1
)
