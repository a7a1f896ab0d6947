package launch

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
)

// Report is what a worker that fails leaves for its supervisor, beside its exit code.
type Report struct {
	Rank int    `json:"rank"` // whose failure it is: the worker's own rank, or another one that it followed
	Lost bool   `json:"lost"` // that rank died or stopped answering
	Text string `json:"text"` // why
}

// LeaveReport leaves a report where the supervisor of a worker looks for it; others tell nobody.
func (p Environment) LeaveReport(r Report) error {
	if p.Epoch == 0 || p.Sockets == "" {
		return nil
	}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return atomicfile.Write(reportFile(p.Sockets, p.Rank), func(f *os.File) error {
		_, err := f.Write(text)
		return err
	})
}

func reportFile(dir string, rank int) string {
	return filepath.Join(dir, fmt.Sprintf("r%d.json", rank))
}

// reported reads what a worker has left, nil if nothing.
func reported(dir string, rank int) *Report {
	text, err := os.ReadFile(reportFile(dir, rank))
	if err != nil {
		return nil
	}
	r := new(Report)
	if json.Unmarshal(text, r) != nil {
		return nil
	}
	return r
}
