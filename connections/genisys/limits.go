package genisys

// What the seed fixes.
const (
	// MaxNameLength is the longest name of a plugin, in characters (code points).
	MaxNameLength = 60
	// MaxActions is how many actions one app declares at most.
	MaxActions = 30
	// MaxLogoBytes is the largest logo: 64 KiB of decoded PNG.
	MaxLogoBytes = 65_536
	// MaxLogoSide is the largest width and height of a logo, in pixels.
	MaxLogoSide = 512
)

// What the seed leaves open. Lengths are in characters (code points) and generous: they keep a page, a palette
// and a database row usable, not an author short.
const (
	// MaxFileBytes is the largest plugin file: 4 MiB, four times the largest code.
	MaxFileBytes = 4 << 20
	// MaxCodeBytes is the largest ES module, in bytes of UTF-8: 1 MiB. The sandbox compiles it in every process.
	MaxCodeBytes = 1 << 20
	// MaxFileDepth is how deep lists and objects nest in a file; it leaves room for MaxSchemaDepth.
	MaxFileDepth = 80
	// MaxFileValues is how many JSON values a file holds.
	MaxFileValues = 200_000
	// MaxSchemaDepth is how deep a tool's input schema nests, as for every schema that is imported.
	MaxSchemaDepth = 64
	// maxLogoUnpacked bounds what the compressed metadata of a logo unpacks to, in bytes, all chunks together: 1 MiB. A
	// colour profile has a few hundred KB at the most.
	maxLogoUnpacked = 1 << 20
	// maxLogoPixels bounds what the pixels unpack to, in bytes: eight for each pixel and one for each row, for every pass
	// of an interlaced image.
	maxLogoPixels = 8*MaxLogoSide*MaxLogoSide + 16*MaxLogoSide
	// MaxTools is how many sandbox tools one plugin declares: more can't be offered to an agent.
	MaxTools = 100
	// MaxSkills is how many skills one plugin offers.
	MaxSkills = 100
	// MaxHosts is how many hosts one plugin may ask for; a person grants each of them.
	MaxHosts = 100
	// MaxInputs is how many inputs one action has.
	MaxInputs = 100

	// MaxDescriptionLength bounds every description.
	MaxDescriptionLength = 4_000
	// MaxInstructionsLength bounds the Markdown of one skill.
	MaxInstructionsLength = 100_000
	// MaxActionNameLength bounds the name of an action in the palette.
	MaxActionNameLength = 100
	// MaxLabelLength bounds the label of an input and of the account's secret.
	MaxLabelLength = 200
	// MaxPlaceholderLength bounds the placeholder of an input.
	MaxPlaceholderLength = 500
	// MaxKeyHelpLength bounds the text that says where a key comes from.
	MaxKeyHelpLength = 2_000
	// MaxURLLength bounds the address of the documentation, and MaxPathLength the template of a path.
	MaxURLLength  = 2_000
	MaxPathLength = 1_000
	// MaxHeaderLength bounds the name of the header that carries the key.
	MaxHeaderLength = 100
	// MaxMemberLength bounds the name of a member of the body.
	MaxMemberLength = 200
	// MaxHostLength is the longest host name (RFC 1035), in characters of its ASCII form.
	MaxHostLength = 253
)
