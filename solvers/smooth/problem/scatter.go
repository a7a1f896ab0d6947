package problem

import (
	"bytes"
	"context"
	"encoding/gob"
	"fmt"
	"unsafe"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers/common/decompose"
	"github.com/atoll-hpc/atoll/solvers/smooth"
)

// rankShare is what a rank of a smoothing run starts from.
type rankShare struct {
	Part            *smooth.Part      // of triangles, or
	Solid           *smooth.SolidPart // of tetrahedra
	Bounds          smooth.Bounds     // of the mesh, or
	Box             smooth.Box        // in space
	Vertices, Cells int64             // of the mesh
	Crowded         int               // vertices that stay, since they have too many neighbours
	Nodal           *nodalMetric      // nil for metrics that a rank makes from the case alone

	Patch  *smooth.Patch // of triangles, to be arranged as a Part
	Layout smooth.LayoutOptions
}

// scatterShares gives every rank its share. Only rank 0 passes them, and makes one at a time.
func scatterShares(ctx context.Context, comm dist.Comm, share func(rank int) rankShare) (rankShare, error) {
	if comm.Rank() == 0 {
		for r := 1; r < comm.Size(); r++ {
			s := share(r)
			body, err := s.encode()
			if err != nil {
				return rankShare{}, err
			}
			if err := decompose.Send(ctx, comm, r, body); err != nil {
				return rankShare{}, err
			}
		}
		return share(0), nil
	}
	body, err := decompose.Receive(ctx, comm)
	if err != nil {
		return rankShare{}, err
	}
	var s rankShare
	if err := s.decode(body); err != nil {
		return s, fmt.Errorf("the part that rank 0 sent: %w", err)
	}
	return s, nil
}

// large lists the arrays that travel as raw bytes behind a gob of the rest, which takes numbers one by one.
func (s *rankShare) large() []block {
	var all []block
	if p := s.Part; p != nil {
		all = append(all, rawOf(&p.X), rawOf(&p.Y), rawOf(&p.Rings), rawOf(&p.More), rawOf(&p.Rails), rawOf(&p.Cells),
			rawOf(&p.CellGlobal), rawOf(&p.Edges))
	}
	if p := s.Solid; p != nil {
		all = append(all, rawOf(&p.X), rawOf(&p.Y), rawOf(&p.Z), rawOf(&p.Spans), rawOf(&p.Near), rawOf(&p.Sides),
			rawOf(&p.Frames), rawOf(&p.Cells), rawOf(&p.CellGlobal), rawOf(&p.Edges), rawOf(&p.Skin))
	}
	if p := s.Patch; p != nil {
		all = append(all, rawOf(&p.Global), rawOf(&p.Owner), rawOf(&p.X), rawOf(&p.Y), rawOf(&p.Cells),
			rawOf(&p.CellGlobal), rawOf(&p.CellGroup), rawOf(&p.Tagged))
	} else {
		d := s.subdomain()
		all = append(all, rawOf(&d.Global), rawOf(&d.Clusters))
	}
	if n := s.Nodal; n != nil {
		all = append(all, rawOf(&n.X[0]), rawOf(&n.X[1]), rawOf(&n.X[2]), rawOf(&n.Cells), rawOf(&n.At))
	}
	return all
}

// block is a slice of plain numbers.
type block struct {
	count int
	width int
	bytes func() []byte
	make  func(count int)
	clear func()
}

func rawOf[S ~[]T, T any](s *S) block {
	var t T
	width := int(unsafe.Sizeof(t))
	return block{
		count: len(*s), width: width,
		bytes: func() []byte {
			if len(*s) == 0 {
				return nil
			}
			return unsafe.Slice((*byte)(unsafe.Pointer(&(*s)[0])), len(*s)*width)
		},
		make:  func(n int) { *s = make([]T, n) },
		clear: func() { *s = nil },
	}
}

func (s *rankShare) encode() ([]byte, error) {
	var counts []int
	total := 0
	for _, b := range s.large() {
		counts = append(counts, b.count)
		total += b.count * b.width
	}
	light := *s
	if s.Part != nil {
		part := *s.Part
		light.Part = &part
	}
	if s.Solid != nil {
		part := *s.Solid
		light.Solid = &part
	}
	if s.Patch != nil {
		patch := *s.Patch
		light.Patch = &patch
	}
	if s.Nodal != nil {
		n := *s.Nodal
		light.Nodal = &n
	}
	for _, b := range light.large() {
		b.clear()
	}
	var out bytes.Buffer
	e := gob.NewEncoder(&out)
	if err := e.Encode(light); err != nil {
		return nil, err
	}
	if err := e.Encode(counts); err != nil {
		return nil, err
	}
	out.Grow(total)
	for _, b := range s.large() {
		out.Write(b.bytes())
	}
	return out.Bytes(), nil
}

func (s *rankShare) decode(body []byte) error {
	r := bytes.NewReader(body)
	d := gob.NewDecoder(r)
	if err := d.Decode(s); err != nil {
		return err
	}
	var counts []int
	if err := d.Decode(&counts); err != nil {
		return err
	}
	kinds := 0
	for _, there := range []bool{s.Part != nil, s.Solid != nil, s.Patch != nil} {
		if there {
			kinds++
		}
	}
	if kinds != 1 {
		return fmt.Errorf("it has %d kinds of part instead of 1", kinds)
	}
	blocks := s.large()
	if len(counts) != len(blocks) {
		return fmt.Errorf("%d arrays instead of %d", len(counts), len(blocks))
	}
	total := 0
	for i, n := range counts {
		if n < 0 || n > r.Len()/blocks[i].width {
			return fmt.Errorf("array %d of %d elements in %d bytes", i, n, r.Len())
		}
		total += n * blocks[i].width
	}
	if total != r.Len() {
		return fmt.Errorf("%d bytes where its arrays take %d", r.Len(), total)
	}
	for i, n := range counts {
		if n == 0 {
			continue
		}
		blocks[i].make(n)
		if _, err := r.Read(blocks[i].bytes()); err != nil {
			return err
		}
	}
	return nil
}
