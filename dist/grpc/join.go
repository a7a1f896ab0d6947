package grpc

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	rpc "google.golang.org/grpc"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/grpc/certs"
	"github.com/atoll-hpc/atoll/dist/internal/addresses"
	"github.com/atoll-hpc/atoll/dist/internal/collect"
	"github.com/atoll-hpc/atoll/proto"
)

// Join connects to the coordinator, which rank 0 serves, and returns when all ranks have joined. It waits for them,
// and for host names that do not resolve yet, until ctx ends: then the error names the missing ranks, and the
// refused ones with the reason. A rank that does not match the run is refused at once, with an error that says what
// differs.
func Join(ctx context.Context, cfg Config) (dist.Comm, error) {
	if err := cfg.prepare(); err != nil {
		return nil, err
	}
	c := &comm{cfg: cfg, refused: newRefusals(cfg.Notify), ready: make(chan struct{}), down: make(chan struct{}),
		stop: make(chan struct{})}
	c.watch = &treeWatch{c: c, given: make(chan struct{})}
	c.streams, c.cancelStreams = context.WithCancel(context.Background())
	address, err := c.serve()
	if err != nil {
		c.cancelStreams()
		return nil, err
	}
	if err = c.connectControl(ctx, address); err == nil {
		err = c.awaitRanks(ctx)
	}
	if err != nil {
		c.shutdown()
		return nil, err
	}
	return c, nil
}

// serve accepts the streams of neighbours, and on rank 0 those of all ranks to the coordinator. It returns the
// address for neighbours.
func (c *comm) serve() (string, error) {
	neighbours, listening, err := listen(c.cfg.Listen)
	if err != nil {
		return "", err
	}
	address := c.cfg.announcedAddress(listening)
	listeners := []net.Listener{neighbours}
	c.server = newServer(&c.cfg, c.refused)
	c.server.RegisterService(&exchangeService, c)
	if c.cfg.Rank == 0 && !c.cfg.External {
		if address != c.cfg.Coordinator {
			l, listening, err := listen(c.cfg.Coordinator)
			if err != nil {
				_ = neighbours.Close()
				return "", err
			}
			c.cfg.Coordinator = listening
			listeners = append(listeners, l)
		}
		c.hosted = newCoordinator(c.cfg, 0, c.refused)
		c.tasks.Go(func() { c.hosted.watch(c.stop) })
		registerCoordinator(c.server, c.hosted, c.cfg, c.stop)
	}
	for _, l := range listeners {
		d := newGuardedListener(l, &c.cfg, c.refused)
		c.tasks.Go(func() { _ = c.server.Serve(d) }) // returns when the server is stopped
	}
	return address, nil
}

func registerCoordinator(s *rpc.Server, c *coordinator, cfg Config, stop <-chan struct{}) {
	proto.RegisterCoordinatorServer(s, &controlService{coordinator: c, beatInterval: cfg.Beat, stop: stop})
}

// awaitRanks waits for the other ranks.
func (c *comm) awaitRanks(ctx context.Context) error {
	var w *proto.Welcome
	if c.hosted != nil {
		defer c.cfg.notifyWhile(func() string { return "waiting for " + absentText(c.hosted.absent()) })()
	}
	select {
	case w = <-c.control.welcome:
	case <-c.down:
		return fmt.Errorf("dist/grpc: join: %w", c.cause)
	case <-ctx.Done():
		b := c.control.missing.Load()
		if c.hosted != nil {
			b = c.hosted.absent()
		}
		return c.giveUpJoin(ctx, "waited for "+absentText(b))
	}
	c.session = w.Session
	for r, a := range w.Addresses {
		if err := c.cfg.check(a); err != nil {
			return &dist.PeerError{Rank: r, Err: err}
		}
	}
	c.peers, c.tree = newPeers(c, addresses.New(w.Addresses)), collect.NewTree(c.cfg.Rank, c.cfg.Size)
	c.links = links{c: c, from: map[int]*[]byte{}}
	c.watch.prepare()
	close(c.ready)
	linked := make(chan error, 1)
	c.tasks.Go(func() { linked <- c.watch.openParent() })
	select {
	case err := <-linked:
		if err != nil {
			parent, _ := c.tree.Parent()
			return c.joinFailed(&dist.PeerError{Rank: parent, Err: err})
		}
	case <-c.down:
		return fmt.Errorf("dist/grpc: join: %w", c.cause)
	case <-ctx.Done():
		return c.giveUpJoin(ctx, "waited for a connection to its parent in the tree of ranks")
	}
	close(c.control.linked)
	c.control.tellSoon()
	select {
	case <-c.control.allReady: // from now on ranks may be silent for Config.Silence only
		return nil
	case <-c.down:
		return fmt.Errorf("dist/grpc: join: %w", c.cause)
	case <-ctx.Done():
		return c.giveUpJoin(ctx, "waited until all ranks had received the welcome")
	}
}

