package jsbox

import (
	"container/list"
	"sync"
)

// modules keeps loaded modules by digest; the least recently used goes first.
type modules struct {
	mutex sync.Mutex
	most  int
	order *list.List // of kept, the last used in front
	by    map[string]*list.Element
}

type kept struct {
	digest string
	module *Module
}

func newModules(most int) modules {
	return modules{most: most, order: list.New(), by: make(map[string]*list.Element)}
}

func (m *modules) get(digest string) *Module {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	at := m.by[digest]
	if at == nil {
		return nil
	}
	m.order.MoveToFront(at)
	return at.Value.(kept).module
}

func (m *modules) put(digest string, module *Module) {
	if digest == "" {
		return
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if at := m.by[digest]; at != nil {
		m.order.Remove(at)
	}
	m.by[digest] = m.order.PushFront(kept{digest, module})
	for m.order.Len() > m.most {
		last := m.order.Remove(m.order.Back()).(kept)
		delete(m.by, last.digest)
	}
}

func (m *modules) clear() {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.order.Init()
	clear(m.by)
}
