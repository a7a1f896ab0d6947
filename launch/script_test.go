package launch

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestSlurmScript compares scripts with those in testdata. ATOLL_WRITE_GOLDEN=1 writes testdata anew: read the changes.
func TestSlurmScript(t *testing.T) {
	for name, config := range map[string]SlurmConfig{
		"cpu.sbatch": {
			Program: "/opt/atoll/bin/atoll", Case: "dam-break.toml", Nodes: 2, Tasks: 8, CPUsPerTask: 16, Time: "1-12:00:00",
			Partition: "standard", Args: []string{"--set", "initial.h1=x > 0 ? 'a' : 4", "--out", "/scratch/dam-break"},
		},
		"gpu.sbatch":    {Program: "atoll", Case: "cases/harbour at night.toml", Nodes: 3, GPUsPerNode: 4, CPUsPerTask: 8},
		"uneven.sbatch": {Program: "atoll", Case: "dam-break.toml", Nodes: 2, Tasks: 3, CPUsPerTask: 1, Time: "90"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := SlurmScript(config)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", name)
			if os.Getenv("ATOLL_WRITE_GOLDEN") != "" {
				if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if bash, err := exec.LookPath("bash"); err == nil {
				if out, err := exec.Command(bash, "-n", path).CombinedOutput(); err != nil {
					t.Errorf("bash: %v\n%s", err, out)
				}
			}
		})
	}
}

func TestSlurmScriptRefuses(t *testing.T) {
	good := SlurmConfig{Program: "atoll", Case: "a.toml", Nodes: 2, Tasks: 4, CPUsPerTask: 1}
	if _, err := SlurmScript(good); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		change func(*SlurmConfig)
		want   string
	}{
		{func(c *SlurmConfig) { c.Case = "" }, "case"},
		{func(c *SlurmConfig) { c.Program = "" }, "program"},
		{func(c *SlurmConfig) { c.Nodes = 0 }, "--nodes 0"},
		{func(c *SlurmConfig) { c.Nodes = 1 << 40 }, "--nodes"},
		{func(c *SlurmConfig) { c.Tasks = 0 }, "--ntasks is missing"},
		{func(c *SlurmConfig) { c.Tasks = 1 }, "--ntasks 1 on 2 nodes"},
		{func(c *SlurmConfig) { c.Tasks = -4 }, "--ntasks -4"},
		{func(c *SlurmConfig) { c.GPUsPerNode = 4 }, "want 8, one rank per GPU"},
		{func(c *SlurmConfig) { c.GPUsPerNode = -1 }, "--gpus-per-node -1"},
		{func(c *SlurmConfig) { c.CPUsPerTask = 0 }, "--cpus-per-task 0"},
		{func(c *SlurmConfig) { c.Time = "soon" }, `--time "soon"`},
		{func(c *SlurmConfig) { c.Time = "1:2:3:4" }, "--time"},
		{func(c *SlurmConfig) { c.Time = "10\n#SBATCH --nodes=99" }, "--time"},
		{func(c *SlurmConfig) { c.Partition = "a b" }, "--partition"},
		{func(c *SlurmConfig) { c.Case = "a\nrm.toml" }, "control character"},
		{func(c *SlurmConfig) { c.Args = []string{"\x1b"} }, "control character"},
	} {
		c := good
		test.change(&c)
		script, err := SlurmScript(c)
		if script != "" || err == nil || !strings.Contains(err.Error(), test.want) || ExitCode(err) != 2 {
			t.Errorf("%+v: got error %v, want one with %q", c, err, test.want)
		}
	}
}

// The shell reads a quoted word as one word with the same characters.
func TestShellWord(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell")
	}
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringOf(rapid.SampledFrom([]rune(`ab' "$\`+"`"+`*?~!#&;|<>(){}[]=%`))), 1, 20).Draw(t,
			"words")
		script := `printf '%s\n' `
		for _, w := range words {
			script += " " + shellWord(w)
		}
		out, err := exec.Command(sh, "-c", script).CombinedOutput()
		if want := strings.Join(words, "\n") + "\n"; err != nil || string(out) != want {
			t.Fatalf("%s: got %q, want %q", script, out, want)
		}
	})
}
