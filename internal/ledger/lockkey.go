package ledger

// LockKey is the SQL expression of the advisory lock of one connection identity: the first %s is the identity,
// the second the scope. A claim takes it shared and a change of the binding takes it exclusive, so that no claim
// under an old generation exists once a withdrawal has committed.
const LockKey = "hashtextextended(%s || '/' || %s::text, 11)"
