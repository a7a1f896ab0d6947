package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// build writes a fake atoll: a shell script that writes a summary and a table to its output folder.
func build(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "atoll")
	text := `#!/bin/sh
hash=aa row=0,1 report='lake 1.5 ok 2.0 s'
` + script + `
if [ "$1" = verify ]; then echo "$report"; exit; fi
case=$2
while [ $# -gt 0 ]; do [ "$1" = --out ] && out=$2; shift; done
echo "{\"state_sha256\": \"$hash\", \"metrics\": {\"mass\": 1}, \"wall_s\": $$}" > "$out/summary.json"
printf 't,mass\n%s\n' "$row" > "$out/conservation.csv"
`
	if err := os.WriteFile(path, []byte(text), 0o777); err != nil {
		t.Fatal(err)
	}
	return path
}

// compare runs the command and returns its output.
func compare(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var o options
	c := command(&o)
	var out bytes.Buffer
	o.out = &out
	c.SetArgs(args)
	err := c.ExecuteContext(t.Context())
	return out.String(), err
}

func TestCompare(t *testing.T) {
	lake := []string{"--only", "shallow-lake|verify smooth", "--examples", t.TempDir()}
	for _, c := range []struct {
		name, old, new string
		args           []string
		wantError      bool
		wantOutput     []string
	}{
		{"the same", "", "", nil, false, []string{
			"equal    cases/shallow-lake.toml physics.scheme=roe", "4 equal, 0 differ"}},
		{"a hash", "", "hash=ab", nil, true, []string{
			"DIFFERS  cases/shallow-lake.toml physics.scheme=roe: summary.json: state_sha256: aa, then ab",
			"equal    verify smooth --quick", "1 equal, 3 differ"}},
		{"a hash of one case", "", `case "$*" in *ir-roe*) hash=ab;; esac`, nil, true, []string{"3 equal, 1 differ"}},
		{"a row", "", "row=0,2", nil, true, []string{"conservation.csv: line 2, mass: 1, then 2"}},
		{"two differences", "", "row=0,2 hash=b", nil, true, []string{"mass: 1, then 2 (and 1 more difference: use --all)"}},
		{"two differences with --all", "", "row=0,2 hash=b", []string{"--all"}, true, []string{"line 2, mass: 1, then 2\n",
			"\n         summary.json: state_sha256: aa, then b"}},
		{"a number of a table", "", "report='lake 1.6 ok 2.0 s'", nil, true, []string{
			"DIFFERS  verify smooth --quick: verify.txt: line 1"}},
		{"an additional column", "", "row=0,1,2", nil, true, []string{`line 2: "0,1", then "0,1,2"`}},
		{"ignored", "", "hash=ab", []string{"--ignore", "summary.json: state_sha256"}, false, []string{"4 equal, 0 differ"}},
		{"the new one fails", "", "echo wrong >&2; exit 1", nil, true, []string{
			"FAILED   ", "the new build: exit status 1: wrong", "0 equal, 4 differ"}},
		{"both fail", "echo wrong >&2; exit 1", "echo wrong >&2; exit 1", nil, true, []string{
			"both builds: exit status 1: wrong"}},
		{"nothing", "", "", []string{"--skip", "."}, true, []string{"0 equal, 0 differ"}},
		{"too long", "", "", []string{"--timeout", "1ns"}, true, []string{"context deadline exceeded", "0 equal, 4 differ"}},
		{"several at a time", "", "", []string{"--jobs", "3"}, false, []string{"4 equal, 0 differ"}},
		{"another backend", `case "$*" in "verify "*) ;; *"--backend cuda"*) ;; *) exit 1;; esac`, "",
			[]string{"--backend", "cuda"}, false, []string{"SKIPPED  verify smooth --quick", "3 equal, 0 differ, 1 skipped"}},
	} {
		args := append([]string{build(t, c.old), build(t, c.new)}, lake...)
		out, err := compare(t, append(args, c.args...)...)
		if (err != nil) != c.wantError {
			t.Errorf("%s: got error %v, want an error %v", c.name, err, c.wantError)
		}
		for _, want := range c.wantOutput {
			if !strings.Contains(out, want) {
				t.Errorf("%s: want %q in the output\n%s", c.name, want, out)
			}
		}
	}
}

// TestKept: results that --keep has written can be compared later, and comparisons do not change them.
func TestKept(t *testing.T) {
	keep := t.TempDir()
	lake := []string{"--only", "shallow-lake", "--examples", t.TempDir()}
	both := []string{build(t, ""), build(t, "row=0,1"), "--keep", keep}
	if out, err := compare(t, append(both, lake...)...); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	old := filepath.Join(keep, "old")
	for range 2 {
		if out, err := compare(t, append([]string{old, build(t, "")}, lake...)...); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		if out, err := compare(t, append([]string{old, build(t, "hash=b")}, lake...)...); err == nil {
			t.Errorf("got no error, want a difference:\n%s", out)
		}
	}
	out, err := compare(t, old, build(t, ""), "--only", "shallow-bed", "--examples", t.TempDir())
	if err == nil || !strings.Contains(out, "the old results do not have this case") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestPack: the comparison runs from a folder that --pack has written.
func TestPack(t *testing.T) {
	kit := filepath.Join(t.TempDir(), "kit")
	examples := t.TempDir()
	if err := os.WriteFile(filepath.Join(examples, "a.toml"), []byte("solver = \"vof\"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := compare(t, build(t, ""), build(t, "hash=b"), "--examples", examples, "--pack", kit)
	if err != nil || out != "" {
		t.Fatalf("%v\n%s", err, out)
	}
	if info, err := os.Stat(filepath.Join(kit, "compare-results")); err != nil || info.Mode()&0o100 == 0 {
		t.Error(info, err)
	}
	out, err = compare(t, filepath.Join(kit, "old.gz"), filepath.Join(kit, "new.gz"), "--only", "^examples/a",
		"--examples", filepath.Join(kit, "examples"))
	if err == nil || !strings.Contains(out, "examples/a.toml: summary.json: state_sha256: aa, then b") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestRefusals(t *testing.T) {
	a := build(t, "")
	for _, args := range [][]string{{a}, {a, a, "--backend", "gpu"}, {a, a, "--only", "("}, {a, a, "--skip", "("},
		{a, a, "--ignore", "("}, {"no-such-commit", a}, {a, a, "--timeout", "x"}} {
		if out, err := compare(t, args...); err == nil {
			t.Errorf("%q: got no error, output\n%s", args, out)
		}
	}
}
