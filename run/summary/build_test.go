package summary

import (
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

// newBuild returns build information with a version and settings, given as key=value.
func newBuild(version string, settings ...string) *build {
	b := &build{Main: debug.Module{Version: version}}
	for _, s := range settings {
		key, value, _ := strings.Cut(s, "=")
		b.Settings = append(b.Settings, debug.BuildSetting{Key: key, Value: value})
	}
	return b
}

func TestVersion(t *testing.T) {
	for _, c := range []struct {
		build *build
		want  string
	}{
		{newBuild("v1.2.3", "GOARCH=amd64"), "v1.2.3"}, // go install module@version
		{newBuild("v1.3.0+dirty", "vcs.revision=abc", "vcs.modified=true"), "v1.3.0+dirty"},
		{newBuild("v0.0.0-20261128180000-0123456789ab"), develVersion + "-0123456789ab"},
		{newBuild("v0.1.1-0.20261128180000-0123456789ab+dirty"), develVersion + "-0123456789ab+dirty"},
		{newBuild("v1.0.0-rc.1"), "v1.0.0-rc.1"},
		{newBuild("(devel)", "vcs.revision=0123456789abcdef", "vcs.modified=false"), develVersion + "-0123456789ab"},
		{newBuild("(devel)", "vcs.revision=abc", "vcs.modified=true"), develVersion + "-abc+dirty"},
		{newBuild("(devel)", "GOARCH=amd64"), develVersion}, // from an archive, or with -buildvcs=false
		{&build{}, develVersion}, // another build system
	} {
		if got := c.build.version(); got != c.want {
			t.Errorf("%q of %+v, want %q", got, c.build, c.want)
		}
	}
	// Test binaries have no version: the hash of the program identifies them.
	v := Version()
	hash, build := strings.CutPrefix(v, develVersion+"-")
	if v == "" || v == develVersion || build && len(hash) != 12 {
		t.Errorf("version %q", v)
	}
}

func TestToolchain(t *testing.T) {
	got := Toolchain()
	if want := runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH; !strings.HasPrefix(got, want) {
		t.Errorf("%q does not begin with %q", got, want)
	}
	level := thisBuild().setting("GOAMD64")
	if runtime.GOARCH == "amd64" && (level == "" || !strings.Contains(got, level)) {
		t.Errorf("%q lacks GOAMD64=%s", got, level)
	}
}

// TestDifferentBuildsHaveDifferentIDs checks above all that builds differ if only one of them fuses multiplications and
// additions.
func TestDifferentBuildsHaveDifferentIDs(t *testing.T) {
	const unfused = "-gcflags=all=-d=fmahash=qn"
	ids := map[string]int{}
	for i, id := range []string{
		newBuild("v1", "GOARM64=v8.0", unfused).id(false), newBuild("v1", "GOARM64=v8.0", unfused).id(true),
		newBuild("v1", "GOARM64=v8.0").id(false), newBuild("v1", "GOARM64=v8.0").id(true),
		newBuild("v2", "GOARM64=v8.0").id(false), newBuild("v1", "GOARM64=v9.0").id(false), newBuild("v1",
			"GOAMD64=v1").id(false),
		newBuild("(devel)", "vcs.revision=a").id(false), newBuild("(devel)", "vcs.revision=b").id(false),
		newBuild("(devel)", "vcs.revision=a", "vcs.modified=true").id(false), newBuild("v1", "-tags=mpi").id(false),
		(&build{}).id(false), (&build{}).id(true),
	} {
		if j, ok := ids[id]; ok {
			t.Errorf("builds %d and %d have the same ID %q", j, i, id)
		}
		ids[id] = i
	}
	if got, want := BuildID(), thisBuild().idOf(Version(), FusesMultiplyAdd()); got != want {
		t.Errorf("BuildID() = %q, want %q", got, want)
	}
}

// TestFusesMultiplyAddAgreesWithBuild checks the measurement against the build: amd64 fuses from level v3 on, other
// 64-bit processors always, unless a compiler flag prevents it. scripts/same-bits-arm64 runs this test for both builds
// of arm64.
func TestFusesMultiplyAddAgreesWithBuild(t *testing.T) {
	b := thisBuild()
	if b.setting("GOARCH") == "" {
		t.Skip("NOT TESTED: the binary does not say how it was built")
	}
	want := runtime.GOARCH != "amd64" || b.setting("GOAMD64") >= "v3"
	if b.setting("-gcflags") == "all=-d=fmahash=qn" {
		want = false
	}
	if got := FusesMultiplyAdd(); got != want {
		t.Errorf("%v, want %v of %s", got, want, b.id(got))
	}
}

// TestContentHash: the hash of a program without a build ID is that of the file, and that of this test program is
// found without reading all of it.
func TestContentHash(t *testing.T) {
	if got, err := contentHash(strings.NewReader("abc")); got != "ba7816bf8f01" || err != nil {
		t.Errorf("hash %s, %v, want the beginning of the SHA-256 of abc", got, err)
	}
	if runtime.GOOS != "linux" {
		t.Skip("NOT TESTED: Go writes notes of ELF on Linux")
	}
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, err := contentHash(f)
	if at, seekErr := f.Seek(0, io.SeekCurrent); len(got) != 12 || err != nil || at != 0 || seekErr != nil {
		t.Errorf("hash %q, %v, after reading %d bytes of the file in sequence", got, err, at)
	}
}
