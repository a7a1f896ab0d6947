package dist

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
)

const (
	longestRouted = 2 << 10 // bytes of a parcel: with more, copies on ⌈log₂ P⌉ ranks take longer than a message of its own
	pieceBytes    = 8 << 20 // of the longest message of Exchange and Broadcast
)

// Exchange is Route for parcels of any length: long ones are announced by Route, and then go directly, in messages of
// up to 8 MiB. So a rank sends at most 2⌈log₂ P⌉ messages besides those with its long parcels. Bytes of parcels to the
// rank itself are not copied.
func Exchange(ctx context.Context, comm Comm, tag int, parcels []Parcel) ([]Parcel, error) {
	me := comm.Rank()
	routed := make([]Parcel, 0, len(parcels))
	var long, own []Parcel
	for _, p := range parcels {
		head := binary.LittleEndian.AppendUint64(make([]byte, 0, 8), uint64(len(p.Bytes)))
		switch {
		case p.Rank == me:
			own = append(own, p)
			continue
		case len(p.Bytes) > longestRouted:
			long = append(long, p)
		default:
			head = append(head, p.Bytes...)
		}
		routed = append(routed, Parcel{Rank: p.Rank, Bytes: head})
	}
	arrived, err := Route(ctx, comm, tag, routed)
	if err != nil {
		return nil, err
	}
	var requests []Request
	g := Gathering{Comm: comm, Tag: tag}
	for k := range arrived {
		p := &arrived[k]
		if len(p.Bytes) < 8 {
			err = errors.New("a parcel has no length")
			break
		}
		length := binary.LittleEndian.Uint64(p.Bytes)
		if p.Bytes = p.Bytes[8:]; length <= longestRouted {
			continue
		}
		p.Bytes = make([]byte, length)
		for piece := range slices.Chunk(p.Bytes, pieceBytes) {
			if err == nil {
				err = post(&requests)(comm.Irecv(ctx, p.Rank, tag, piece))
			}
		}
	}
	for _, p := range long {
		for piece := range slices.Chunk(p.Bytes, pieceBytes) {
			if err == nil {
				err = post(&requests)(comm.Isend(ctx, p.Rank, tag, piece))
			}
		}
	}
	if err = g.wait(ctx, requests, err); err != nil {
		return nil, err
	}
	before := slices.IndexFunc(arrived, func(p Parcel) bool { return p.Rank > me })
	if before < 0 {
		before = len(arrived)
	}
	return slices.Insert(arrived, before, own...), nil
}
