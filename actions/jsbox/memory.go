package jsbox

import (
	"sync/atomic"

	"github.com/tetratelabs/wazero/experimental"
)

// memories hands out the memories of instances and keeps some, zeroed, for the next ones: making 1.3 MiB costs more than
// clearing it.
type memories struct {
	free chan []byte
	// out is how many are in use.
	out atomic.Int64
}

func newMemories(kept int) *memories { return &memories{free: make(chan []byte, kept)} }

// clear gives the kept memories back.
func (m *memories) clear() {
	for {
		select {
		case <-m.free:
		default:
			return
		}
	}
}

// Allocate implements experimental.MemoryAllocator.
func (m *memories) Allocate(_, most uint64) experimental.LinearMemory {
	m.out.Add(1)
	select {
	case buffer := <-m.free:
		return &memory{pool: m, bytes: buffer, most: most}
	default:
		return &memory{pool: m, bytes: make([]byte, 0, pooledBytes), most: most}
	}
}

// memory is the linear memory of one instance.
type memory struct {
	pool  *memories
	bytes []byte
	most  uint64
}

// Reallocate implements experimental.LinearMemory. What is added is zero.
func (m *memory) Reallocate(size uint64) []byte {
	if size > m.most {
		return nil
	}
	if size > uint64(cap(m.bytes)) {
		grown := make([]byte, len(m.bytes), min(max(2*uint64(cap(m.bytes)), size), m.most))
		copy(grown, m.bytes)
		m.bytes = grown
	}
	m.bytes = m.bytes[:size]
	return m.bytes
}

// Free implements experimental.LinearMemory.
func (m *memory) Free() {
	bytes := m.bytes
	m.bytes = nil
	m.pool.out.Add(-1)
	if cap(bytes) != pooledBytes {
		return
	}
	clear(bytes)
	select {
	case m.pool.free <- bytes[:0]:
	default:
	}
}
