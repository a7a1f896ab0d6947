package main

import (
	"strings"
	"testing"
)

// TestCompletion: shell completion offers the values of flags, the metrics of a case and the fields of a run.
func TestCompletion(t *testing.T) {
	dir := caseFile(t, smallCase)
	run := atoll(t, dir, nil, "run", "case.toml", "-q", "--set", "time.end=0.01")
	if code := run.code(t); code != 0 {
		t.Fatal(run.stderr.String())
	}
	for line, want := range map[string]string{
		"run --backend ":                       "cpu cuda",
		"run --transport ":                     "auto local grpc mpi",
		"smooth --smoother ":                   "barrier hybrid fjp smart pain-exact pain",
		"smooth --boundary ":                   "slide fixed",
		"smooth --colouring ":                  "jones-plassmann first-fit",
		"mesh partition --cut ":                "hilbert rcb metis random all",
		"plot out --field ":                    "h1 h2 z1 surface",
		"study case.toml --metric ":            "mass1 mass2",
		"verify ":                              "levelset",
		"run ":                                 "toml",
		"smooth in.mesh out.mesh --precision ": "float64 float32",
	} {
		words := strings.Split(line, " ")
		c := atoll(t, dir, nil, append([]string{"__completeNoDesc"}, words...)...)
		if code := c.code(t); code != 0 {
			t.Errorf("%s: exit code %d", line, code)
		}
		got := strings.Join(strings.Fields(c.stdout.String()), " ")
		if !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}
