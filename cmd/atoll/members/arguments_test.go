package members

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestWorkersHaveKnownArguments: a supervisor starts atoll run with the flags of a worker, and nothing else that a
// launcher on another machine may ask for; addresses and certificates are its own.
func TestWorkersHaveKnownArguments(t *testing.T) {
	for args, want := range map[string]string{
		"run c.toml": "run c.toml",
		"run c.toml --transport grpc --set time.end=2 --set output.dir=--force --quiet --out o": "run c.toml --transport " +
			"grpc --set time.end=2 --set output.dir=--force --quiet --out o",
		"run c.toml --listen 0.0.0.0:7000 --insecure --certs /etc --announce evil:1 --restart": "run c.toml --restart",
		"": "", "run": "", "run -h": "", "launch c.toml": "", "replay out --quiet": "", "run c.toml d.toml": "",
		"run c.toml --places 0.0.0.0:1": "", "run c.toml --log-file=/etc/passwd": "", "run c.toml --out=o": "",
		"run c.toml -q": "", "run c.toml --out": "", "run c.toml --": "", "run c.toml --quiet x": "",
	} {
		got, err := workerArguments(strings.Fields(args))
		if strings.Join(got, " ") != want || (err == nil) != (want != "") {
			t.Errorf("%q: got %q, %v, want %q", args, got, err, want)
		}
	}
	if args, err := workerArguments([]string{"run", "", "--quiet"}); err == nil {
		t.Errorf("an empty case file: %q", args)
	}
}

// TestUserSecret: processes that ask at the same time get the same secret; a file that others can read, or an
// incomplete one, is refused.
func TestUserSecret(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "secret")
	secrets := make([]string, 8)
	var tasks sync.WaitGroup
	for i := range secrets {
		tasks.Go(func() {
			var err error
			if secrets[i], err = userSecret(path); err != nil {
				t.Error(err)
			}
		})
	}
	tasks.Wait()
	if slices.Sort(secrets); secrets[0] == "" || secrets[0] != secrets[7] {
		t.Errorf("got secrets %q", secrets)
	}
	files, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	if err != nil || len(files) != 1 {
		t.Errorf("files %q, %v", files, err)
	}
	for _, c := range []struct {
		text string
		mode os.FileMode
		want string
	}{{secrets[0], 0o644, "other users can read"}, {secrets[0], 0o620, "other users can read"},
		{"short", 0o600, "damaged"}, {"", 0o600, "damaged"}} {
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, c.mode); err != nil {
			t.Fatal(err)
		}
		if _, err := userSecret(path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q with mode %04o: %v", c.text, c.mode, err)
		}
	}
}

// TestRankTokens: the token that ranks send is neither that of the job nor that of another epoch.
func TestRankTokens(t *testing.T) {
	if got := RankToken("", 7); got != "" {
		t.Errorf("without a token: %q", got)
	}
	if a, b := RankToken("secret", 1), RankToken("secret", 2); a == b || strings.Contains(a+b, "secret") || len(a) < 32 {
		t.Errorf("tokens %q and %q", a, b)
	}
}
