package automation

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"pawl/internal/canon"
)

// Encode writes a document for people and version control: members in the order of the documentation, two spaces of
// indentation, a newline at the end, every template with its own text.
func Encode(d *Document) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(d); err != nil {
		panic(fmt.Sprintf("encode a document: %v", err)) // every raw member was read as JSON before
	}
	return b.Bytes()
}

// Canonical writes a document in its canonical form (package canon): the form that is stored and whose digest names
// a version. Documents that mean the same values have the same form; 1.0 and 1 are one number.
func (d *Document) Canonical() []byte {
	b, err := canon.Canonical(Encode(d))
	if err != nil {
		panic(fmt.Sprintf("the canonical form of a document: %v", err)) // as in Encode
	}
	return b
}

// Digest is the SHA-256 of the canonical form.
func (d *Document) Digest() [sha256.Size]byte { return sha256.Sum256(d.Canonical()) }

// Index gives all steps by their ids. The map is the document's own: don't change it.
func (d *Document) Index() map[string]*Step { return d.index }

// Most is how many items the each takes before it fails.
func (s *Step) Most() int {
	if s.MaxItems > 0 {
		return s.MaxItems
	}
	return MaxItems
}

// Lanes is how many iterations of the each run side by side.
func (s *Step) Lanes() int { return max(1, s.Concurrency) }

// Block is a list of steps inside a step.
type Block struct {
	// Name says which: steps, otherwise, catch, finally, cases/0, branches/1.
	Name  string
	Steps []*Step
}

// Blocks gives the lists of steps inside s, in document order; none for a step that holds no others.
func (s *Step) Blocks() []Block {
	var blocks []Block
	for i, c := range s.Cases {
		blocks = append(blocks, Block{"cases/" + strconv.Itoa(i), c.Steps})
	}
	for i, b := range s.Branches {
		blocks = append(blocks, Block{"branches/" + strconv.Itoa(i), b.Steps})
	}
	for _, b := range []Block{{"otherwise", s.Otherwise}, {"steps", s.Steps}, {"catch", s.Catch}, {"finally", s.Finally}} {
		if len(b.Steps) > 0 {
			blocks = append(blocks, b)
		}
	}
	return blocks
}

// pointer is the JSON pointer of a block inside its step.
func (b Block) pointer() string {
	switch b.Name {
	case "otherwise", "steps", "catch", "finally":
		return "/" + b.Name
	}
	return "/" + b.Name + "/steps"
}

// Walk calls visit for each step, a step before those inside it, in document order.
func (d *Document) Walk(visit func(*Step)) { walk(d.Steps, visit) }

func walk(steps []*Step, visit func(*Step)) {
	for _, s := range steps {
		visit(s)
		for _, b := range s.Blocks() {
			walk(b.Steps, visit)
		}
	}
}

// settle fills in what the document's shape says about each step.
func (d *Document) settle() {
	d.index = map[string]*Step{}
	top := Rules{Hold: d.OnUnavailable == "hold", Repeat: "if_safe"}
	d.place(d.Steps, nil, Block{}, "/steps", top)
}

func (d *Document) place(steps []*Step, parent *Step, block Block, pointer string, outer Rules) {
	for i, s := range steps {
		s.Parent, s.Block, s.Pointer, s.pos = parent, block.Name, pointer+"/"+strconv.Itoa(i), i
		if parent != nil {
			s.Inside = append(slices.Clone(parent.Inside), parent.ID)
			s.Loops = parent.Loops
			if parent.Type == TypeEach {
				s.Loops = append(slices.Clone(parent.Loops), parent.ID)
			}
		}
		s.Rules = s.rules(outer)
		d.index[s.ID] = s
		for _, b := range s.Blocks() {
			d.place(b.Steps, s, b, s.Pointer+b.pointer(), s.Rules)
		}
	}
}

// rules are what the step says, else what the steps around it and the document say, else the defaults.
func (s *Step) rules(outer Rules) Rules {
	r := outer
	r.Continue = s.OnError == "continue"
	if s.OnUnavailable != "" {
		r.Hold = s.OnUnavailable == "hold"
	}
	if s.OnUnknown != "" {
		r.FailUnknown = s.OnUnknown == "fail"
	}
	if s.Repeat != "" {
		r.Repeat = s.Repeat
	}
	return r
}
