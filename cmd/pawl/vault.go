package main

import (
	"fmt"

	"pawl/connections/vault"
)

// vaultCommands look after the key that opens the saved keys of accounts.
type vaultCommands struct {
	NewKey newKeyCommand `cmd:"" name:"new-key" help:"Print a new master key, for PAWL_MASTER_KEY; needs no server."`
}

// newKeyCommand makes a master key.
type newKeyCommand struct{}

// Run prints the key and a line break, and nothing else: the output is to go into a file.
func (newKeyCommand) Run(s *session) error {
	key, err := vault.NewMasterKey()
	if err != nil {
		return fmt.Errorf("make a master key: %w", err)
	}
	s.say("%s", key.Text())
	return nil
}
