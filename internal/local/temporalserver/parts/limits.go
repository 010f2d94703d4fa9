package parts

import "time"

const (
	// askPause is the pause between two questions whether the server is ready.
	askPause = 10 * time.Millisecond
	// portFirst and portLast bound the ports tried: below those that the system gives to outgoing connections
	// (32768 on Linux), so that none is taken between its choice and its use.
	portFirst, portLast = 20_000, 32_000
	// portTries is how many ports may be taken before the search is given up.
	portTries = 200
)
