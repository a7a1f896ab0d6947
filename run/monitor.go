package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/run/folder"
	"github.com/atoll-hpc/atoll/run/summary"
	"github.com/atoll-hpc/atoll/run/watch"
	"github.com/atoll-hpc/atoll/solvers"
)

// monitor is what ranks need to show the run.
type monitor struct {
	field, where  *solvers.Field // of the picture, and of where there is none of what it is of; nil for none
	plane         *watch.Plane   // nil before the first picture
	previousState folder.State   // of the run from which this one goes on
}

// about is what is told of the run at its start.
func (r *runner) about() watch.About {
	c := r.Case
	r.monitor.field, r.monitor.where = r.pictureField()
	a := watch.About{
		Case: c.Name, Title: c.Title, Solver: c.Solver, Unit: r.size.Unit, Ranks: r.Comm.Size(),
		Threads: r.Device.Threads(), Transport: r.Transport, Backend: r.Device.Name(), Halo: r.size.Halo,
		Precision: r.size.Precision, Version: summary.Version(), Sweeps: r.size.Sweeps, Run: r.progressRange(),
	}
	if f := r.monitor.field; f != nil {
		a.PictureOf, a.PictureUnit, a.Of = f.Name, f.Unit, f.Doc
	}
	return a
}

// pictureField is the field of which there are pictures: the first that the case writes and that lies on cells.
func (r *runner) pictureField() (field, where *solvers.Field) {
	all := slices.Concat(r.builder.fields, r.builder.all)
	for i := range all {
		f := &all[i]
		if f.Space.Geometry == nil || f.Space.Format != "vtu" && f.Space.Format != "vti" {
			continue
		}
		if masks := solvers.Named(r.builder.all, []string{f.Mask}); len(masks) > 0 && masks[0].Space == f.Space {
			where = &masks[0]
		}
		return f, where
	}
	return nil, nil
}

// monitorShare is what a rank has to show, as it travels: a line of JSON, and then the colours of pixels.
type monitorShare struct {
	Phases  map[string]float64
	Picture *watch.Part
	Took    time.Duration // by the rank itself, without waiting for others
}

// show tells rank 0 what each rank has. All ranks call it at the same moments.
func (r *runner) show(ctx context.Context, now solvers.Clock, want watch.Want) error {
	if want == watch.WantNothing {
		return nil
	}
	begin := time.Now()
	defer func() { r.output += time.Since(begin) }()
	mine := monitorShare{Phases: r.solver.Phases()}
	mine.Phases["output"] = r.output.Seconds()
	var scale watch.Scale
	var along watch.Along
	// A frame that is being written may hold the geometry.
	drawing := slices.ContainsFunc(r.frames, func(f *frames) bool { return f.pending != nil })
	if want == watch.WantPicture && r.monitor.field != nil && !drawing {
		var err error
		if mine.Picture, scale, along, err = r.part(ctx, &mine.Took); err != nil {
			return err
		}
	}
	text, err := json.Marshal(mine)
	if err != nil {
		return err
	}
	text = append(text, '\n')
	if mine.Picture != nil {
		text = append(text, mine.Picture.Colours...)
	}
	all, err := r.Comm.Gatherv(ctx, 0, text)
	if err != nil || r.Watch == nil {
		return err
	}
	return r.publishShares(all, now, scale, along)
}

// publishShares hands what all ranks have to those who look.
func (r *runner) publishShares(all [][]byte, now solvers.Clock, scale watch.Scale, along watch.Along) error {
	var phases []map[string]float64
	var parts []watch.Part
	took := time.Duration(0)
	for rank, bytesOf := range all {
		line, colours, _ := bytes.Cut(bytesOf, []byte{'\n'})
		var s monitorShare
		if err := json.Unmarshal(line, &s); err != nil {
			return &dist.PeerError{Rank: rank, Err: err}
		}
		phases, took = append(phases, s.Phases), max(took, s.Took)
		if s.Picture != nil {
			s.Picture.Colours = bytes.Clone(colours)
			parts = append(parts, *s.Picture)
		}
	}
	r.Watch.Took(took)
	r.Watch.Phases(phases)
	if len(parts) > 0 {
		r.Watch.Show(*r.monitor.plane, parts, scale, along, now)
	}
	return nil
}

