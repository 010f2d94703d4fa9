package workflows

// Every change ID that was ever passed to workflow.GetVersion stands here, with what it changed. An ID is never removed
// while a history that holds it can still be replayed. There is none: no version was released before this one.
