package auth

import (
	"context"
	"fmt"

	"github.com/google/uuid"
)

// FirstAdmin is what a first start makes.
type FirstAdmin struct {
	// Created says whether this call made the administrator; the other fields are empty otherwise.
	Created bool
	// Person is the administrator.
	Person uuid.UUID
	// KeyText is the text of a live API key of the administrator; it is shown here and nowhere else.
	KeyText string
	// LinkToken signs the administrator in once; LinkPath gives its address.
	LinkToken string
}

// Installer creates the first project, person, key and link in one transaction.
type Installer interface {
	// Install creates the project "default" if it is missing, and the administrator with the key and the link
	// if there is no person at all; it says whether it made the administrator.
	Install(ctx context.Context, admin Person, key Key, keyHash, linkHash []byte) (bool, error)
}

// Bootstrap makes the project "default" and the first administrator. Calling it again, or from several
// processes at once, changes nothing and creates nobody.
func Bootstrap(ctx context.Context, in Installer, email string) (FirstAdmin, error) {
	admin := Person{ID: uuid.Must(uuid.NewV7()), Email: email, Name: "Administrator", Owner: true}
	key, text, err := NewKey(LiveKey, admin.ID, nil, "admin.key", nil)
	if err != nil {
		return FirstAdmin{}, err
	}
	link := randomText(linkRandomBytes)
	made, err := in.Install(ctx, admin, key, hashOf(text), hashOf(link))
	if err != nil {
		return FirstAdmin{}, fmt.Errorf("make the first administrator: %w", err)
	}
	if !made {
		return FirstAdmin{}, nil
	}
	return FirstAdmin{Created: true, Person: admin.ID, KeyText: text, LinkToken: link}, nil
}
