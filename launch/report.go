package launch

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
)

// Report is a file that a failing worker writes for its supervisor, in addition to its exit code.
type Report struct {
	Rank  int    `json:"rank"`            // the rank that failed: the worker itself, or one whose failure it detected
	Lost  bool   `json:"lost"`            // the rank died or stopped answering
	Fault bool   `json:"fault,omitempty"` // a file could not be written or read: it may be possible later
	Text  string `json:"text"`            // the error
}

// WriteReport writes the report of a worker for its supervisor. In processes that are not workers it does nothing.
func (p Environment) WriteReport(r Report) error {
	if p.Epoch == 0 || p.Sockets == "" {
		return nil
	}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return atomicfile.Write(reportFile(p.Sockets, p.Rank), func(f *atomicfile.File) error {
		_, err := f.Write(text)
		return err
	})
}

func reportFile(dir string, rank int) string {
	return filepath.Join(dir, fmt.Sprintf("r%d.json", rank))
}

// readReport reads the report of a worker. It returns nil if the worker wrote none, or an unreadable one.
func readReport(dir string, rank int) *Report {
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
