package dist

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
)

// Parcel is a message to a rank, or from one, of any length.
type Parcel struct {
	Rank  int // to which it goes; of a parcel that has arrived, from which it came
	Bytes []byte
}

// Route sends parcels to any ranks, which do not know that they come, and returns those that are for this rank: by the
// rank from which they came, and those of one rank in the order in which it passed them. It is a collective. For each
// halving of the ranks, ⌈log₂ P⌉ in all, a rank sends at most 2 messages and receives at most 4, whatever the parcels
// are; for that, each parcel travels over up to as many ranks: the crystal router of G. Fox et al. ("Solving problems
// on concurrent processors", 1988, chapter 22), for any number of ranks. Bytes of parcels that have arrived share
// memory. tag is that of the messages, which no others have at that time.
func Route(ctx context.Context, comm Comm, tag int, parcels []Parcel) ([]Parcel, error) {
	me, size := comm.Rank(), comm.Size()
	here := make([]travelling, len(parcels))
	for k, p := range parcels {
		if p.Rank < 0 || p.Rank >= size {
			return nil, fmt.Errorf("a parcel goes to rank %d of %d", p.Rank, size)
		}
		here[k] = travelling{from: me, to: p.Rank, bytes: p.Bytes}
	}
	for lo, hi := 0, size; hi-lo > 1; {
		middle := lo + (hi-lo)/2
		r := round{comm: comm, tag: tag}
		below := me < middle
		if below {
			r.to, r.from = middle+me-lo, []int{middle + me - lo}
			if me == middle-1 && middle-lo < hi-middle { // the last rank above has no other partner
				r.from = append(r.from, hi-1)
			}
		} else {
			if r.to = lo + me - middle; r.to < middle {
				r.from = []int{r.to}
			} else {
				r.to = middle - 1
			}
		}
		arrived, kept, err := r.exchange(ctx, here, func(p *travelling) bool { return p.to < middle == below })
		if err != nil {
			return nil, err
		}
		if here = append(kept, arrived...); below {
			hi = middle
		} else {
			lo = middle
		}
	}
	return byOrigin(here, size), nil
}

// travelling is a parcel on its way.
type travelling struct {
	from, to int
	bytes    []byte
}

// byOrigin sorts parcels by the rank from which they came, without changing the order of those of one rank: they have
// travelled together.
func byOrigin(here []travelling, size int) []Parcel {
	first := make([]int, size+1)
	for _, p := range here {
		first[p.from+1]++
	}
	for rank := range size {
		first[rank+1] += first[rank]
	}
	sorted := make([]Parcel, len(here))
	for _, p := range here {
		sorted[first[p.from]] = Parcel{Rank: p.from, Bytes: p.bytes}
		first[p.from]++
	}
	return sorted
}

// round is one halving of the ranks, in which a rank sends all that is for the other half to one rank there.
type round struct {
	comm Comm
	tag  int
	to   int
	from []int
}

// Lengths in the messages of a round: each parcel follows its origin, its destination and its length.
const parcelHead, roundHead = 16, 8

// exchange sends the parcels that do not stay, and returns those that have arrived and those that stay.
func (r *round) exchange(ctx context.Context, here []travelling, stays func(p *travelling) bool) (arrived,
	kept []travelling, err error) {
	length := 0
	for k := range here {
		if !stays(&here[k]) {
			length += parcelHead + len(here[k].bytes)
		}
	}
	out := make([]byte, 0, length)
	for k := range here {
		p := &here[k]
		if stays(p) {
			kept = append(kept, *p)
			continue
		}
		out = binary.LittleEndian.AppendUint32(out, uint32(p.from))
		out = binary.LittleEndian.AppendUint32(out, uint32(p.to))
		out = binary.LittleEndian.AppendUint64(out, uint64(len(p.bytes)))
		out = append(out, p.bytes...)
	}
	var sends, requests []Request
	g := Gathering{Comm: r.comm, Tag: r.tag}
	head := binary.LittleEndian.AppendUint64(nil, uint64(len(out)))
	err = post(&sends)(r.comm.Isend(ctx, r.to, r.tag, head))
	if err == nil && len(out) > 0 {
		err = post(&sends)(r.comm.Isend(ctx, r.to, r.tag, out))
	}
	heads := make([]byte, roundHead*len(r.from))
	for k, rank := range r.from {
		if err == nil {
			err = post(&requests)(r.comm.Irecv(ctx, rank, r.tag, heads[roundHead*k:][:roundHead]))
		}
	}
	err = g.wait(ctx, requests, err)
	requests = requests[:0]
	var in [][]byte
	for k, rank := range r.from {
		if n := binary.LittleEndian.Uint64(heads[roundHead*k:]); err == nil && n > 0 {
			in = append(in, make([]byte, n))
			err = post(&requests)(r.comm.Irecv(ctx, rank, r.tag, in[len(in)-1]))
		}
	}
	err = g.wait(ctx, requests, err)
	if err = g.wait(ctx, sends, err); err != nil {
		return nil, nil, err
	}
	for _, message := range in {
		if arrived, err = unpackParcels(arrived, message, r.comm.Size()); err != nil {
			return nil, nil, err
		}
	}
	return arrived, kept, nil
}

// unpackParcels appends the parcels of a message.
func unpackParcels(to []travelling, message []byte, size int) ([]travelling, error) {
	for len(message) > 0 {
		if len(message) < parcelHead {
			return nil, errors.New("a message of parcels is too short")
		}
		p := travelling{from: int(binary.LittleEndian.Uint32(message)), to: int(binary.LittleEndian.Uint32(message[4:]))}
		n := binary.LittleEndian.Uint64(message[8:])
		if message = message[parcelHead:]; n > uint64(len(message)) || p.from >= size || p.to >= size {
			return nil, errors.New("a message of parcels is damaged")
		}
		p.bytes, message = message[:n:n], message[n:]
		to = append(to, p)
	}
	return to, nil
}
