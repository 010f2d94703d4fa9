package activities

import (
	"container/list"
	"sync"
)

// cache keeps what never changes, the most recently used of it, bounded in entries and, where bytes is not 0, in bytes.
type cache[K comparable, V any] struct {
	mu      sync.Mutex
	entries int
	bytes   int
	used    int
	order   *list.List // of *cached, the most recently used first
	at      map[K]*list.Element
}

type cached[K comparable, V any] struct {
	k    K
	v    V
	size int
}

func newCache[K comparable, V any](entries, bytes int) *cache[K, V] {
	return &cache[K, V]{entries: entries, bytes: bytes, order: list.New(), at: map[K]*list.Element{}}
}

func (c *cache[K, V]) get(k K) (v V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.at[k]
	if !ok {
		return v, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*cached[K, V]).v, true
}

// put keeps a value of a size in bytes; one that would push out most of the others is not kept.
func (c *cache[K, V]) put(k K, v V, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bytes > 0 && size > c.bytes/4 {
		return
	}
	if e, ok := c.at[k]; ok {
		c.drop(e)
	}
	c.at[k] = c.order.PushFront(&cached[K, V]{k, v, size})
	c.used += size
	for c.order.Len() > c.entries || c.bytes > 0 && c.used > c.bytes {
		c.drop(c.order.Back())
	}
}

// remove forgets a value that nobody will ask for any more.
func (c *cache[K, V]) remove(k K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.at[k]; ok {
		c.drop(e)
	}
}

func (c *cache[K, V]) drop(e *list.Element) {
	x := c.order.Remove(e).(*cached[K, V])
	delete(c.at, x.k)
	c.used -= x.size
}
