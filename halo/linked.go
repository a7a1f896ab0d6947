package halo

import (
	"context"
	"errors"
	"fmt"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
)

// Linked exchanges ghosts between the devices of the ranks, without the host.
type Linked[T any] struct {
	*packer[T]
	*link
	shared     bool // another one ends the links
	send, recv []backend.Message
}

// link is a rank's end of the links, and a goroutine that ends them when a rank is lost.
type link struct {
	links   backend.DeviceComm
	stop    context.CancelFunc
	watched chan struct{}
}

// never is the tag of a message that is waited for and never sent.
const never = 1<<20 + 1

// NewLinked connects the devices of all ranks, which call it together. It returns nil and why not if one of them
// cannot: if it has no library for it, or two ranks share a device.
func NewLinked[T any](ctx context.Context, plan *Plan, comm dist.Comm,
	dev backend.Device) (x *Linked[T], why string, err error) {
	mine := ""
	if plan.Owned == 0 {
		mine = "it has no cells"
	}
	l, why, err := newLink(ctx, comm, dev, mine)
	if err != nil || why != "" {
		return nil, why, err
	}
	p, err := newPacker[T](plan, dev)
	if err != nil {
		return nil, "", errors.Join(err, l.close())
	}
	return newLinked(p, l), "", nil
}

func newLinked[T any](p *packer[T], l *link) *Linked[T] {
	x := &Linked[T]{packer: p, link: l}
	for _, peer := range p.plan.Peers {
		if len(peer.Send) > 0 {
			x.send = append(x.send, backend.Message{Peer: peer.Rank})
		}
		if peer.Lo < peer.Hi {
			x.recv = append(x.recv, backend.Message{Peer: peer.Rank})
		}
	}
	return x
}

// alongside prepares exchanges of other elements, by a plan, over the links of x. It is to be closed before x.
func alongside[U, T any](x *Linked[T], plan *Plan) (*Linked[U], error) {
	p, err := newPacker[U](plan, x.dev)
	if err != nil {
		return nil, err
	}
	other := newLinked(p, x.link)
	other.shared = true
	return other, nil
}

// newLink connects the devices of all ranks, unless one of them cannot. mine says why this rank cannot, beyond what its
// device says of itself.
func newLink(ctx context.Context, comm dist.Comm, dev backend.Device, mine string) (l *link, why string, err error) {
	linker, ok := dev.(backend.Linker)
	place := ""
	var id []byte
	if !ok {
		mine = "device " + dev.Name() + " has no links"
	} else if mine == "" {
		place = linker.DeviceID()
		var bad error
		if id, bad = linker.LinkID(); bad != nil {
			mine = bad.Error()
		}
	}
	why, err = agreeToLink(ctx, comm, mine, place)
	if err != nil || why != "" {
		return nil, why, err
	}
	if err := comm.Bcast(ctx, 0, id); err != nil {
		return nil, "", err
	}
	l = &link{watched: make(chan struct{})}
	if l.links, err = linker.Link(comm.Rank(), comm.Size(), id); err != nil {
		return nil, "", err
	}
	var watch context.Context
	watch, l.stop = context.WithCancel(context.Background())
	go l.watch(watch, comm)
	return l, "", nil
}

// agreeToLink asks all ranks whether they can link their devices, and returns the reason of the lowest that cannot.
func agreeToLink(ctx context.Context, comm dist.Comm, mine, place string) (string, error) {
	r, why, err := dist.FirstText(ctx, comm, mine)
	if err != nil {
		return "", err
	}
	if r >= 0 {
		return fmt.Sprintf("rank %d: %s", r, why), nil
	}
	all, err := comm.Allgatherv(ctx, []byte(place))
	if err != nil {
		return "", err
	}
	at := map[string]int{}
	for r, p := range all {
		if other, taken := at[string(p)]; taken {
			return fmt.Sprintf("ranks %d and %d share a device", other, r), nil
		}
		at[string(p)] = r
	}
	return "", nil
}

// watch ends what is queued on the device when a rank is lost: the device itself would wait for it without end. It
// notices by a message from the next rank that never comes.
func (x *link) watch(ctx context.Context, comm dist.Comm) {
	defer close(x.watched)
	req, err := comm.Irecv(ctx, (comm.Rank()+1)%comm.Size(), never, nil)
	if err == nil {
		err = comm.Wait(ctx, []dist.Request{req})
	}
	if err != nil && ctx.Err() == nil {
		x.links.Abort()
	}
}

// Fork queues what f calls, which may be Start too, so that what is called later runs beside it until Finish.
func (x *Linked[T]) Fork(f func() error) error { return x.links.Fork(f) }

// Start implements Ghosts: the messages are on their way as soon as the cells are there.
func (x *Linked[T]) Start(_ context.Context, field []T) error {
	out, err := x.pack(field)
	if err != nil {
		return err
	}
	from, to := 0, 0
	for i, peer := range x.plan.Peers {
		if len(peer.Send) > 0 {
			x.send[to].Data = out[x.from[i]:x.from[i+1]]
			to++
		}
		if peer.Lo < peer.Hi {
			x.recv[from].Data = bytesOf(field, int(peer.Lo), int(peer.Hi))
			from++
		}
	}
	return x.links.Exchange(x.send, x.recv)
}

func (x *Linked[T]) Send(context.Context) error   { return nil }
func (x *Linked[T]) Finish(context.Context) error { return x.links.Join() }
func (x *Linked[T]) Way() string                  { return Nccl }

// Max replaces each key on the device by the greatest of all ranks, after what was called before. It is complete with
// the next Finish.
func (x *Linked[T]) Max(keys []uint64) error { return x.links.Max(keys) }

// Close gives back what the device holds.
func (x *Linked[T]) Close() error {
	if x.shared {
		return x.packer.close()
	}
	return errors.Join(x.link.close(), x.packer.close())
}

func (x *link) close() error {
	x.stop()
	<-x.watched
	return x.links.Close()
}
