package agents

import "time"

const (
	// maxBody bounds one request in bytes.
	maxBody = 4 << 20
	// pageTools is how many tools one answer lists.
	pageTools = 200
	// servedPage is how many plugins one look reads, and listedPage how many automations.
	servedPage = 100
	listedPage = 500
	// maxEntries bounds how many connections are looked at.
	maxEntries = 1_000
	// usualWait is how long a call waits for its end; most clients give up after 60 s.
	usualWait = 50 * time.Second
	// poll is how often a call looks without being told.
	poll = time.Second
	// tellEvery is how often a client that asked for it hears that a call is under way.
	tellEvery = 5 * time.Second
	// maxResult bounds an output that is given to an agent, in bytes of JSON; a larger one is named.
	maxResult = 1 << 20
	// approvalFor is how long a call waits for a person.
	approvalFor = 48 * time.Hour
	// maxToolName bounds the name of a tool, in bytes (MCP, "Tool Names").
	maxToolName = 128
	// maxKey bounds an idempotency key, in bytes.
	maxKey = 255
)
