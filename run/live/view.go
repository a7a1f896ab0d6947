// Package live gathers, from all ranks, what the live view of a run shows.
package live

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"slices"
	"time"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/run/recorder"
	"github.com/atoll-hpc/atoll/run/watch"
	"github.com/atoll-hpc/atoll/solvers"
)

// View is the recorder of the live view: it sends what viewers of a run want to see to rank 0, whose server shows it.
type View struct {
	recorder.Base
	run         *recorder.Run
	server      *watch.Server                    // on rank 0; nil on other ranks
	warn        func(format string, args ...any) // receives warnings
	want        watch.Want
	field, mask *solvers.Field // the field in the picture, and the one that masks it; nil for none
	plane       *watch.Plane   // the view plane; nil before the first picture
}

// New returns the recorder of the live view of a run.
func New(run *recorder.Run, server *watch.Server, warn func(format string, args ...any)) *View {
	v := &View{Base: recorder.NewBase("live view", recorder.Schedule{AtPolls: true}), run: run, server: server,
		warn: warn}
	v.field, v.mask = v.pictureField()
	return v
}

// Picture returns the field that pictures show; nil for none.
func (v *View) Picture() *solvers.Field { return v.field }

// pictureField returns the field shown in pictures, the first one on cells that the case writes, and the field that
// masks it.
func (v *View) pictureField() (field, mask *solvers.Field) {
	candidates := slices.Concat(v.run.Written, v.run.Fields)
	for i := range candidates {
		f := &candidates[i]
		if f.Space.Geometry == nil || f.Space.Format != "vtu" && f.Space.Format != "vti" {
			continue
		}
		if masks := solvers.Named(v.run.Fields, []string{f.Mask}); len(masks) > 0 && masks[0].Space == f.Space {
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

// Send sends the view of all ranks to rank 0, as far as viewers want it. All ranks call it at the same steps.
func (v *View) Send(ctx context.Context, now solvers.Clock, want watch.Want) error {
	v.want = want
	return v.Write(ctx, now, false)
}

// Write implements recorder.Recorder. It shows the last state to those who still look.
func (v *View) Write(ctx context.Context, now solvers.Clock, last bool) error {
	want := v.want
	if last {
		reduced := []int64{0}
		if v.server != nil {
			reduced[0] = int64(v.server.WantsEnd())
		}
		if err := v.run.Comm.AllreduceInt64(ctx, dist.Max, reduced); err != nil {
			return err
		}
		want = watch.Want(reduced[0])
	}
	if want == watch.WantNothing {
		return nil
	}
	defer v.run.Timed()()
	view := rankView{Phases: v.run.Solver.Phases()}
	view.Phases["output"] = v.run.Spent().Seconds()
	var scale watch.Scale
	var projection watch.Projection
	var err error
	if want == watch.WantPicture && v.field != nil {
		if view.Picture, scale, projection, err = v.picturePart(ctx, &view.ComputeTime); err != nil {
			return err
		}
	}
	if view.MeasureTime, err = v.measureView(ctx, want); err != nil {
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
	messages, err := v.run.Comm.Gatherv(ctx, 0, text)
	if err != nil || v.server == nil {
		return err
	}
	return v.publish(messages, now, scale, projection)
}

// measureView measures, with each picture, the quantities that rows of tables lack, and returns how long that took.
func (v *View) measureView(ctx context.Context, want watch.Want) (time.Duration, error) {
	s, ok := v.run.Solver.(solvers.ViewMeasurer)
	if !ok || want != watch.WantPicture {
		return 0, nil
	}
	begin := time.Now()
	list, err := s.MeasureView(ctx)
	if err == nil {
		v.server.SetViewQuantities(list)
	}
	return time.Since(begin), err
}

// publish combines the parts of all ranks and passes them to the server.
func (v *View) publish(messages [][]byte, now solvers.Clock, scale watch.Scale,
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
	v.server.SetAnswerTime(computeTime + measureTime)
	v.server.SetPhases(phases)
	if len(parts) > 0 {
		v.server.Show(*v.plane, parts, scale, projection, now)
	}
	return nil
}

// picturePart computes this rank's part of a picture of the current state. It adds its computing time to
// computeTime.
func (v *View) picturePart(ctx context.Context, computeTime *time.Duration) (p *watch.Part, s watch.Scale,
	projection watch.Projection,
	err error) {
	begin := time.Now()
	f := v.field
	g, err := f.Space.Geometry(ctx)
	if err == nil {
		err = v.setUpPlane(ctx, g)
	}
	if err != nil || v.field == nil {
		return nil, s, projection, err
	}
	values, err := v.pictureValues(ctx)
	if err != nil {
		return nil, s, projection, err
	}
	plane := v.plane
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
	if err := v.run.Comm.AllreduceFloat64(ctx, dist.Min, limits[:]); err != nil {
		return nil, s, projection, err
	}
	begin = time.Now()
	s = watch.NewScale(limits[0], -limits[1], f.Range)
	p = &watch.Part{X: t.X, Y: t.Y, W: t.W, H: t.H, Colours: s.Colours(t)}
	*computeTime += time.Since(begin)
	return p, s, projection, nil
}

// setUpPlane chooses the view plane, once. If there is nothing to show, pictures are switched off.
func (v *View) setUpPlane(ctx context.Context, g solvers.Geometry) error {
	if v.plane != nil {
		return nil
	}
	b := watch.Bounds(g)
	if err := v.run.Comm.AllreduceFloat64(ctx, dist.Min, b[:]); err != nil {
		return err
	}
	p, err := watch.NewPlane(b, g)
	if err != nil { // the same on all ranks
		v.warn("no picture of %s: %v", v.field.Name, err)
		v.field = nil
		return nil
	}
	v.plane = &p
	return nil
}

// pictureValues returns the values of the picture's field, for vectors their lengths, and watch.Masked where the mask
// is not positive.
func (v *View) pictureValues(ctx context.Context) ([]float64, error) {
	f := v.field
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
	if v.mask == nil {
		return numbers, nil
	}
	mask, err := v.mask.Read(ctx)
	for i, v := range mask {
		if v <= 0 && err == nil {
			numbers[i] = watch.Masked
		}
	}
	return numbers, err
}
