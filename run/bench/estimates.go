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
		Short: "Estimates of memory and time by --check, compared with actual runs"})
}

func estimates(p *pflag.FlagSet) func(ctx context.Context, m *Machine) error {
	var u userRuns
	var threads int
	var limit float64
	p.StringArrayVar(&u.sets, "set", nil, "override a key of each case, as in --set time.end=10; may be repeated")
	p.IntVar(&u.ranks, "ranks", 1, "number of ranks")
	p.IntVar(&threads, "threads", 0, "threads of each rank; 0 shares the cores among the ranks")
	p.Float64Var(&limit, "limit", 0, "run each case with a GOMEMLIMIT of this multiple of the estimated memory; 0 for "+
		"none")
	return func(ctx context.Context, m *Machine) (err error) {
		if err := u.begin(m); err != nil {
			return err
		}
		u.extraArgs = []string{fmt.Sprint("--threads=", threads)}
		m.PrintHeader(false)
		const row = "%-24s %20s %11s %6s %11s %11s %11s %11s %11s %20s %9s\n"
		fmt.Fprintf(m.Out, row, "case", "arrays of a rank", "actual", "error", "on device", "copies",
			"actual", "memory", "actual", "time estimate", "actual")
		for _, path := range m.Args {
			estimate, actual, host, err := u.compare(ctx, path, limit)
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			device, copies, actualCopies, deviation, span := "-", "-", "-", "-", "-"
			arrays := actual.ArrayBytes
			if actual.DeviceBytes > 0 { // sum over ranks, which have about the same share
				arrays = actual.DeviceBytes / int64(u.ranks)
				device = words.Bytes(arrays)
				copies, actualCopies = words.Bytes(estimate.CopyBytes), words.Bytes(actual.CopyBytes/int64(u.ranks))
			}
			if estimate.ArrayBytes > 0 {
				deviation = fmt.Sprintf("%+.1f%%", 100*(float64(estimate.ArrayBytes)/float64(arrays)-1))
			}
			if len(estimate.Wall) == 2 {
				span = words.DurationSpan(estimate.Wall[0], estimate.Wall[1])
			}
			fmt.Fprintf(m.Out, row, filepath.Base(path), words.Bytes(estimate.ArrayBytes), words.Bytes(actual.ArrayBytes),
				deviation, device, copies, actualCopies,
				words.Bytes(estimate.HostBytes), words.Bytes(host), span, words.Duration(actual.Wall))
		}
		return nil
	}
}

// compare checks a case and then runs it. If limit is not 0, the run has a GOMEMLIMIT of limit times the estimated
// memory. host is the peak memory of the run in bytes.
func (u *userRuns) compare(ctx context.Context, path string, limit float64) (estimate summary.Estimate,
	actual summary.Summary, host int64, err error) {
	if u.dir, err = os.MkdirTemp("", "atoll-bench-"); err != nil {
		return estimate, actual, 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(u.dir)) }()
	checked, _, err := u.run(ctx, path, "--check")
	if err != nil {
		return estimate, actual, 0, err
	}
	if checked.Estimate != nil {
		estimate = *checked.Estimate
	}
	if limit > 0 && estimate.HostBytes > 0 {
		u.env = []string{fmt.Sprintf("GOMEMLIMIT=%d", int64(limit*float64(estimate.HostBytes)))}
	}
	actual, host, err = u.run(ctx, path)
	u.env = nil
	return estimate, actual, host, err
}
