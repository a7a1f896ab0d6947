package summary

import (
	"crypto/sha256"
	"debug/elf"
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

// Version returns the version of the binary: that of a release, such as v0.1.0; or v0.1.0-devel- with the commit, with
// "+dirty" if files were changed, or with a hash of the binary's contents if its commit is not known.
func Version() string { return cachedVersion() }

var cachedVersion = sync.OnceValue(func() string {
	v := thisBuild().version()
	if v != develVersion {
		return v
	}
	if hash, err := ownHash(); err == nil {
		v += "-" + hash
	}
	return v
})

// ownHash returns the beginning of a SHA-256: of the build ID that Go's linker wrote into the program's file, which
// identifies its contents, or of the whole file if it has none, which takes 50 ms for 90 MB.
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
	return contentHash(f)
}

func contentHash(program interface {
	io.Reader
	io.ReaderAt
}) (string, error) {
	sum := sha256.New()
	if id := goBuildID(program); id != nil {
		sum.Write(id)
	} else if _, err := io.Copy(sum, program); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil))[:12], nil
}

// goBuildID returns the build ID, as a note of ELF, from a program's file; nil if there is none.
func goBuildID(program io.ReaderAt) []byte {
	file, err := elf.NewFile(program)
	if err != nil {
		return nil
	}
	section := file.Section(".note.go.buildid")
	if section == nil {
		return nil
	}
	note, err := section.Data()
	if err != nil {
		return nil
	}
	return note
}

// Toolchain describes the compiler and target of the binary, such as "go1.26.8 linux/amd64, GOAMD64=v1".
func Toolchain() string {
	b := thisBuild()
	return strings.Join(append([]string{b.platform()}, b.settings("GOAMD64", "GOARM64", "-tags")...), ", ")
}

// BuildID identifies this build: ranks of different builds refuse to communicate. It includes whether multiplications
// and additions are fused, both as compiler flags and as measured.
func BuildID() string { return thisBuild().idOf(Version(), FusesMultiplyAdd()) }

// build is the build information in a binary; empty if it was not built as a module.
type build debug.BuildInfo

func thisBuild() *build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return &build{}
	}
	return (*build)(info)
}

func (b *build) id(fuses bool) string { return b.idOf(b.version(), fuses) }

func (b *build) idOf(version string, fuses bool) string {
	parts := append([]string{version, b.platform()}, b.settings("GOAMD64", "GOARM64", "-gcflags", "-tags")...)
	return strings.Join(append(parts, fmt.Sprintf("fma=%v", fuses)), " ")
}

func (*build) platform() string { return runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH }

// setting returns the value of a build setting; "" if unknown.
func (b *build) setting(key string) string {
	if i := slices.IndexFunc(b.Settings, func(s debug.BuildSetting) bool { return s.Key == key }); i >= 0 {
		return b.Settings[i].Value
	}
	return ""
}

// settings returns the known settings of some keys, as key=value.
func (b *build) settings(keys ...string) (known []string) {
	for _, key := range keys {
		if value := b.setting(key); value != "" {
			known = append(known, key+"="+value)
		}
	}
	return known
}
