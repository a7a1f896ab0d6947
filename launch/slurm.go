package launch

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
)

// slurmStep reads what Slurm says of the step that this process is a task of. Older releases set fewer variables, so
// none of them is required here; Choose refuses what cannot be done without.
func (e *envReader) slurmStep(p *Environment) {
	for _, name := range []string{"PMIX_RANK", "PMI_RANK", "PMI_FD"} {
		p.PMI = p.PMI || e.has(name)
	}
	for _, name := range []string{"SLURM_STEP_NUM_NODES", "SLURM_NNODES"} {
		if e.has(name) {
			p.Nodes = e.number(name, 1, maxSize)
			break
		}
	}
	if !e.has("SLURM_JOB_ID") || !e.has("SLURM_STEP_ID") {
		return
	}
	job := e.number("SLURM_JOB_ID", 0, math.MaxUint32)
	p.Job = fmt.Sprintf("%d.%d", job, e.number("SLURM_STEP_ID", 0, math.MaxUint32))
	if p.Nodes != 1 {
		return
	}
	// Every task works out the same name by itself. A job that was requeued keeps its number, and the sockets of a
	// task that was killed keep their place.
	name := fmt.Sprintf("atoll-%d-%s", os.Getuid(), p.Job)
	if e.has("SLURM_RESTART_COUNT") {
		name += fmt.Sprintf("-%d", e.number("SLURM_RESTART_COUNT", 0, math.MaxUint32))
	}
	parent := e.text("TMPDIR")
	if !filepath.IsAbs(parent) || len(parent)+1+len(name) > maxDirectory {
		parent = "/tmp"
	}
	p.Sockets = filepath.Join(parent, name)
	p.Coordinator = "unix:" + filepath.Join(p.Sockets, "c.sock")
}

// OpenSockets makes the directory in which the ranks that srun has started on this node meet, or finds that another
// of them has made it. The directory belongs to this user, and nobody else may enter it; one that was there before
// and is not like that is refused. close removes it: call it when the rank has left the run, or has failed. For other
// launchers there is nothing to do.
func OpenSockets(p Environment) (close func() error, err error) {
	if p.Launcher != Slurm || p.Sockets == "" {
		return func() error { return nil }, nil
	}
	if err := os.Mkdir(p.Sockets, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("launch: the directory for the sockets of job %s: %w; set TMPDIR to one that is writable",
			p.Job, err)
	}
	info, err := os.Lstat(p.Sockets)
	if err != nil {
		return nil, fmt.Errorf("launch: the directory for the sockets of job %s: %w", p.Job, err)
	}
	if info.Mode() != fs.ModeDir|0o700 || !ownedByUser(info) {
		return nil, fmt.Errorf("launch: %s is %v, and not a directory of this user's with mode 0700: remove it, or set "+
			"TMPDIR to a directory of your own", p.Sockets, info.Mode())
	}
	return func() error { return os.RemoveAll(p.Sockets) }, nil
}