// joinFailed returns the error of Join after another, for which the coordinator may have a better reason.
func (c *comm) joinFailed(err error) error {
	select {
	case <-c.down:
		err = c.cause
	case <-time.After(verdictTimeout):
	}
	return fmt.Errorf("dist/grpc: join: %w", err)
}

// giveUpJoin returns the error of Join when its context has ended, and tells the coordinator what this rank waited for.
func (c *comm) giveUpJoin(ctx context.Context, waiting string) error {
	err := fmt.Errorf("dist/grpc: join: %s: %w", waiting, context.Cause(ctx))
	c.report(&proto.FromRank{Kind: &proto.FromRank_GiveUp{GiveUp: &proto.GiveUp{Text: truncated(waiting)}}}, err)
	return err
}

// absentText returns a text with the missing ranks and the recent refusals.
func absentText(b *proto.Beat) string {
	if b == nil || b.Absent == 0 {
		return "the other ranks"
	}
	text := fmt.Sprintf("ranks %v", b.Missing)
	if more := int(b.Absent) - len(b.Missing); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	if len(b.Refused) > 0 {
		text += "; refused: " + strings.Join(b.Refused, "; ")
	}
	return text
}

// notifyWhile passes what the caller waits for to Notify, after 2 s and then every 10 s, until stop is called.
func (cfg *Config) notifyWhile(what func() string) (stop func()) {
	const first, pause = 2 * time.Second, 10 * time.Second
	began, ended := time.Now(), make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for wait := first; ; wait = pause {
			select {
			case <-time.After(wait):
				cfg.Notify(fmt.Sprintf("%s (%v so far)", what(), time.Since(began).Round(time.Second)))
			case <-ended:
				return
			}
		}
	}()
	return func() {
		close(ended)
		<-done
	}
}

// ServeCoordinator serves the coordinator of one run for ranks whose Config.External is set. It returns nil when
// all ranks have left, and an error when the run has failed or ctx has ended. It uses Size, Coordinator, Listen if
// that differs from Coordinator, what ranks must have in common, and the limits of cfg.
func ServeCoordinator(ctx context.Context, cfg Config) error {
	cfg.Rank, cfg.Announce = 0, ""
	address := cfg.Coordinator
	if cfg.Listen != "" {
		address, cfg.Announce = cfg.Listen, cfg.Coordinator
	}
	if err := cfg.prepare(); err != nil {
		return err
	}
	l, _, err := listen(address)
	if err != nil {
		return err
	}
	refused := newRefusals(cfg.Notify)
	defer refused.summarize()
	c := newCoordinator(cfg, certs.Coordinator, refused)
	stop := make(chan struct{})
	s := newServer(&cfg, refused)
	registerCoordinator(s, c, cfg, stop)
	served := make(chan error, 1)
	watched := make(chan struct{})
	go func() { served <- s.Serve(newGuardedListener(l, &cfg, refused)) }()
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
	c.stopping = true
	c.mu.Unlock()
	close(stop)
	s.Stop()
	<-watched
	<-served
	c.tasks.Wait()
	return err
}
