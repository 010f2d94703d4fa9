package egress

import "time"

const (
	// httpsPort is the only port that is dialled without a connect-to entry (genisys-plugin@1: a base URL has no port).
	httpsPort = "443"
	// connectTimeout bounds the look-up and the TCP connect together. Long enough for three SYN retransmissions
	// (1 + 2 + 4 s), short enough that an attempt of 30 s still has most of its time.
	connectTimeout = 10 * time.Second
	// handshakeTimeout bounds the TLS handshake; it needs two round trips and some CPU at the other side.
	handshakeTimeout = 10 * time.Second
	// keepAliveProbe is the TCP keep-alive period; it finds peers that are gone without a word.
	keepAliveProbe = 15 * time.Second
	// sessionTickets is how many TLS sessions are kept for resumption, one a host.
	sessionTickets = 256
	// maxHostBytes is the longest name that DNS can hold (RFC 1035, section 2.3.4).
	maxHostBytes = 253
)
