package pending

import (
	"context"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/dist"
)

// A queue behaves as a slice does.
func TestQueueAgainstASlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q, other Queue
		var model []*Op
		remove := func(i int) *Op {
			o := model[i]
			model = slices.Delete(model, i, i+1)
			return o
		}
		expect := func(got *Op, i int) {
			if i < 0 && got != nil || i >= 0 && got != remove(i) {
				t.Fatalf("the queue returned another operation than the slice")
			}
		}
		foreign := &Op{}
		other.Push(foreign)
		for n := range rapid.IntRange(1, 60).Draw(t, "steps") {
			key := rapid.IntRange(0, 4).Draw(t, "key")
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0, 1:
				o := &Op{Message: Message{Tag: key}, ID: uint64(n)}
				q.Push(o)
				model = append(model, o)
			case 2:
				expect(q.Match(key), slices.IndexFunc(model, func(o *Op) bool { return o.Tag == key }))
			case 3:
				expect(q.Pop(), min(len(model), 1)-1)
			case 4:
				id := uint64(rapid.IntRange(0, 60).Draw(t, "id"))
				expect(q.MatchID(id), slices.IndexFunc(model, func(o *Op) bool { return o.ID == id }))
			case 5:
				if q.Remove(foreign) {
					t.Fatal("an operation of another queue was removed")
				}
				if len(model) > 0 {
					o := remove(key % len(model))
					if !q.Remove(o) || q.Remove(o) {
						t.Fatal("an operation is not removed exactly once")
					}
				}
			}
		}
		for len(model) > 0 {
			expect(q.Pop(), 0)
		}
		expect(q.Pop(), -1)
	})
}

type owner struct{ withdrawn []int }

func (o *owner) Cause() error { return errDown }
func (o *owner) Withdraw(op *Op) bool {
	o.withdrawn = append(o.withdrawn, op.Tag)
	return true
}

var errDown = errors.New("down")

func TestWaitCancelsRemainingOperations(t *testing.T) {
	failed := errors.New("failed")
	down := make(chan struct{})
	close(down)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for name, c := range map[string]struct {
		ctx       context.Context
		down      chan struct{}
		end       map[int]error // of the operations that end
		want      error
		remaining []int
	}{
		"all end":  {context.Background(), down, map[int]error{0: nil, 1: nil, 2: nil}, nil, nil},
		"failure":  {context.Background(), nil, map[int]error{0: nil, 1: failed}, failed, []int{2}},
		"context":  {ended, nil, map[int]error{0: nil}, context.Canceled, []int{1, 2}},
		"run down": {context.Background(), down, map[int]error{}, errDown, []int{0, 1, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			var table Table
			var reqs []dist.Request
			for tag := range 3 {
				o, r := table.Post(Message{Send: true, Peer: 1, Tag: tag})
				if err, ends := c.end[tag]; ends {
					o.Complete(err)
				}
				reqs = append(reqs, r)
			}
			var o owner
			if err := table.Wait(c.ctx, reqs, c.down, &o); !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
				t.Errorf("Wait returned %v, want %v", err, c.want)
			}
			if !slices.Equal(o.withdrawn, c.remaining) {
				t.Errorf("withdrew %v, want %v", o.withdrawn, c.remaining)
			}
			for _, r := range reqs {
				if err := table.Wait(c.ctx, []dist.Request{r}, nil, &o); err != ErrRequest {
					t.Errorf("a second Wait returned %v", err)
				}
			}
		})
	}
}

func TestUnknownRequests(t *testing.T) {
	var table Table
	for _, r := range []dist.Request{0, 1, 1 << 32, 1<<64 - 1} {
		if err := table.Wait(context.Background(), []dist.Request{r}, nil, &owner{}); err != ErrRequest {
			t.Errorf("request %d: %v", r, err)
		}
	}
}
