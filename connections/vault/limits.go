package vault

// Sizes of the vault, in bytes.
const (
	// MaxSecret bounds one secret. Keys and tokens are far below it; what is longer is a mistake, such as a
	// whole file given where a key was asked for. Header values above 8 KiB are refused by common servers.
	MaxSecret = 8 << 10
	// maxMasterKey bounds the text of a master keyset: about 150 bytes a key, so room for many rotations.
	maxMasterKey = 64 << 10
)
