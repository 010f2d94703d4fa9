package jsbox

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero/api"
)

// image is the memory of an idle instance: everything that its realm is. An instance with the same memory goes on from
// there. The stack of an idle instance is where that of a new one is, and the engine changes no other state.
type image struct {
	// size is how large the memory is, in bytes.
	size uint32
	// whole is the memory without the zeros at its end; nil where the image is a change of another one.
	whole []byte
	// on and patches say what differs from another image.
	on      *image
	patches []patch
	// control are the functions of the harness and the page in that realm.
	control control
}

// patch is a piece of memory.
type patch struct {
	at    uint32
	bytes []byte
}

const (
	// blockBytes is the grain of patches: small enough that few unchanged bytes are kept.
	blockBytes = 4096
	// pageBytes is the grain in which a memory grows (WebAssembly Core Specification, memory instances).
	pageBytes = 65_536
)

// wholeImage copies the memory of an instance.
func wholeImage(m api.Memory, c control) (*image, error) {
	all, ok := m.Read(0, m.Size())
	if !ok {
		return nil, errors.New("the instance has no memory")
	}
	return &image{size: m.Size(), whole: bytes.Clone(bytes.TrimRight(all, "\x00")), control: c}, nil
}

// changed keeps what of an instance's memory differs from a whole image.
func (i *image) changed(m api.Memory) (*image, error) {
	all, ok := m.Read(0, m.Size())
	if !ok {
		return nil, errors.New("the instance has no memory")
	}
	next := &image{size: m.Size(), on: i, control: i.control}
	for at := 0; at < len(all); at += blockBytes {
		block := all[at : at+blockBytes]
		if !bytes.Equal(block, i.block(at)) {
			next.add(uint32(at), block)
		}
	}
	return next, nil
}

// block is what the image has at an address, which counts in blocks.
func (i *image) block(at int) []byte {
	if at+blockBytes <= len(i.whole) {
		return i.whole[at : at+blockBytes]
	}
	block := make([]byte, blockBytes)
	if at < len(i.whole) {
		copy(block, i.whole[at:])
	}
	return block
}

// add appends a block, to the last patch where it follows it.
func (i *image) add(at uint32, block []byte) {
	if n := len(i.patches); n > 0 {
		if last := &i.patches[n-1]; last.at+uint32(len(last.bytes)) == at {
			last.bytes = append(last.bytes, block...)
			return
		}
	}
	i.patches = append(i.patches, patch{at, bytes.Clone(block)})
}

// restore gives a new instance this memory. What is above is zero in a new one.
func (i *image) restore(mod api.Module) error {
	m := mod.Memory()
	if more := int64(i.size) - int64(m.Size()); more > 0 {
		if _, ok := m.Grow(uint32((more + pageBytes - 1) / pageBytes)); !ok {
			return fmt.Errorf("grow the instance to %d bytes", i.size)
		}
	}
	all, ok := m.Read(0, m.Size())
	if !ok {
		return errors.New("the instance has no memory")
	}
	whole := i.whole
	if i.on != nil {
		whole = i.on.whole
	}
	copy(all, whole)
	clear(all[len(whole):])
	for _, p := range i.patches {
		copy(all[p.at:], p.bytes)
	}
	return nil
}
