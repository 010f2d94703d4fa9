package workflows

// Every change ID that was ever passed to workflow.GetVersion, with what it changed. An ID is never removed while a
// history that holds it can still be replayed. None so far.
