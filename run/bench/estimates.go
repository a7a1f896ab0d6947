package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/atoll-hpc/atoll/internal/words"
	"github.com/atoll-hpc/atoll/run/summary"
)

func init() {
	Register(Benchmark{Name: "estimates", New: estimates, Args: []string{"CASE.toml..."},
		Short: "Memory and time that a check of cases estimates, beside what their runs take"})
}

func estimates(p *pflag.FlagSet) func(ctx context.Context, m *Machine) error {
	var u users
	var ranks, threads int
	p.StringArrayVar(&u.sets, "set", nil, "override a key of each case, as in --set time.end=10; may be repeated")
	p.IntVar(&ranks, "ranks", 1, "number of ranks")
	p.IntVar(&threads, "threads", 0, "threads of each rank; 0 shares the cores among the ranks")
	return func(ctx context.Context, m *Machine) (err error) {
		if err := u.begin(m); err != nil {
			return err
		}
		u.more = []string{fmt.Sprint("--ranks=", ranks), fmt.Sprint("--threads=", threads)}
		m.Begin(false)
		const row = "%-24s %20s %11s %6s %11s %11s %11s %20s %9s\n"
		fmt.Fprintf(m.Out, row, "case", "arrays of a rank", "there are", "", "on device", "memory", "taken", "time estimate",
			"taken")
		for _, path := range m.Args {
			told, took, host, err := u.compare(ctx, path)
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			device, off, span := "-", "-", "-"
			if took.DeviceBytes > 0 {
				device = words.Bytes(took.DeviceBytes)
			}
			if told.ArrayBytes > 0 {
				off = fmt.Sprintf("%+.1f%%", 100*(float64(told.ArrayBytes)/float64(took.ArrayBytes)-1))
			}
			if len(told.Wall) == 2 {
				span = words.DurationSpan(told.Wall[0], told.Wall[1])
			}
			fmt.Fprintf(m.Out, row, filepath.Base(path), words.Bytes(told.ArrayBytes), words.Bytes(took.ArrayBytes), off, device,
				words.Bytes(told.HostBytes), words.Bytes(host), span, words.Duration(took.Wall))
		}
		return nil
	}
}

// compare checks a case and runs it.
func (u *users) compare(ctx context.Context, path string) (told summary.Estimate, took summary.Summary, host int64,
	err error) {
	if u.dir, err = os.MkdirTemp("", "atoll-bench-"); err != nil {
		return told, took, 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(u.dir)) }()
	checked, _, err := u.run(ctx, path, "--check")
	if err != nil {
		return told, took, 0, err
	}
	if checked.Estimate != nil {
		told = *checked.Estimate
	}
	took, host, err = u.run(ctx, path)
	return told, took, host, err
}
