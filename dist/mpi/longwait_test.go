//go:build mpi && cgo

package mpi

import (
	"bytes"
	"context"
	"testing"

	"github.com/atoll-hpc/atoll/dist"
)

// A long message that is not received yet keeps its bytes, however many other messages are sent before.
func TestRankReceivesLongMessageLate(t *testing.T) {
	needRank(t)
	c, ctx := newComms(t)[0], context.Background()
	dest, source := (c.Rank()+1)%c.Size(), (c.Rank()+c.Size()-1)%c.Size()
	post := func(r dist.Request, err error) dist.Request {
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	wait := func(reqs ...dist.Request) {
		if err := c.Wait(ctx, reqs); err != nil {
			t.Fatal(err)
		}
	}
	const n = 2 * shortBytes
	early := post(c.Isend(ctx, dest, 1, bytes.Repeat([]byte{1}, n)))
	for range 1<<15 - 1 { // the least number of tags in the MPI standard: body tags may repeat after it
		wait(post(c.Irecv(ctx, source, 2, nil)), post(c.Isend(ctx, dest, 2, nil)))
	}
	late := post(c.Isend(ctx, dest, 3, bytes.Repeat([]byte{3}, n)))
	for _, tag := range []int{3, 1} {
		got := make([]byte, n)
		wait(post(c.Irecv(ctx, source, tag, got)))
		if want := bytes.Repeat([]byte{byte(tag)}, n); !bytes.Equal(got, want) {
			t.Errorf("the message with tag %d has bytes %d, want %d", tag, got[0], tag)
		}
	}
	wait(early, late)
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
