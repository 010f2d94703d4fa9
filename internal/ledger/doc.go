// Package ledger is the effect ledger: the rows that say, per attempt, what is known to have happened. It holds
// the SQL of docs/runtime.md and nothing else.
//
// The protocol in one paragraph. An attempt of an effect is claimed before its first byte is sent: one
// statement inserts the row while it checks, under the shared lock of the identity, that the run goes on, the
// binding is routable, the account usable, the permission there and the earlier attempt closed. The request
// begins within SendWindow of the moment before the claim, or not at all. The answer is written by the claim's
// owner. Whoever finds a claim whose lease is over decides by compare-and-set: unsafe becomes unknown, safe
// becomes lost and may be attempted again. Reads have no claim: the first answer wins.
//
// Claims, answers, reads, decisions and the begin and end of runs that arrive within a few milliseconds share one
// transaction.
package ledger
