package main

import (
	"io"

	"pawl/internal/fault"
)

// output is standard output. It remembers the first write that failed, so that no command has to look after each line,
// and none ends well whose result nobody has.
type output struct {
	to  io.Writer
	err error
}

// Write writes, unless a write failed before.
func (o *output) Write(b []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.to.Write(b)
	o.err = err
	return n, err
}

// failure is the error that the command has to report; nil where all was written. It is none of a pipe whose reader has
// left: the write itself ends the process by SIGPIPE then (os/signal), without a word, as other commands end.
func (o *output) failure() error {
	if o.err == nil {
		return nil
	}
	return fault.New(fault.InvalidInput, "output", "Standard output could not be written, so what the command had to say is incomplete or lost: %v.", o.err).Because(o.err)
}
