package canon

// Limits bound one document. A zero field takes the default of this package, so the zero value is useful.
type Limits struct {
	// Bytes is the largest document, in bytes of its text as given.
	Bytes int
	// Depth is how many objects and lists may be open at once; a scalar at the top has depth 0.
	Depth int
	// Values is how many values the document may hold: scalars, lists and objects, the top one included.
	Values int
}

// The defaults. They are what an argument of a step, an answer of a provider or an imported description may
// need; formats with a smaller limit pass their own.
const (
	// DefaultBytes is 16 MiB: the largest OpenAPI description that is imported.
	DefaultBytes = 16 << 20
	// DefaultDepth is 200 levels: no hand-made document comes near, and one level costs a few hundred bytes of
	// stack.
	DefaultDepth = 200
	// DefaultValues is one million: a value costs 72 bytes while a document is read.
	DefaultValues = 1_000_000
)

const (
	// maxNumberLength is the longest text of one number, in characters. 1,000 digits are more than any provider
	// writes, and arithmetic on them is still quick.
	maxNumberLength = 1_000
	// maxExponent bounds the power of ten of a number's first digit, so that a short text never stands for a
	// number whose arithmetic takes long.
	maxExponent = 999_999
	// maxProblems is how many problems one document reports. A person mends a few and tries again.
	maxProblems = 100
	// maxPointers is how many bytes the JSON pointers of one document's problems take together before no more are
	// reported: a deep place below long names would repeat the document once for each of its problems.
	maxPointers = 256 << 10
	// maxQuoted is how many characters of the user's text a message repeats.
	maxQuoted = 60
)

func (l Limits) orDefault() Limits {
	if l.Bytes == 0 {
		l.Bytes = DefaultBytes
	}
	if l.Depth == 0 {
		l.Depth = DefaultDepth
	}
	if l.Values == 0 {
		l.Values = DefaultValues
	}
	return l
}
