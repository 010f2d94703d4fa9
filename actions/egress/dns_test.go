package egress_test

import (
	"net"
	"net/netip"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// nameServer is a DNS server on loopback. It answers each A or AAAA question with what answer gives, TTL 0.
type nameServer struct {
	conn   net.PacketConn
	mu     sync.Mutex
	answer func(name string) []netip.Addr
	asked  int
}

func startNameServer(t *testing.T, answer func(name string) []netip.Addr) *nameServer {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &nameServer{conn: conn, answer: answer}
	done := make(chan struct{})
	go func() { defer close(done); s.serve() }()
	t.Cleanup(func() { conn.Close(); <-done })
	return s
}

func (s *nameServer) address() string { return s.conn.LocalAddr().String() }

func (s *nameServer) serve() {
	buf := make([]byte, 1500)
	for {
		n, from, err := s.conn.ReadFrom(buf)
		if err != nil {
			return
		}
		var query dnsmessage.Message
		if query.Unpack(buf[:n]) != nil || len(query.Questions) != 1 {
			continue
		}
		reply := s.reply(query)
		if packed, err := reply.Pack(); err == nil {
			s.conn.WriteTo(packed, from)
		}
	}
}

func (s *nameServer) reply(query dnsmessage.Message) dnsmessage.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := query.Questions[0]
	reply := dnsmessage.Message{
		Header:    dnsmessage.Header{ID: query.ID, Response: true, RecursionAvailable: true, RecursionDesired: true},
		Questions: query.Questions,
	}
	if q.Type == dnsmessage.TypeA {
		s.asked++
	}
	addresses := s.answer(q.Name.String())
	if addresses == nil {
		reply.RCode = dnsmessage.RCodeNameError
	}
	for _, a := range addresses {
		head := dnsmessage.ResourceHeader{Name: q.Name, Class: dnsmessage.ClassINET}
		switch {
		case a.Is4() && q.Type == dnsmessage.TypeA:
			reply.Answers = append(reply.Answers, dnsmessage.Resource{Header: head, Body: &dnsmessage.AResource{A: a.As4()}})
		case a.Is6() && q.Type == dnsmessage.TypeAAAA:
			reply.Answers = append(reply.Answers, dnsmessage.Resource{Header: head, Body: &dnsmessage.AAAAResource{AAAA: a.As16()}})
		}
	}
	return reply
}
