package launch

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
)

// slurmStep reads Slurm's variables of this task's job step. Older releases of Slurm set fewer variables, so none is
// required here; Choose returns an error if the transport needs a missing one.
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
	// Every task derives the same name. The name has the restart count because a requeued job keeps its number, and
	// sockets of killed tasks may remain in the directory.
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

// OpenSockets makes the directory for the sockets of the ranks that srun has started on this node, unless another of
// these ranks has made it. It returns an error if the directory belongs to another user or others may enter it. close
// removes the directory: call it when the rank has left the run or has failed. For other launchers OpenSockets and
// close do nothing.
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
		return nil, fmt.Errorf("launch: %s has mode %v: want a directory of this user with mode 0700; remove it, or set "+
			"TMPDIR to a directory of your own", p.Sockets, info.Mode())
	}
	return func() error { return os.RemoveAll(p.Sockets) }, nil
}
