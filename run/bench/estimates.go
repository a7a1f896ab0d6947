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
	var limit float64
	p.StringArrayVar(&u.sets, "set", nil, "override a key of each case, as in --set time.end=10; may be repeated")
	p.IntVar(&ranks, "ranks", 1, "number of ranks")
	p.IntVar(&threads, "threads", 0, "threads of each rank; 0 shares the cores among the ranks")
	p.Float64Var(&limit, "limit", 0, "run each case under a GOMEMLIMIT of so many times the memory estimated; 0 for none")
	return func(ctx context.Context, m *Machine) (err error) {
		if err := u.begin(m); err != nil {
			return err
		}
		u.more = []string{fmt.Sprint("--ranks=", ranks), fmt.Sprint("--threads=", threads)}
		m.Begin(false)
		const row = "%-24s %20s %11s %6s %11s %11s %11s %11s %11s %20s %9s\n"
		fmt.Fprintf(m.Out, row, "case", "arrays of a rank", "there are", "off", "on device", "copies", "made", "memory",
			"taken", "time estimate", "taken")
		for _, path := range m.Args {
			told, took, host, err := u.compare(ctx, path, limit)
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			device, copies, made, off, span := "-", "-", "-", "-", "-"
			there := took.ArrayBytes
			if took.DeviceBytes > 0 { // of all ranks, which share a case evenly
				there = took.DeviceBytes / int64(ranks)
				device = words.Bytes(there)
				copies, made = words.Bytes(told.CopyBytes), words.Bytes(took.CopyBytes/int64(ranks))
			}
			if told.ArrayBytes > 0 {
				off = fmt.Sprintf("%+.1f%%", 100*(float64(told.ArrayBytes)/float64(there)-1))
			}
			if len(told.Wall) == 2 {
				span = words.DurationSpan(told.Wall[0], told.Wall[1])
			}
			fmt.Fprintf(m.Out, row, filepath.Base(path), words.Bytes(told.ArrayBytes), words.Bytes(took.ArrayBytes), off, device,
				copies, made, words.Bytes(told.HostBytes), words.Bytes(host), span, words.Duration(took.Wall))
		}
		return nil
	}
}

// compare checks a case and runs it, where limit is not 0 under a GOMEMLIMIT of so many times the memory estimated.
func (u *users) compare(ctx context.Context, path string, limit float64) (told summary.Estimate,
	took summary.Summary, host int64, err error) {
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
	if limit > 0 && told.HostBytes > 0 {
		u.env = []string{fmt.Sprintf("GOMEMLIMIT=%d", int64(limit*float64(told.HostBytes)))}
	}
	took, host, err = u.run(ctx, path)
	u.env = nil
	return told, took, host, err
}
