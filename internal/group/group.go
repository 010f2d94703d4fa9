// Package group collects single requests that arrive at about the same time and serves them together: many
// steps, one statement, one commit.
package group

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// ErrClosed is returned for requests that come after Close.
var ErrClosed = errors.New("group: closed")

// Config says how requests are collected. The zero values of Max, Linger and Lanes are not useful.
type Config struct {
	// Max is the most requests that one call serves.
	Max int
	// Linger is how long a first request waits for others while another call is under way or others arrive so fast that
	// several are to be expected in that time; a lone request never waits.
	Linger time.Duration
	// Lanes is how many calls may run at the same time.
	Lanes int
	// Timeout bounds one call.
	Timeout time.Duration
}

// Group serves requests of type Q with results of type R through one function over many.
type Group[Q, R any] struct {
	cfg   Config
	serve func(ctx context.Context, qs []Q) ([]R, error)
	ch    chan *item[Q, R]
	rate  rate
	busy  atomic.Int64  // lanes that serve a call
	idle  chan struct{} // a lane has ended a call
	quit  chan struct{}
	once  sync.Once
	wg    sync.WaitGroup
}

type item[Q, R any] struct {
	q    Q
	r    R
	err  error
	done chan struct{}
}

// New starts a group. serve answers len(qs) results in order, or an error that holds for all; after an error
// over several requests each of them is served alone, so that one bad request fails alone. serve must be safe
// to call again after it failed.
func New[Q, R any](cfg Config, serve func(ctx context.Context, qs []Q) ([]R, error)) *Group[Q, R] {
	g := &Group[Q, R]{cfg: cfg, serve: serve, ch: make(chan *item[Q, R], 4*cfg.Max), idle: make(chan struct{}, 1), quit: make(chan struct{})}
	for range cfg.Lanes {
		g.wg.Add(1)
		go g.lane()
	}
	return g
}

// Do serves one request together with others. When ctx ends first the request may still be carried out.
func (g *Group[Q, R]) Do(ctx context.Context, q Q) (R, error) {
	it := &item[Q, R]{q: q, done: make(chan struct{})}
	g.rate.arrive()
	var zero R
	select {
	case g.ch <- it:
	case <-ctx.Done():
		return zero, ctx.Err()
	case <-g.quit:
		return zero, ErrClosed
	}
	select {
	case <-it.done:
		return it.r, it.err
	case <-ctx.Done():
		return zero, ctx.Err()
	}
}

// Close refuses new requests, serves those that are in, and returns when no call is under way.
func (g *Group[Q, R]) Close() {
	g.once.Do(func() { close(g.quit) })
	g.wg.Wait()
}

func (g *Group[Q, R]) lane() {
	defer g.wg.Done()
	batch := make([]*item[Q, R], 0, g.cfg.Max)
	for {
		select {
		case it := <-g.ch:
			batch = g.collect(append(batch[:0], it))
			g.flush(batch)
		case <-g.quit:
			g.drain(batch[:0])
			return
		}
	}
}

func (g *Group[Q, R]) drain(batch []*item[Q, R]) {
	for {
		select {
		case it := <-g.ch:
			g.flush(append(batch[:0], it))
		default:
			return
		}
	}
}

// collect takes what is there. It goes on collecting, at most Linger, while another lane works or while as many more are
// to be expected soon as make the wait worth it: a lone request never waits.
func (g *Group[Q, R]) collect(batch []*item[Q, R]) []*item[Q, R] {
	var timer <-chan time.Time
	worth := g.rate.expected(g.cfg.Linger)
	for len(batch) < g.cfg.Max {
		select {
		case it := <-g.ch:
			batch = append(batch, it)
			continue
		default:
		}
		if g.cfg.Linger <= 0 || (len(batch) >= worth && g.busy.Load() == 0) {
			return batch
		}
		if timer == nil {
			timer = time.After(g.cfg.Linger)
		}
		select {
		case it := <-g.ch:
			batch = append(batch, it)
		case <-g.idle:
		case <-timer:
			return batch
		case <-g.quit:
			return batch
		}
	}
	return batch
}

func (g *Group[Q, R]) flush(batch []*item[Q, R]) {
	if g.call(batch) == nil || len(batch) == 1 {
		finish(batch)
		return
	}
	for i := range batch {
		_ = g.call(batch[i : i+1]) // the item carries its own error
		finish(batch[i : i+1])
	}
}

func (g *Group[Q, R]) call(batch []*item[Q, R]) error {
	ctx, cancel := context.WithTimeout(context.Background(), g.cfg.Timeout)
	defer cancel()
	g.busy.Add(1)
	defer g.rest()
	qs := make([]Q, len(batch))
	for i, it := range batch {
		qs[i] = it.q
	}
	rs, err := g.serve(ctx, qs)
	if err == nil && len(rs) != len(batch) {
		err = errors.New("group: serve answered another number of results")
	}
	for i, it := range batch {
		it.err = err
		if err == nil {
			it.r = rs[i]
		}
	}
	return err
}

// rest lets a lane that collects go.
func (g *Group[Q, R]) rest() {
	g.busy.Add(-1)
	select {
	case g.idle <- struct{}{}:
	default:
	}
}

func finish[Q, R any](batch []*item[Q, R]) {
	for _, it := range batch {
		close(it.done)
	}
}
