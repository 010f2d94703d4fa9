package pgserver

import "context"

// Abandon releases the folder without stopping the server, as if its holder had died and it had not.
func Abandon(s *Server) error { return s.lock.Close() }

// Download is the second source of the programs, which a machine that has PostgreSQL never comes to. It returns
// the folder of the programs.
func Download(ctx context.Context, place string) (dir string, err error) {
	b, err := download(ctx, place, account{})
	return b.dir, err
}

// Unpack is what Download does with an archive.
func Unpack(packed []byte, dir string) error { return unpack(packed, dir) }
