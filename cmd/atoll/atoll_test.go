package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/atoll-hpc/atoll/cmd/atoll/members"
	"github.com/atoll-hpc/atoll/run/summary"
)

// asAtoll makes this test binary the command itself, so that tests run real processes of it.
const asAtoll = "ATOLL_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asAtoll) != "" {
		members.JoinDelay = 300 * time.Millisecond // or runs of TestPods would have to be longer
		interceptFiles(os.Getenv(fullDisk), os.Getenv(removesFile), os.Getenv(killsWriter), os.Getenv(slowsWriter))
		main()
	}
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGINT} {
		if signal.Ignored(s) { // started by nohup: processes of the tests would inherit it, and tests send these signals
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
	os.Exit(m.Run())
}

// command is an atoll process with collected output.
type command struct {
	*exec.Cmd
	stdout, stderr bytes.Buffer
}

func atoll(t testing.TB, dir string, env []string, args ...string) *command {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := &command{Cmd: exec.Command(self, args...)}
	c.Dir = dir
	c.Env = append(append(os.Environ(), asAtoll+"=1"), env...)
	c.Stdout, c.Stderr = &c.stdout, &c.stderr
	return c
}

// code runs the command and returns its exit code.
func (c *command) code(t *testing.T) int {
	t.Helper()
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode()
}

const smallCase = `
solver = "shallow-water"
[mesh]
generate = "rectangle"
bounds = [-5, -5, 5, 5]
cells = 1800
[physics]
density_ratio = 0.5
[initial]
depth = "6"
h1 = "sqrt(x*x + y*y) > 1.5 ? 4.0 : 0.5"
h2 = "depth - h1"
[time]
end = 0.2
[output]
every = 0.05
dir = "out"
[[gauge]]
name = "centre"
at = [0.1, 0.2]
`

func caseFile(t *testing.T, text string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "case.toml"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

func readSummary(t *testing.T, path string) summary.Summary {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var s summary.Summary
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRunOverProcesses(t *testing.T) {
	dir := caseFile(t, smallCase)
	for _, args := range [][]string{
		{"--out", "one"},
		{"--out", "four", "--ranks", "4", "--transport", "grpc"},
	} {
		c := atoll(t, dir, nil, append([]string{"run", "case.toml"}, args...)...)
		if code := c.code(t); code != 0 {
			t.Fatalf("%v: exit code %d\n%s", args, code, c.stderr.String())
		}
		for _, want := range []string{"state", "cell updates a second"} {
			if !strings.Contains(c.stdout.String(), want) {
				t.Errorf("%v: no %q in the output:\n%s", args, want, c.stdout.String())
			}
		}
	}
	one, four := readSummary(t, filepath.Join(dir, "one", "summary.json")),
		readSummary(t, filepath.Join(dir, "four", "summary.json"))
	if one.StateSHA256 != four.StateSHA256 || len(one.StateSHA256) != 64 {
		t.Errorf("state %s on one rank, %s on four ranks", one.StateSHA256, four.StateSHA256)
	}
	if four.Ranks != 4 || four.Transport != "grpc" {
		t.Errorf("summary has %d ranks over %s, want 4 over grpc", four.Ranks, four.Transport)
	}
	a, _ := os.ReadFile(filepath.Join(dir, "one", "gauges", "centre.csv"))
	b, _ := os.ReadFile(filepath.Join(dir, "four", "gauges", "centre.csv"))
	if len(a) == 0 || !bytes.Equal(a, b) {
		t.Errorf("the gauge differs: %d bytes on one rank, %d on four", len(a), len(b))
	}
	c := atoll(t, dir, nil, "plot", "four")
	if code := c.code(t); code != 0 {
		t.Fatalf("plot: exit code %d\n%s", code, c.stderr.String())
	}
	for _, f := range strings.Fields(c.stdout.String()) {
		if info, err := os.Stat(filepath.Join(dir, f)); err != nil || info.Size() < 1000 {
			t.Errorf("%s is missing or too small for a picture: %v", f, err)
		}
	}
}

func TestMeshCommands(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"generate a.msh --bounds 0,0,2,1 --cells 400", 0, "a.msh: 400 cells"},
		{"generate s.vtu --bounds 0,0,0,1,1,1 --cells 200", 0, "s.vtu: "},
		{"convert a.msh b.vtu --orient", 0, "b.vtu: 400 cells"},
		{"info b.vtu", 0, "400 cells"},
		{"reorder b.vtu c.msh --order gps", 0, "c.msh: 400 cells"},
		{"reorder c.msh --order all", 0, "hilbert:"},
		{"partition c.msh d.vtu -n 3 --cut rcb", 0, "d.vtu: 400 cells"},
		{"info d.vtu", 0, "cell field \"rank\""},
		{"convert d.vtu d.meshb", 0, "not kept, since the file format cannot represent it: field \"rank\""},
		{"convert s.vtu s.mesh", 0, "s.mesh: "},
		{"convert missing.msh b.stl", 2, "b.stl: meshes are written to"},
		{"convert missing.msh no/b.msh", 2, "no/b.msh cannot be written: "},
		{"generate b.stl", 2, "b.stl: meshes are written to"},
		{"reorder c.msh d.msh --order all", 2, "none is written"},
		{"partition c.msh d.msh --cut all", 2, "none is written"},
	} {
		ran := atoll(t, dir, nil, append([]string{"mesh"}, strings.Fields(c.args)...)...)
		if code := ran.code(t); code != c.code || !strings.Contains(ran.stdout.String()+ran.stderr.String(), c.want) {
			t.Errorf("%s: exit code %d, want %d and %q\n%s%s", c.args, code, c.code, c.want, ran.stdout.String(),
				ran.stderr.String())
		}
	}
}