// part is what this rank has of a picture of the state as it is. What it takes by itself is added to took.
func (r *runner) part(ctx context.Context, took *time.Duration) (p *watch.Part, s watch.Scale, a watch.Along,
	err error) {
	begin := time.Now()
	f := r.monitor.field
	g, err := f.Space.Geometry(ctx)
	if err == nil {
		err = r.layOutPlane(ctx, g)
	}
	if err != nil || r.monitor.field == nil {
		return nil, s, a, err
	}
	values, err := r.pictureValues(ctx)
	if err != nil {
		return nil, s, a, err
	}
	plane := r.monitor.plane
	switch {
	case !plane.Space:
	case f.MaxDistance > 0:
		a = watch.Smallest
	case g.Block != nil:
		a = watch.Largest
	}
	var t *watch.Tile
	if g.Mesh != nil {
		t = plane.Mesh(g.Mesh, values)
	} else {
		t = plane.Block(g.Block, values, a)
	}
	var ends [2]float64
	ends[0], ends[1] = t.Ends()
	*took += time.Since(begin)
	if err := r.Comm.AllreduceFloat64(ctx, dist.Min, ends[:]); err != nil {
		return nil, s, a, err
	}
	begin = time.Now()
	s = watch.NewScale(ends[0], -ends[1], f.Range)
	p = &watch.Part{X: t.X, Y: t.Y, W: t.W, H: t.H, Colours: s.Colours(t)}
	*took += time.Since(begin)
	return p, s, a, nil
}

// layOutPlane lays out the pictures before the first. Where there is nothing to see there will be none.
func (r *runner) layOutPlane(ctx context.Context, g solvers.Geometry) error {
	if r.monitor.plane != nil {
		return nil
	}
	b := watch.Bounds(g)
	if err := r.Comm.AllreduceFloat64(ctx, dist.Min, b[:]); err != nil {
		return err
	}
	p, err := watch.NewPlane(b, g)
	if err != nil { // on all ranks alike
		r.warn("no picture of %s: %v", r.monitor.field.Name, err)
		r.monitor.field = nil
		return nil
	}
	r.monitor.plane = &p
	return nil
}

// pictureValues are those of the picture's field, of vectors their lengths: watch.Masked where there is none of what
// the field is of.
func (r *runner) pictureValues(ctx context.Context) ([]float64, error) {
	f := r.monitor.field
	values, err := f.Read(ctx)
	if err != nil {
		return nil, err
	}
	numbers, n := make([]float64, f.Space.Owned), len(f.Numbers())
	for i := range numbers {
		v := values[i*n]
		for _, w := range values[i*n+1 : (i+1)*n] {
			v = math.Hypot(v, w)
		}
		if v-v != 0 {
			v = math.NaN()
		}
		numbers[i] = v
	}
	if r.monitor.where == nil {
		return numbers, nil
	}
	there, err := r.monitor.where.Read(ctx)
	for i, v := range there {
		if v <= 0 && err == nil {
			numbers[i] = watch.Masked
		}
	}
	return numbers, err
}

// showEnd shows the state at the end of the run, if somebody looks.
func (r *runner) showEnd(ctx context.Context, now solvers.Clock) error {
	if !r.Watched {
		return nil
	}
	want := []int64{0}
	if r.Watch != nil {
		want[0] = int64(r.Watch.WantsEnd())
	}
	if err := r.Comm.AllreduceInt64(ctx, dist.Max, want); err != nil {
		return err
	}
	return r.show(ctx, now, watch.Want(want[0]))
}

// restarted tells that the run continues, and why an earlier one did not.
func (r *runner) restarted() string {
	why := "was ended by force, or its machine was"
	if r.monitor.previousState == folder.Stopped {
		why = "was stopped"
	}
	return fmt.Sprintf("continues %s, since the run before it %s", r.timeText(r.from.time), why)
}

// reportEnd tells those who look how the run ended.
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
