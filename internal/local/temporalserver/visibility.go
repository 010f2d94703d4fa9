package temporalserver

import (
	"context"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/server/api/visibilityservice/v1"
	"go.temporal.io/server/chasm"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/metrics"
	"go.temporal.io/server/common/namespace"
	"go.temporal.io/server/common/persistence/visibility/manager"
	"go.temporal.io/server/common/persistence/visibility/store"
	"go.temporal.io/server/common/resolver"
	"go.temporal.io/server/common/searchattribute"
)

// noVisibility is a visibility store that keeps nothing. Writing every start and end of a workflow once more halves
// the runs a second, and Pawl lists runs from PostgreSQL.
type noVisibility struct{}

var _ store.VisibilityStore = noVisibility{}

// NewVisibilityStore is what the server calls to get the store.
func (v noVisibility) NewVisibilityStore(config.CustomDatastoreConfig, searchattribute.Provider, searchattribute.MapperProvider,
	namespace.Registry, *chasm.Registry, resolver.ServiceResolver, log.Logger, metrics.Handler,
) (store.VisibilityStore, error) {
	return v, nil
}

// Close does nothing.
func (noVisibility) Close() {}

// GetName names the store in logs.
func (noVisibility) GetName() string { return "none" }

// GetIndexName names the index in logs.
func (noVisibility) GetIndexName() string { return "none" }

// ValidateCustomSearchAttributes takes all.
func (noVisibility) ValidateCustomSearchAttributes(m map[string]any) (map[string]any, error) {
	return m, nil
}

// RecordWorkflowExecutionStarted keeps nothing.
func (noVisibility) RecordWorkflowExecutionStarted(context.Context, *store.InternalRecordWorkflowExecutionStartedRequest) error {
	return nil
}

// RecordWorkflowExecutionClosed keeps nothing.
func (noVisibility) RecordWorkflowExecutionClosed(context.Context, *store.InternalRecordWorkflowExecutionClosedRequest) error {
	return nil
}

// UpsertWorkflowExecution keeps nothing.
func (noVisibility) UpsertWorkflowExecution(context.Context, *store.InternalUpsertWorkflowExecutionRequest) error {
	return nil
}

// DeleteWorkflowExecution has nothing to delete.
func (noVisibility) DeleteWorkflowExecution(context.Context, *manager.VisibilityDeleteWorkflowExecutionRequest) error {
	return nil
}

// ListWorkflowExecutions finds none.
func (noVisibility) ListWorkflowExecutions(context.Context, *manager.ListWorkflowExecutionsRequestV2) (*store.InternalListExecutionsResponse, error) {
	return &store.InternalListExecutionsResponse{}, nil
}

// CountWorkflowExecutions counts none.
func (noVisibility) CountWorkflowExecutions(context.Context, *manager.CountWorkflowExecutionsRequest) (*store.InternalCountExecutionsResponse, error) {
	return &store.InternalCountExecutionsResponse{}, nil
}

// GetWorkflowExecution finds none.
func (noVisibility) GetWorkflowExecution(context.Context, *manager.GetWorkflowExecutionRequest) (*store.InternalGetWorkflowExecutionResponse, error) {
	return nil, serviceerror.NewNotFound("this server keeps no visibility records")
}

// ListChasmExecutions finds none.
func (noVisibility) ListChasmExecutions(context.Context, *visibilityservice.ListChasmExecutionsRequest) (*store.InternalListExecutionsResponse, error) {
	return &store.InternalListExecutionsResponse{}, nil
}

// CountChasmExecutions counts none.
func (noVisibility) CountChasmExecutions(context.Context, *visibilityservice.CountChasmExecutionsRequest) (*store.InternalCountExecutionsResponse, error) {
	return &store.InternalCountExecutionsResponse{}, nil
}

// AddSearchAttributes keeps nothing.
func (noVisibility) AddSearchAttributes(context.Context, *manager.AddSearchAttributesRequest) error {
	return nil
}
