package launch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// All tasks of a step derive the same directory, and other steps another one.
func TestTasksDeriveSameDirectory(t *testing.T) {
	users := map[string]string{} // coordinator → name of the test
	for _, test := range []struct {
		name string
		env  map[string]string
	}{
		{"task", with(step, "TMPDIR=/scratch")},
		{"another step", with(step, "TMPDIR=/scratch", "SLURM_STEP_ID=4")},
		{"another job", with(step, "TMPDIR=/scratch", "SLURM_JOB_ID=18")},
		{"requeued job", with(step, "TMPDIR=/scratch", "SLURM_RESTART_COUNT=1")},
		{"no TMPDIR", step},
	} {
		var first Environment
		for rank, id := range []string{"0", "1"} {
			p, err := detect(lookupIn(with(test.env, "SLURM_PROCID="+id)))
			if err != nil {
				t.Fatalf("%s: %v", test.name, err)
			}
			if rank == 0 {
				first = p
			} else if p.Coordinator != first.Coordinator || p.Sockets != first.Sockets {
				t.Errorf("%s: rank 1 has coordinator %s, rank 0 %s", test.name, p.Coordinator, first.Coordinator)
			}
		}
		if other, taken := users[first.Coordinator]; taken {
			t.Errorf("%s and %s have the same coordinator %s", test.name, other, first.Coordinator)
		}
		users[first.Coordinator] = test.name
	}
	for _, parent := range []string{"relative", "/" + strings.Repeat("long", 30)} {
		p, err := detect(lookupIn(with(step, "TMPDIR="+parent)))
		if err != nil || filepath.Dir(p.Sockets) != "/tmp" {
			t.Errorf("TMPDIR=%s: %v, %v", parent, p, err)
		}
	}
}

func TestOpenSockets(t *testing.T) {
	p := Environment{Launcher: Slurm, Rank: 1, Size: 2, Job: "17.3", Nodes: 1, Sockets: filepath.Join(t.TempDir(), "s")}
	closeFirst, err := OpenSockets(p)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(p.Sockets); err != nil || info.Mode() != os.ModeDir|0o700 {
		t.Error(info, err)
	}
	closeSecond, err := OpenSockets(p) // the other task, later
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.Sockets, "r0.sock"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, close := range []func() error{closeFirst, closeSecond} {
		if err := close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(p.Sockets); !os.IsNotExist(err) {
		t.Errorf("%s was not removed", p.Sockets)
	}
}

// Other users can derive the name too, so OpenSockets does not trust a directory that exists.
func TestOpenSocketsRefusesUnsafePaths(t *testing.T) {
	for name, prepare := range map[string]func(path string) error{
		"open to all": func(path string) error {
			if err := os.Mkdir(path, 0o755); err != nil {
				return err
			}
			return os.Chmod(path, 0o777)
		},
		"a link":           func(path string) error { return os.Symlink(os.TempDir(), path) },
		"a file":           func(path string) error { return os.WriteFile(path, nil, 0o700) },
		"no parent folder": func(path string) error { return os.Remove(filepath.Dir(path)) },
		"another user's folder": func(path string) error {
			if os.Getuid() != 0 {
				t.Skip("only root can change the owner of a folder")
			}
			if err := os.Mkdir(path, 0o700); err != nil {
				return err
			}
			return os.Chown(path, 12345, 12345)
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := Environment{Launcher: Slurm, Size: 2, Job: "17.3", Nodes: 1, Sockets: filepath.Join(t.TempDir(), "d", "s")}
			if err := os.Mkdir(filepath.Dir(p.Sockets), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := prepare(p.Sockets); err != nil {
				t.Fatal(err)
			}
			if _, err := OpenSockets(p); err == nil || !strings.Contains(err.Error(), "TMPDIR") {
				t.Errorf("got %v, want an error that mentions TMPDIR", err)
			}
		})
	}
}
