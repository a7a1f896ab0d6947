package decompose

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/gob"
	"fmt"
	"unsafe"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/mesh"
)

// Scatter gives every rank its part. Only rank 0 passes a decomposition.
func Scatter(ctx context.Context, comm dist.Comm, d *Decomposition) (*mesh.Part, *halo.Plan, error) {
	if comm.Rank() != 0 {
		return receive(ctx, comm)
	}
	var myPart *mesh.Part
	var myPlan *halo.Plan
	err := d.Each(func(rank int, part *mesh.Part, plan *halo.Plan) error {
		if rank == 0 {
			myPart, myPlan = part, plan
			return nil
		}
		return Send(ctx, comm, rank, packet{Part: part, Plan: plan}.encode())
	})
	return myPart, myPlan, err
}

// partTag keeps parts apart from other messages.
const partTag = 2

// Send gives a rank its part, in bytes.
func Send(ctx context.Context, comm dist.Comm, to int, body []byte) error {
	var size [8]byte
	binary.LittleEndian.PutUint64(size[:], uint64(len(body)))
	a, err := comm.Isend(ctx, to, partTag, size[:])
	if err != nil {
		return err
	}
	b, err := comm.Isend(ctx, to, partTag, body)
	if err != nil {
		return err
	}
	return comm.Wait(ctx, []dist.Request{a, b})
}

// Receive returns what rank 0 has sent to this rank.
func Receive(ctx context.Context, comm dist.Comm) ([]byte, error) {
	var size [8]byte
	if err := fetch(ctx, comm, size[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint64(size[:])
	const most = 1 << 36
	if n > most {
		return nil, fmt.Errorf("rank 0 announced a part of %d bytes: more than %d is refused", n, int64(most))
	}
	body := make([]byte, n)
	return body, fetch(ctx, comm, body)
}

func receive(ctx context.Context, comm dist.Comm) (*mesh.Part, *halo.Plan, error) {
	body, err := Receive(ctx, comm)
	if err != nil {
		return nil, nil, err
	}
	p, err := decode(body)
	if err != nil {
		return nil, nil, fmt.Errorf("the part that rank 0 sent: %w", err)
	}
	return p.Part, p.Plan, nil
}

func fetch(ctx context.Context, comm dist.Comm, buf []byte) error {
	r, err := comm.Irecv(ctx, 0, partTag, buf)
	if err != nil {
		return err
	}
	return comm.Wait(ctx, []dist.Request{r})
}

// packet is what travels. Its large arrays go as raw bytes behind a gob of the rest: gob takes numbers one by one.
type packet struct {
	Part *mesh.Part
	Plan *halo.Plan
}

// arrays lists the large arrays of a part as bytes, in a fixed order; sizes gives their lengths when they are made.
func arrays(p *mesh.Part) [][]byte {
	return [][]byte{view(p.X), view(p.Y), view(p.Cells), view(p.Global), view(p.Neighbour)}
}

func (p packet) encode() []byte {
	var b bytes.Buffer
	raw := arrays(p.Part)
	sizes := []int{len(p.Part.X), len(p.Part.Y), len(p.Part.Cells), len(p.Part.Global), len(p.Part.Neighbour)}
	light := *p.Part
	light.X, light.Y, light.Cells, light.Global, light.Neighbour = nil, nil, nil, nil, nil
	head := packet{Part: &light, Plan: p.Plan}
	e := gob.NewEncoder(&b)
	for _, v := range []any{head, sizes} {
		if err := e.Encode(v); err != nil {
			panic(err) // the types are ours and gob can encode them
		}
	}
	for _, r := range raw {
		b.Write(r)
	}
	return b.Bytes()
}

func decode(body []byte) (packet, error) {
	var p packet
	var sizes []int
	r := bytes.NewReader(body)
	d := gob.NewDecoder(r)
	if err := d.Decode(&p); err != nil {
		return p, err
	}
	if err := d.Decode(&sizes); err != nil {
		return p, err
	}
	if p.Part == nil || p.Plan == nil || len(sizes) != 5 {
		return p, fmt.Errorf("it has no part or no plan, or %d arrays instead of 5", len(sizes))
	}
	width := []int{8, 8, 12, 4, 12}
	total := 0
	for i, n := range sizes {
		if n < 0 || n > r.Len()/width[i] {
			return p, fmt.Errorf("array %d of %d elements in %d bytes", i, n, r.Len())
		}
		total += n * width[i]
	}
	if total != r.Len() {
		return p, fmt.Errorf("%d bytes where its arrays take %d", r.Len(), total)
	}
	q := p.Part
	q.X, q.Y = make([]float64, sizes[0]), make([]float64, sizes[1])
	q.Cells, q.Global, q.Neighbour = make([][3]int32, sizes[2]), make([]int32, sizes[3]), make([][3]int32, sizes[4])
	for _, a := range arrays(q) {
		if _, err := r.Read(a); err != nil && len(a) > 0 {
			return p, err
		}
	}
	return p, nil
}

// view is a slice of plain numbers as bytes.
func view[T any](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0])))
}
