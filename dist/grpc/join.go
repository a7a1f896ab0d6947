package grpc

import (
	"context"
	"errors"
	"fmt"
	"net"

	rpc "google.golang.org/grpc"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/proto"
)

// Join meets the other ranks at the coordinator, which rank 0 serves, and returns when all have come. When ctx ends
// before, the error names who is missing; ranks that do not fit together are refused with an error that says which
// differs in what.
func Join(ctx context.Context, cfg Config) (dist.Comm, error) {
	if err := cfg.prepare(); err != nil {
		return nil, err
	}
	c := &comm{cfg: cfg, ready: make(chan struct{}), down: make(chan struct{}), stop: make(chan struct{})}
	c.streams, c.cut = context.WithCancel(context.Background())
	address, err := c.serve()
	if err != nil {
		c.cut()
		return nil, err
	}
	if err = c.attend(ctx, address); err == nil {
		err = c.meet(ctx)
	}
	if err != nil {
		c.end()
		return nil, err
	}
	return c, nil
}

// serve accepts streams of neighbours, and on rank 0 of all ranks to their coordinator. It returns the address for
// neighbours.
func (c *comm) serve() (string, error) {
	own, address, err := listen(c.cfg.Listen)
	if err != nil {
		return "", err
	}
	listeners := []net.Listener{own}
	c.server = newServer()
	c.server.RegisterService(&exchangeService, c)
	if c.cfg.Rank == 0 && !c.cfg.External {
		l, at, err := listen(c.cfg.Coordinator)
		if err != nil {
			_ = own.Close()
			return "", err
		}
		c.cfg.Coordinator = at
		listeners = append(listeners, l)
		c.hosted = newCoordinator(c.cfg.Size, 0, c.cfg.Silence)
		c.tasks.Go(func() { c.hosted.watch(c.stop) })
		host(c.server, c.hosted, c.cfg, c.stop)
	}
	for _, l := range listeners {
		c.tasks.Go(func() { _ = c.server.Serve(l) }) // returns when the server is stopped
	}
	return address, nil
}

func host(s *rpc.Server, c *coordinator, cfg Config, stop <-chan struct{}) {
	proto.RegisterCoordinatorServer(s, &attendant{coordinator: c, beat: cfg.Beat, stop: stop})
	s.RegisterService(&collectService, &collector{c, cfg.Gathered, stop})
}

// meet waits for the other ranks.
func (c *comm) meet(ctx context.Context) error {
	var w *proto.Welcome
	select {
	case w = <-c.link.welcome:
	case <-c.down:
		return fmt.Errorf("dist/grpc: join: %w", c.cause)
	case <-ctx.Done():
		who := "for the other ranks"
		if b := c.link.missing.Load(); b != nil && len(b.Missing) > 0 {
			who = fmt.Sprintf("for ranks %v", b.Missing)
		} else if c.hosted != nil {
			who = fmt.Sprintf("for ranks %v", c.hosted.missing())
		}
		err := fmt.Errorf("dist/grpc: join: waited %s: %w", who, context.Cause(ctx))
		c.report(&proto.FromRank{Kind: &proto.FromRank_GiveUp{GiveUp: &proto.GiveUp{Text: "waited " + who}}}, err)
		return err
	}
	if len(w.Addresses) != c.cfg.Size {
		return fmt.Errorf("dist/grpc: join: the coordinator knows %d ranks of %d", len(w.Addresses), c.cfg.Size)
	}
	c.epoch = w.Epoch
	for r, a := range w.Addresses {
		if err := checkPlain(a); err != nil {
			return &dist.PeerError{Rank: r, Err: err}
		}
		c.peers = append(c.peers, newPeer(c, r, a))
	}
	if err := c.gather.open(c); err != nil {
		return err
	}
	close(c.ready)
	return nil
}

// ServeCoordinator serves the coordinator of one run for ranks that are told it is External. It returns nil when
// all of them have left, and an error when the run has failed or ctx has ended. Of cfg it reads Size, Coordinator
// and the limits.
func ServeCoordinator(ctx context.Context, cfg Config) error {
	cfg.Rank = 0
	if err := cfg.prepare(); err != nil {
		return err
	}
	l, _, err := listen(cfg.Coordinator)
	if err != nil {
		return err
	}
	c := newCoordinator(cfg.Size, -1, cfg.Silence)
	stop := make(chan struct{})
	s := newServer()
	host(s, c, cfg, stop)
	served := make(chan error, 1)
	watched := make(chan struct{})
	go func() { served <- s.Serve(l) }()
	go func() {
		defer close(watched)
		c.watch(stop)
	}()
	err = nil
	select {
	case <-c.over:
		c.mu.Lock()
		if c.verdict != nil {
			err = fmt.Errorf("dist/grpc: the run has failed: %w", verdictError(c.verdict))
		}
		c.mu.Unlock()
	case <-ctx.Done():
		err = context.Cause(ctx)
	case err = <-served:
		err = errors.Join(errors.New("dist/grpc: the coordinator cannot listen"), err)
		served <- nil
	}
	c.mu.Lock()
	c.dead = true
	c.mu.Unlock()
	close(stop)
	s.Stop()
	<-watched
	<-served
	c.last.Wait()
	return err
}
