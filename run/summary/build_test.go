package summary

import (
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

// built is what a binary of a version and with settings, as key=value, holds.
func built(version string, settings ...string) *build {
	b := &build{Main: debug.Module{Version: version}}
	for _, s := range settings {
		key, value, _ := strings.Cut(s, "=")
		b.Settings = append(b.Settings, debug.BuildSetting{Key: key, Value: value})
	}
	return b
}

func TestVersion(t *testing.T) {
	for _, c := range []struct {
		of   *build
		want string
	}{
		{built("v1.2.3", "GOARCH=amd64"), "v1.2.3"}, // go install module@version
		{built("v1.3.0+dirty", "vcs.revision=abc", "vcs.modified=true"), "v1.3.0+dirty"},
		{built("(devel)", "vcs.revision=abc", "vcs.modified=false"), "abc"},
		{built("(devel)", "vcs.revision=abc", "vcs.modified=true"), "abc+dirty"},
		{built("(devel)", "GOARCH=amd64"), "devel"}, // of an archive, or with -buildvcs=false
		{&build{}, "devel"}, // by another build system
	} {
		if got := c.of.version(); got != c.want {
			t.Errorf("%q of %+v, want %q", got, c.of, c.want)
		}
	}
	// Tests are built without a stamp: the program's own bytes tell it from others.
	v := Version()
	hash, of := strings.CutPrefix(v, unnamed+"-")
	if v == "" || v == unnamed || of && len(hash) != 12 {
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
		t.Errorf("%q does not tell GOAMD64=%s", got, level)
	}
}

// TestBuildsThatDifferHaveOtherNames above all those of which one fuses multiplications and additions.
func TestBuildsThatDifferHaveOtherNames(t *testing.T) {
	const unfused = "-gcflags=all=-d=fmahash=qn"
	ids := map[string]int{}
	for i, id := range []string{
		built("v1", "GOARM64=v8.0", unfused).id(false), built("v1", "GOARM64=v8.0", unfused).id(true),
		built("v1", "GOARM64=v8.0").id(false), built("v1", "GOARM64=v8.0").id(true),
		built("v2", "GOARM64=v8.0").id(false), built("v1", "GOARM64=v9.0").id(false), built("v1", "GOAMD64=v1").id(false),
		built("(devel)", "vcs.revision=a").id(false), built("(devel)", "vcs.revision=b").id(false),
		built("(devel)", "vcs.revision=a", "vcs.modified=true").id(false), built("v1", "-tags=mpi").id(false),
		(&build{}).id(false), (&build{}).id(true),
	} {
		if j, ok := ids[id]; ok {
			t.Errorf("builds %d and %d have the same name %q", j, i, id)
		}
		ids[id] = i
	}
	if got, want := BuildID(), thisBuild().named(Version(), FusesMultiplyAdd()); got != want {
		t.Errorf("this build is %q, want %q", got, want)
	}
}

// TestFusesMultiplyAddAgreesWithBuild: amd64 fuses from level v3 on, other processors of 64 bits always, unless the
// compiler is told not to. scripts/same-bits-arm64 runs it for both builds of arm64.
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
