package egress

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"os"
	"syscall"

	"pawl/internal/fault"
)

func blocked(host string, cause error) *fault.Error {
	return fault.New(fault.BlockedAddress, "private_address",
		"%s leads to an address that is not public, so nothing was sent. An operator can permit it for this name with PAWL_EGRESS_ALLOW.", host).
		With("host", host).Because(cause)
}

func unsent(reason, host, format string, cause error) *fault.Error {
	return fault.New(fault.Network, reason, format, host).With("host", host).Because(cause)
}

// dialFault says why no connection came to be. Nothing was sent in any of these cases.
func dialFault(ctx context.Context, host string, err error) *fault.Error {
	var dns *net.DNSError
	switch {
	case errors.Is(context.Cause(ctx), context.Canceled):
		return fault.New(fault.Cancelled, "", "The connection to %s was given up because the call was cancelled; nothing was sent.", host).Because(err)
	case errors.As(err, &dns) && dns.IsNotFound:
		return unsent("dns", host, "The name %s has no address: check how the app's base URL is spelt.", err)
	case errors.As(err, &dns):
		return unsent("dns", host, "The name %s could not be looked up: the resolver did not answer properly.", err)
	case errors.Is(err, syscall.ECONNREFUSED):
		return unsent("connect_refused", host, "%s refused the connection: the service is probably down.", err)
	case isTimeout(err):
		return unsent("connect_timeout", host, "%s did not accept a connection in time.", err)
	default:
		return unsent("unreachable", host, "%s can't be reached from here.", err)
	}
}

// tlsFault says why the handshake failed. No application byte was sent.
func tlsFault(ctx context.Context, host string, err error) *fault.Error {
	var (
		invalid   x509.CertificateInvalidError
		unknown   x509.UnknownAuthorityError
		otherName x509.HostnameError
		noTLS     tls.RecordHeaderError
	)
	switch {
	case errors.Is(context.Cause(ctx), context.Canceled):
		return fault.New(fault.Cancelled, "", "The connection to %s was given up because the call was cancelled; nothing was sent.", host).Because(err)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return unsent("tls", host, "The certificate of %s has expired or is not valid yet.", err)
	case errors.As(err, &unknown):
		return unsent("tls", host, "The certificate of %s comes from an authority that is not trusted here. An operator can add one with PAWL_EGRESS_CA.", err)
	case errors.As(err, &otherName):
		return unsent("tls", host, "The server at %s showed a certificate for another name.", err)
	case errors.As(err, &noTLS):
		return unsent("tls", host, "The server at %s does not speak TLS on that port.", err)
	case isTimeout(err):
		return unsent("tls", host, "The TLS handshake with %s did not end in time.", err)
	default:
		return unsent("tls", host, "The TLS handshake with %s failed.", err)
	}
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout()
}
