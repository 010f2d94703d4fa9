package auth

import "time"

// Numbers with meaning of this package.
const (
	// keyRandomBytes is the randomness of an API key: 256 bits can't be guessed, so a plain hash is enough.
	keyRandomBytes = 32
	// keyPrefixRandom is how many characters of the random part are kept in clear to recognise a key by.
	keyPrefixRandom = 6
	// linkRandomBytes is the randomness of a one-time sign-in link.
	linkRandomBytes = 32
	// LinkLifetime is how long a one-time sign-in link can be used: a first start may be read later the same day.
	LinkLifetime = 24 * time.Hour
	// sessionLifetime ends a session however much it is used. There is no end by idleness: it would write to the
	// database with every request of a browser.
	sessionLifetime = 7 * 24 * time.Hour

	// MinPassword and MaxPassword bound a password in characters and bytes: NIST SP 800-63B asks for 8 at
	// least, we ask for 12; the upper bound keeps hashing cheap.
	MinPassword = 12
	MaxPassword = 256

	// argonMemory (KiB), argonTime and argonThreads are the second choice of RFC 9106 (section 4), scaled to
	// OWASP's minimum so that a small machine can serve several sign-ins at once.
	argonMemory  = 46 * 1024
	argonTime    = 2
	argonThreads = 1
	argonSalt    = 16
	argonKey     = 32
	// addressBurst tries to sign in from one address may fail, then one each addressPause: an office behind one address
	// can mistype, and a guesser has 30 tries a minute.
	addressBurst = 30
	addressPause = 2 * time.Second
	// nameBurst tries for one e-mail address may fail, then one each namePause, from wherever they come: a guesser has
	// 120 an hour, at passwords of MinPassword characters.
	nameBurst = 10
	namePause = 30 * time.Second
	// maxBuckets is how many addresses and how many e-mail addresses are remembered: 10,000 of each take 3 MB.
	maxBuckets = 10_000
	// ipv6Network is how many bits of an IPv6 address name a network that one customer has (RFC 6177).
	ipv6Network = 64

	// concurrentHashes bounds the memory that sign-ins can take: 4 * 46 MiB.
	concurrentHashes = 4
)
