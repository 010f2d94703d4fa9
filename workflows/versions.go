package workflows

import "go.temporal.io/sdk/workflow"

// Every change ID that was ever passed to workflow.GetVersion, with what it changed. An ID is never removed while a
// history that holds it can still be replayed.
const (
	// changeLeave: a walk that goes on without waiting to the end closes the row of the wait.
	changeLeave = "leave"
	// changeDeadline: the end of a deadline is the failure of its container alone: nothing inside catches it.
	changeDeadline = "deadline"
)

// changed says whether a run walks by a change.
func changed(ctx workflow.Context, id string) bool {
	return workflow.GetVersion(ctx, id, workflow.DefaultVersion, 1) != workflow.DefaultVersion
}
