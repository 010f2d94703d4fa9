package httpcall_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"pawl/actions"
	"pawl/actions/httpcall"
)

const benchAnswer = `{"id":7615917337495251231,"name":"Blue mug","price":12.50,"tags":["kitchen","blue"],"stock":{"zurich":4,"bern":0}}`

// benchServer answers like a small API; bare is a plain net/http client for it, over HTTP/1.1 as Pawl's.
func benchServer(b *testing.B) (pawl *httpcall.Client, bare *http.Client, address string) {
	b.Helper()
	pawl, server := serve(b, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, benchAnswer)
	})
	transport := server.Client().Transport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{InsecureSkipVerify: true}
	transport.MaxIdleConnsPerHost = 64
	b.Cleanup(transport.CloseIdleConnections)
	return pawl, &http.Client{Transport: transport}, server.URL
}

func bareCall(b *testing.B, c *http.Client, method, address, body string) {
	req, err := http.NewRequestWithContext(context.Background(), method, address, strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer tok-12345678")
	resp, err := c.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	if got, err := io.ReadAll(resp.Body); err != nil || !bytes.Equal(got, []byte(benchAnswer)) {
		b.Fatal(string(got), err)
	}
}

func pawlCall(b *testing.B, c *httpcall.Client, a *actions.Action, input string) {
	r, err := httpcall.Build(a, []byte(input))
	if err != nil {
		b.Fatal(err)
	}
	r.Digest()
	answer, err := c.Do(context.Background(), &httpcall.Exchange{
		Request: r, Auth: a.Auth, Secret: key("tok-12345678"), Effect: a.Effect, IdempotencyKey: "k",
		Permit: func(context.Context) (time.Time, error) { return time.Now().Add(2 * time.Second), nil },
	})
	if err != nil {
		b.Fatal(err)
	}
	httpcall.Output(answer)
}

func benchRead() *actions.Action {
	a := act("GET", "/items/{id}", "", pathInput("id"), queryInput("q"))
	a.Effect, a.Auth = actions.Read, actions.Auth{Kind: actions.AuthBearer}
	return a
}

func benchWrite() *actions.Action {
	a := act("POST", "/items", actions.JSONBody, bodyInput("name"), actions.Input{ID: "n", In: actions.InBody, Type: actions.Integer})
	a.Auth = actions.Auth{Kind: actions.AuthBearer}
	return a
}

// Everything that a read costs, from the evaluated input to the stored output, beside a bare GET.
func BenchmarkRead(b *testing.B) {
	pawl, bare, address := benchServer(b)
	b.Run("bare", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			bareCall(b, bare, "GET", address+"/items/7?q=x", "")
		}
	})
	a := benchRead()
	b.Run("pawl", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			pawlCall(b, pawl, a, `{"id":"7","q":"x"}`)
		}
	})
}

// The same for an effect with a body.
func BenchmarkWrite(b *testing.B) {
	pawl, bare, address := benchServer(b)
	b.Run("bare", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			bareCall(b, bare, "POST", address+"/items", `{"name":"Blue mug","n":3}`)
		}
	})
	a := benchWrite()
	b.Run("pawl", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			pawlCall(b, pawl, a, `{"name":"Blue mug","n":3}`)
		}
	})
}

// As BenchmarkRead, with many calls at once.
func BenchmarkReadParallel(b *testing.B) {
	pawl, bare, address := benchServer(b)
	b.Run("bare", func(b *testing.B) {
		b.SetParallelism(16)
		b.RunParallel(func(p *testing.PB) {
			for p.Next() {
				bareCall(b, bare, "GET", address+"/items/7?q=x", "")
			}
		})
	})
	a := benchRead()
	b.Run("pawl", func(b *testing.B) {
		b.SetParallelism(16)
		b.RunParallel(func(p *testing.PB) {
			for p.Next() {
				pawlCall(b, pawl, a, `{"id":"7","q":"x"}`)
			}
		})
	})
}

func BenchmarkBuild(b *testing.B) {
	for name, a := range map[string]*actions.Action{"read": benchRead(), "write": benchWrite()} {
		input := []byte(`{"id":"7","q":"x"}`)
		if name == "write" {
			input = []byte(`{"name":"Blue mug","n":3}`)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := httpcall.Build(a, input); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
