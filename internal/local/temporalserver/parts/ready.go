package parts

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
)

// awaitReady returns when all three services answer for the namespace.
func awaitReady(ctx context.Context, address string) error {
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return fmt.Errorf("connect to the server: %w", err)
	}
	defer conn.Close()
	client := workflowservice.NewWorkflowServiceClient(conn)
	return until(ctx, func() error { return ask(ctx, client) })
}

// until repeats f as long as it fails and ctx lasts.
func until(ctx context.Context, f func() error) error {
	for {
		err := f()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for the server: %w (last answer: %w)", ctx.Err(), err)
		case <-time.After(askPause):
		}
	}
}

// ask goes through the frontend to history (which answers for a workflow that is not there once it owns its shard)
// and to matching.
func ask(ctx context.Context, c workflowservice.WorkflowServiceClient) error {
	_, err := c.DescribeWorkflowExecution(ctx, &workflowservice.DescribeWorkflowExecutionRequest{
		Namespace: Namespace, Execution: &common.WorkflowExecution{WorkflowId: "pawl-ready"},
	})
	var missing *serviceerror.NotFound
	if err := serviceerror.FromStatus(status.Convert(err)); !errors.As(err, &missing) {
		return err
	}
	_, err = c.DescribeTaskQueue(ctx, &workflowservice.DescribeTaskQueueRequest{
		Namespace: Namespace, TaskQueue: &taskqueue.TaskQueue{Name: "pawl-ready"}, TaskQueueType: enums.TASK_QUEUE_TYPE_WORKFLOW,
	})
	return err
}
