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

// monitor is what a rank needs for the live view of the run.
type monitor struct {
	field, mask   *solvers.Field // the field in the picture, and the one that masks it; nil for none
	plane         *watch.Plane   // the view plane; nil before the first picture
	previousState folder.State   // state of the run that this one continues
}

// description describes the run to viewers.
func (r *runner) description() watch.About {
	c := r.Case
	r.monitor.field, r.monitor.mask = r.pictureField()
	a := watch.About{
		Case: c.Name, Title: c.Title, Solver: c.Solver, Unit: r.size.Unit, Ranks: r.Comm.Size(),
		Threads: r.Device.Threads(), Transport: r.Transport, Backend: r.Device.Name(), Halo: r.size.Halo,
		Precision: r.size.Precision, Version: summary.Version(), Sweeps: r.size.Sweeps, Run: r.progressRange(),
	}
	if f := r.monitor.field; f != nil {
		a.PictureOf, a.PictureUnit, a.PictureDoc = f.Name, f.Unit, f.Doc
	}
	return a
}

// pictureField returns the field shown in pictures, the first one on cells that the case writes, and the field that
// masks it.
func (r *runner) pictureField() (field, mask *solvers.Field) {
	candidates := slices.Concat(r.builder.fields, r.builder.allFields)
	for i := range candidates {
		f := &candidates[i]
		if f.Space.Geometry == nil || f.Space.Format != "vtu" && f.Space.Format != "vti" {
			continue
		}
		if masks := solvers.Named(r.builder.allFields, []string{f.Mask}); len(masks) > 0 && masks[0].Space == f.Space {
			mask = &masks[0]
		}
		return f, mask
	}
	return nil, nil
}

// rankView is one rank's part of the view. It is sent as a line of JSON, followed by the colours of the pixels.
type rankView struct {
	Phases      map[string]float64
	Picture     *watch.Part
	ComputeTime time.Duration // computing time of the rank, without waiting for others
	MeasureTime time.Duration // time of MeasureView, with waiting
}

// sendView sends the view of all ranks to rank 0. All ranks call it at the same steps.
func (r *runner) sendView(ctx context.Context, now solvers.Clock, want watch.Want) error {
	if want == watch.WantNothing {
		return nil
	}
	begin := time.Now()
	defer func() { r.outputTime += time.Since(begin) }()
	view := rankView{Phases: r.solver.Phases()}
	view.Phases["output"] = r.outputTime.Seconds()
	var scale watch.Scale
	var projection watch.Projection
	var err error
	if want == watch.WantPicture && r.monitor.field != nil {
		if view.Picture, scale, projection, err = r.picturePart(ctx, &view.ComputeTime); err != nil {
			return err
		}
	}
	if view.MeasureTime, err = r.measureView(ctx, want); err != nil {
		return err
	}
	text, err := json.Marshal(view)
	if err != nil {
		return err
	}
	text = append(text, '\n')
	if view.Picture != nil {
		text = append(text, view.Picture.Colours...)
	}
	messages, err := r.Comm.Gatherv(ctx, 0, text)
	if err != nil || r.Watch == nil {
		return err
	}
	return r.publishView(messages, now, scale, projection)
}

// measureView measures, with each picture, the quantities that rows of tables lack, and returns how long that took.
func (r *runner) measureView(ctx context.Context, want watch.Want) (time.Duration, error) {
	s, ok := r.solver.(solvers.ViewMeasurer)
	if !ok || want != watch.WantPicture {
		return 0, nil
	}
	begin := time.Now()
	list, err := s.MeasureView(ctx)
	if err == nil {
		r.Watch.SetViewQuantities(list)
	}
	return time.Since(begin), err
}

