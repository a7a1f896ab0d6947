package run

import (
	"errors"
	"fmt"

	"github.com/atoll-hpc/atoll/run/folder"
	"github.com/atoll-hpc/atoll/run/summary"
	"github.com/atoll-hpc/atoll/run/watch"
)

// description describes the run to viewers.
func (r *runner) description() watch.About {
	c := r.Case
	a := watch.About{
		Case: c.Name, Title: c.Title, Solver: c.Solver, Unit: r.size.Unit, Ranks: r.Comm.Size(),
		Threads: r.Device.Threads(), Transport: r.Transport, Backend: r.Device.Name(), Halo: r.size.Halo,
		Precision: r.size.Precision, Version: summary.Version(), Sweeps: r.size.Sweeps, Run: r.progressRange(),
	}
	if f := r.view.Picture(); f != nil {
		a.PictureOf, a.PictureUnit, a.PictureDoc = f.Name, f.Unit, f.Doc
	}
	return a
}

// restartText describes the checkpoint from which the run continues, and why the earlier run ended.
func (r *runner) restartText() string {
	why := "was killed, or its machine failed"
	if r.origin.previous == folder.Stopped {
		why = "was stopped"
	}
	return fmt.Sprintf("continues %s, because the earlier run %s", r.timeText(r.origin.position.Clock.Time), why)
}

// reportEnd shows viewers how the run ended.
func (r *runner) reportEnd(err error) {
	var stopped *Stopped
	switch {
	case err == nil:
		r.Watch.End("done")
	case errors.As(err, &stopped):
		r.Watch.End(stopped.Error())
	default:
		r.Watch.End("failed: " + err.Error())
	}
}
