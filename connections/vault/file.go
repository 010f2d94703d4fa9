package vault

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"pawl/internal/fault"
)

// LocalKeyName is the file of the master key in the data folder of pawl-local.
const LocalKeyName = "master.key"

// LoadMasterKey reads the setting PAWL_MASTER_KEY: the text of a keyset, or file:PATH of a file that holds it.
// A file that others may read or write is refused.
func LoadMasterKey(setting string) (MasterKey, error) {
	if setting == "" {
		return MasterKey{}, badMasterKey("is not set (PAWL_MASTER_KEY)")
	}
	path, isFile := strings.CutPrefix(setting, "file:")
	if !isFile {
		return ParseMasterKey(setting)
	}
	text, err := readPrivate(path)
	if err != nil {
		return MasterKey{}, err
	}
	return ParseMasterKey(text)
}

// LocalMasterKey reads dir/master.key, and makes it first where there is none. A damaged file is an error and
// never replaced, for everything sealed with it would be lost. Safe with several processes at once.
func LocalMasterKey(dir string) (MasterKey, error) {
	path := filepath.Join(dir, LocalKeyName)
	_, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = createKeyFile(dir, path)
	}
	if err != nil {
		return MasterKey{}, fmt.Errorf("prepare the master key file: %w", err)
	}
	return LoadMasterKey("file:" + path)
}

// createKeyFile writes the whole file before it gets its name, so that no process ever reads a part of it.
func createKeyFile(dir, path string) error {
	k, err := NewMasterKey()
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, LocalKeyName+".*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(k.Text() + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncDir(dir)
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// readPrivate reads a small regular file and checks its mode on the opened file, so that it can't be exchanged
// in between.
func readPrivate(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fault.New(fault.InvalidInput, "master_key", "The master key file %s can't be read.", path).Because(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", fmt.Errorf("look at the master key file: %w", err)
	}
	if !info.Mode().IsRegular() {
		return "", fault.New(fault.InvalidInput, "master_key", "The master key file %s is not a regular file.", path)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return "", fault.New(fault.InvalidInput, "master_key_mode",
			"The master key file %s has mode %04o, so others may use it. Run: chmod 600 %s", path, info.Mode().Perm(), path)
	}
	b, err := io.ReadAll(io.LimitReader(f, maxMasterKey+1))
	if err != nil {
		return "", fmt.Errorf("read the master key file: %w", err)
	}
	return string(b), nil
}
