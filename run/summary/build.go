package summary

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
)

// Version returns the version of the binary: that of its module, the commit with "+dirty" if files were changed, or
// where the binary holds neither, "devel-" and the beginning of its SHA-256, which tells two such builds apart.
func Version() string { return named() }

var named = sync.OnceValue(func() string {
	v := thisBuild().version()
	if v != unnamed {
		return v
	}
	if hash, err := ownHash(); err == nil {
		v += "-" + hash
	}
	return v
})

// unnamed is the version of a build that holds none.
const unnamed = "devel"

// ownHash is the beginning of the SHA-256 of the program's file.
func ownHash() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil))[:12], nil
}

// Toolchain says what made the binary and for which processors, as in "go1.26.8 linux/amd64, GOAMD64=v1".
func Toolchain() string {
	b := thisBuild()
	return strings.Join(append([]string{b.platform()}, b.settings("GOAMD64", "GOARM64", "-tags")...), ", ")
}

// BuildID names this build: ranks of different builds must not meet. Whether it fuses multiplications and additions is
// part of it as the flags of the compiler are, and as it turns out.
func BuildID() string { return thisBuild().named(Version(), FusesMultiplyAdd()) }

// build is what a binary holds of how it was built: nothing where it was not built as a module.
type build debug.BuildInfo

func thisBuild() *build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return &build{}
	}
	return (*build)(info)
}

func (b *build) version() string {
	if v := b.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	if revision := b.setting("vcs.revision"); revision != "" {
		if b.setting("vcs.modified") == "true" {
			revision += "+dirty"
		}
		return revision
	}
	return unnamed
}

func (b *build) id(fuses bool) string { return b.named(b.version(), fuses) }

func (b *build) named(version string, fuses bool) string {
	parts := append([]string{version, b.platform()}, b.settings("GOAMD64", "GOARM64", "-gcflags", "-tags")...)
	return strings.Join(append(parts, fmt.Sprintf("fma=%v", fuses)), " ")
}

func (*build) platform() string { return runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH }

// setting is what a setting of the build was, "" if the binary does not say.
func (b *build) setting(key string) string {
	if i := slices.IndexFunc(b.Settings, func(s debug.BuildSetting) bool { return s.Key == key }); i >= 0 {
		return b.Settings[i].Value
	}
	return ""
}

// settings are those of keys that the binary has, as key=value.
func (b *build) settings(keys ...string) (known []string) {
	for _, key := range keys {
		if value := b.setting(key); value != "" {
			known = append(known, key+"="+value)
		}
	}
	return known
}
