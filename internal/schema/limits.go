package schema

// The bounds of one schema and of one check. They are part of the documentation (docs/formats/json-schema.md).
const (
	// maxBytes is the largest text of a schema that Compile reads: 4 MiB, as large as a plugin file.
	maxBytes = 4 << 20
	// maxDepth is how deep a schema, and a value that is held against one, may nest.
	maxDepth = 200
	// maxValues is how many JSON values the text of a schema may hold.
	maxValues = 200_000
	// maxNodes is how many schemas one schema may hold, itself included.
	maxNodes = 5_000
	// maxWork is how many schemas the places on one way through a value, from its top to a leaf, may be held against, all
	// alternatives counted: the library has no budget of its own and would try an exponential number of them.
	maxWork = 10_000
	// maxSize bounds a schema, in the units of size: the library walks its text once, with the pointer of each place.
	maxSize = 500_000
	// maxEffort bounds one check: the size of the value times how many schemas one place of it is held against at the
	// most. That many failures take about a second and 400 MB; sensible schemas need two or three for each place.
	maxEffort = 500_000
	// unit is how many bytes of text, or of a place's pointer, count like one value.
	unit = 64
	// instructions is how many instructions of a compiled pattern count like one schema.
	instructions = 16
	// maxExponent bounds the numbers that are held against a schema: the library writes them out in full.
	maxExponent = 1_000
	// maxCount is the largest length or number of elements that a schema may ask for: the library reads them as
	// floating-point numbers and would wrap larger ones round.
	maxCount = 1_000_000_000
	// maxProblems is how many problems one check reports.
	maxProblems = 20
	// maxShown is how many characters of a schema's or the library's text a message repeats.
	maxShown = 120
)
