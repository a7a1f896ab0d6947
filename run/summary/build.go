package summary

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
)

// Version returns the version of the binary: that of its module, the commit with "+dirty" if files were changed, or
// "devel" where the binary holds neither.
func Version() string { return thisBuild().version() }

// Toolchain says what made the binary and for which processors, as in "go1.26.8 linux/amd64, GOAMD64=v1".
func Toolchain() string {
	b := thisBuild()
	return strings.Join(append([]string{b.platform()}, b.settings("GOAMD64", "GOARM64", "-tags")...), ", ")
}

// BuildID names this build: ranks of different builds must not meet. Whether it fuses multiplications and additions is
// part of it as the flags of the compiler are, and as it turns out.
func BuildID() string { return thisBuild().id(FusesMultiplyAdd()) }

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
	return "devel"
}

func (b *build) id(fuses bool) string {
	parts := append([]string{b.version(), b.platform()}, b.settings("GOAMD64", "GOARM64", "-gcflags", "-tags")...)
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
