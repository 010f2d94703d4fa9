// Package activities is what the walk calls: it joins the ledger, the document, the expressions, the connections and
// the executors. Its methods are the activities that workflows/contract.go names.
//
// The way of one step (docs/architecture.md): the facts that can change are read in one round trip; the input is
// evaluated once and frozen; the request is built; an effect is claimed with its connection open; the answer is bounded,
// redacted and recorded before the walk is told. What the ledger already answers is never done again.
package activities