// publishView combines the parts of all ranks and passes them to the server.
func (r *runner) publishView(messages [][]byte, now solvers.Clock, scale watch.Scale,
	projection watch.Projection) error {
	var phases []map[string]float64
	var parts []watch.Part
	computeTime, measureTime := time.Duration(0), time.Duration(math.MaxInt64)
	for rank, message := range messages {
		line, colours, _ := bytes.Cut(message, []byte{'\n'})
		var s rankView
		if err := json.Unmarshal(line, &s); err != nil {
			return &dist.PeerError{Rank: rank, Err: err}
		}
		phases, computeTime = append(phases, s.Phases), max(computeTime, s.ComputeTime)
		measureTime = min(measureTime, s.MeasureTime) // of the rank that waited least
		if s.Picture != nil {
			s.Picture.Colours = bytes.Clone(colours)
			parts = append(parts, *s.Picture)
		}
	}
	r.Watch.SetAnswerTime(computeTime + measureTime)
	r.Watch.SetPhases(phases)
	if len(parts) > 0 {
		r.Watch.Show(*r.monitor.plane, parts, scale, projection, now)
	}
	return nil
}

// picturePart computes this rank's part of a picture of the current state. It adds its computing time to
// computeTime.
func (r *runner) picturePart(ctx context.Context, computeTime *time.Duration) (p *watch.Part, s watch.Scale,
	projection watch.Projection,
	err error) {
	begin := time.Now()
	f := r.monitor.field
	g, err := f.Space.Geometry(ctx)
	if err == nil {
		err = r.setUpPlane(ctx, g)
	}
	if err != nil || r.monitor.field == nil {
		return nil, s, projection, err
	}
	values, err := r.pictureValues(ctx)
	if err != nil {
		return nil, s, projection, err
	}
	plane := r.monitor.plane
	switch {
	case !plane.ThreeD:
	case f.MaxDistance > 0:
		projection = watch.SmallestAlongZ
	case g.Block != nil:
		projection = watch.LargestAlongZ
	}
	var t *watch.Tile
	if g.Mesh != nil {
		t = plane.Mesh(g.Mesh, values)
	} else {
		t = plane.Block(g.Block, values, projection)
	}
	var limits [2]float64
	limits[0], limits[1] = t.Limits()
	*computeTime += time.Since(begin)
	if err := r.Comm.AllreduceFloat64(ctx, dist.Min, limits[:]); err != nil {
		return nil, s, projection, err
	}
	begin = time.Now()
	s = watch.NewScale(limits[0], -limits[1], f.Range)
	p = &watch.Part{X: t.X, Y: t.Y, W: t.W, H: t.H, Colours: s.Colours(t)}
	*computeTime += time.Since(begin)
	return p, s, projection, nil
}

// setUpPlane chooses the view plane, once. If there is nothing to show, pictures are switched off.
func (r *runner) setUpPlane(ctx context.Context, g solvers.Geometry) error {
	if r.monitor.plane != nil {
		return nil
	}
	b := watch.Bounds(g)
	if err := r.Comm.AllreduceFloat64(ctx, dist.Min, b[:]); err != nil {
		return err
	}
	p, err := watch.NewPlane(b, g)
	if err != nil { // the same on all ranks
		r.warn("no picture of %s: %v", r.monitor.field.Name, err)
		r.monitor.field = nil
		return nil
	}
	r.monitor.plane = &p
	return nil
}

// pictureValues returns the values of the picture's field, for vectors their lengths, and watch.Masked where the mask
// is not positive.
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
		if math.IsInf(v, 0) { // shown like NaN
			v = math.NaN()
		}
		numbers[i] = v
	}
	if r.monitor.mask == nil {
		return numbers, nil
	}
	mask, err := r.monitor.mask.Read(ctx)
	for i, v := range mask {
		if v <= 0 && err == nil {
			numbers[i] = watch.Masked
		}
	}
	return numbers, err
}

// sendFinalView shows the final state, if the run has viewers.
func (r *runner) sendFinalView(ctx context.Context, now solvers.Clock) error {
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
	return r.sendView(ctx, now, watch.Want(want[0]))
}

// restartText describes the checkpoint from which the run continues, and why the earlier run ended.
func (r *runner) restartText() string {
	why := "was killed, or its machine failed"
	if r.monitor.previousState == folder.Stopped {
		why = "was stopped"
	}
	return fmt.Sprintf("continues %s, because the earlier run %s", r.timeText(r.resumeFrom.time), why)
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
