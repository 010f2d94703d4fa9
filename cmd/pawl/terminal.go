package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"
)

// terminal gives the file descriptor of standard input when a person sits there.
func (s *session) terminal() (int, bool) {
	f, ok := s.in.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	return int(f.Fd()), true
}

// confirm asks before something that people may not want. Without a terminal it needs --yes.
func (s *session) confirm(question string) error {
	if s.yes {
		return nil
	}
	if _, ok := s.terminal(); !ok {
		return usageError{question + " To do this without being asked, add --yes."}
	}
	fmt.Fprintf(s.err, "%s [y/N] ", question)
	answer, err := bufio.NewReader(s.in).ReadString('\n')
	if err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return errors.New("nothing was done")
}

// secret reads a secret: from a terminal without showing it, else the whole of standard input without the line
// break at its end.
func (s *session) secret(what string) (string, error) {
	fd, ok := s.terminal()
	if !ok {
		b, err := s.readInput()
		text := strings.TrimSuffix(string(b), "\n")
		return strings.TrimSuffix(text, "\r"), err
	}
	fmt.Fprintf(s.err, "%s: ", what)
	b, err := term.ReadPassword(fd)
	fmt.Fprintln(s.err)
	if err != nil {
		return "", fmt.Errorf("read the %s: %w", what, err)
	}
	return string(b), nil
}
