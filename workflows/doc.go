// Package workflows is the Temporal code of Pawl and nothing else: the walk through an automation's skeleton.
//
// Rules of determinism, which the linters enforce where they can:
//   - No I/O, no clock but workflow.Now, no randomness, no goroutines but workflow.Go, no iteration over maps.
//   - The walk sees no user data: ids, kinds, nesting and policies only. Expressions are evaluated in activities.
//   - Never branch on "is replaying".
//   - Activities are named by the constants of contract.go; the structs there are the wire format of histories.
//     Fields may be added, never renamed or reused.
//   - A change of the order of commands needs workflow.GetVersion with a change ID of versions.go, and every
//     recorded history under testdata/histories must still replay.
//   - An outcome of a step is a value. An error of an activity means that the infrastructure failed, and it is
//     retried without limit.
//   - Signals are nudges, never facts: a signal says "look", and the look is an activity.
package workflows
