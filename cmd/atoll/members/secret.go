package members

import (
	"cmp"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
)

// PrepareTokens returns the token that supervisors and the launcher must have, "" if certificates (of the folder certs)
// are enough, and sets EnvToken for the ranks that this process starts: to the same token or, if there is none, to a
// random one.
func PrepareTokens(address, certs string, insecure bool) (join string, err error) {
	join = os.Getenv(EnvToken)
	if certs == "" {
		if join, err = plaintextToken(address, insecure, join); err != nil {
			return "", err
		}
	}
	return join, os.Setenv(EnvToken, cmp.Or(join, rand.Text()))
}

// RankToken returns the token that ranks of an epoch present to each other, "" if the job has none. A rank sends it to
// whoever listens at the address of another one, so it is not the token of the job, and another one in each epoch.
func RankToken(token string, epoch uint64) string {
	if token == "" {
		return ""
	}
	h := hmac.New(sha256.New, []byte(token))
	_, _ = fmt.Fprintf(h, "atoll ranks of epoch %d", epoch) // a hash never fails
	return hex.EncodeToString(h.Sum(nil))
}

// plaintextToken returns the token for connections without certificates between the launcher and supervisors: token if
// the user has set one. Otherwise it is the secret of the user on this machine, so that other users, who can connect
// over loopback, cannot join a run, or command a supervisor whose launcher has ended.
func plaintextToken(address string, insecure bool, token string) (string, error) {
	if err := requireLocal(address, insecure); err != nil || token != "" {
		return token, err
	}
	if insecure {
		return "", badInput(fmt.Errorf("%s with --insecure: set %s to the same secret here and where the other side runs, "+
			"or anybody can join", address, EnvToken))
	}
	dir, err := os.UserConfigDir()
	if err == nil {
		token, err = userSecret(filepath.Join(dir, "atoll", "secret"))
	}
	if err != nil {
		return "", badInput(fmt.Errorf("without %s, atoll run --places and atoll supervise recognise each other by a secret "+
			"of the user, which fails: %w; set %s to the same secret for both, or use --certs", EnvToken, err, EnvToken))
	}
	return token, nil
}

// userSecret returns the random secret in a file, which it makes if it does not exist.
func userSecret(path string) (string, error) {
	for {
		text, err := os.ReadFile(path)
		if err == nil {
			return checkedSecret(path, strings.TrimSpace(string(text)))
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return "", err
		}
		secret := path + "." + rand.Text()
		err = atomicfile.Write(secret, func(f *atomicfile.File) error {
			if err := f.Chmod(0o600); err != nil { // before the file has content
				return err
			}
			_, err := f.WriteString(rand.Text() + "\n")
			return err
		})
		if err != nil {
			return "", err
		}
		err = os.Link(secret, path) // unlike a rename, it fails if another process was faster
		_ = os.Remove(secret)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
}

// checkedSecret returns an error for a secret that is none.
func checkedSecret(path, secret string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", err
	case len(secret) < len(rand.Text()):
		return "", fmt.Errorf("%s is damaged: remove it, and a new one will be made", path)
	case info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows": // where the mode does not say who can read a file
		return "", fmt.Errorf("other users can read %s (mode %04o): remove it, and a new one will be made", path,
			info.Mode().Perm())
	}
	return secret, nil
}
