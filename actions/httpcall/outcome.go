package httpcall

import (
	"context"
	"errors"
	"net"
	"net/url"
	"strings"
	"syscall"

	"pawl/actions"
	"pawl/internal/fault"
)

// failed says what is known after a request that got no answer.
func (k *call) failed(target *url.URL, err error) *fault.Error {
	sent := k.lease != nil && k.lease.settle()
	k.answer.Sent = k.answer.Sent || sent
	var f *fault.Error
	switch host := target.Hostname(); {
	case errors.As(k.refusal, &f):
		return f
	case errors.Is(k.refusal, errSecond) && k.x.Effect != actions.Read:
		return internal("second_connection", "The request was about to be sent a second time and was stopped; what the first sending did is not known.").Because(err)
	case sent && k.x.Effect == actions.Unsafe:
		return unknown(host, k.drop(err))
	case sent:
		return k.lost(host, err)
	case errors.As(err, &f):
		return f
	default:
		return k.unsent(host, err)
	}
}

// unsent is for the cases in which provably nothing was sent.
func (k *call) unsent(host string, err error) *fault.Error {
	network := func(reason, text string) *fault.Error {
		return fault.New(fault.Network, reason, text, host).With("host", host).Because(err)
	}
	switch {
	case errors.Is(context.Cause(k.bounded), context.DeadlineExceeded):
		return network("connect_timeout", "There was no time left to send the request to %s; nothing was sent.")
	case k.bounded.Err() != nil:
		return fault.New(fault.Cancelled, "", "The call was cancelled before anything was sent to %s.", host).Because(err)
	case k.lease != nil && k.lease.late.Load():
		return network("late", "Too much time passed before the request to %s could begin; nothing was sent.")
	}
	return network("connection_lost", "The connection to %s was closed before anything was sent.")
}

// lost is for a request that was sent, may be sent again, and got no complete answer.
func (k *call) lost(host string, err error) *fault.Error {
	switch reason := k.drop(err); reason {
	case "timeout":
		return fault.New(fault.Timeout, "", "%s did not answer in time.", host).With("host", host).Because(err)
	case "cancelled":
		return fault.New(fault.Cancelled, "", "The call was cancelled while %s had not answered.", host).Because(err)
	case "connection_lost":
		return fault.New(fault.Network, reason, "The connection to %s broke before its answer was complete.", host).With("host", host).Because(err)
	default: // no cause: net/http quotes the answer in it
		return fault.New(fault.InvalidResponse, reason, "%s sent something that is no HTTP answer.", host).With("host", host)
	}
}

// unknown is for an unsafe effect that was sent, perhaps partly, and got no answer.
func unknown(host, reason string) *fault.Error {
	how := map[string]string{
		"timeout":         "it did not answer in time",
		"cancelled":       "the call was cancelled before it answered",
		"connection_lost": "the connection broke before it answered",
		"invalid_http":    "it sent something that is no HTTP answer",
	}[reason]
	return fault.New(fault.OutcomeUnknown, reason,
		"The request was sent to %s and %s, so it is not known whether it was carried out. Look there, then settle the step.", host, how).With("host", host)
}

// isNetError recognises a broken connection in what net, crypto/tls and net/http say.
func isNetError(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) || errors.Is(err, net.ErrClosed) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) ||
		errors.Is(err, errShut) || strings.Contains(err.Error(), "server closed idle connection")
}
