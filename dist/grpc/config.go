package grpc

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"time"
)

// Config says who a rank is and where it finds the others.
type Config struct {
	Rank, Size int

	// Coordinator is the address at which the ranks meet: "unix:/path" or "host:port" on loopback. Rank 0 serves it,
	// unless External tells that ServeCoordinator does elsewhere.
	Coordinator string
	External    bool

	// Listen is where this rank accepts the streams of its neighbours. The default is a socket beside the
	// coordinator's, or any free port of 127.0.0.1.
	Listen string

	// BuildID and CaseHash must be the same on all ranks: ranks of different programs or cases do not meet.
	BuildID, CaseHash string

	// Beat is the time between signs of life, and Silence how long a rank may give none. 1 s and 3 s are the defaults.
	Beat, Silence time.Duration

	// Early is how many bytes a neighbour may send before their receives are posted, 64 MiB by default. Messages over
	// 256 KiB wait at the sender and do not count.
	Early int

	// Gathered is how many bytes a rank may bring to a collective, 1 GiB by default.
	Gathered int

	// CloseTimeout is how long Close waits for ranks that still run, 30 s by default.
	CloseTimeout time.Duration
}

func (cfg *Config) prepare() error {
	if cfg.Size < 1 || cfg.Rank < 0 || cfg.Rank >= cfg.Size {
		return fmt.Errorf("dist/grpc: rank %d of %d", cfg.Rank, cfg.Size)
	}
	if cfg.Coordinator == "" {
		return errors.New("dist/grpc: no coordinator address: give a unix socket such as unix:/tmp/run/c.sock")
	}
	if cfg.Listen == "" {
		cfg.Listen = "127.0.0.1:0"
		if path, ok := strings.CutPrefix(cfg.Coordinator, "unix:"); ok {
			cfg.Listen = "unix:" + filepath.Join(filepath.Dir(path), fmt.Sprintf("r%d.sock", cfg.Rank))
		}
	}
	setDefault(&cfg.Beat, time.Second)
	setDefault(&cfg.Silence, 3*time.Second)
	setDefault(&cfg.Early, 64<<20)
	setDefault(&cfg.Gathered, 1<<30)
	setDefault(&cfg.CloseTimeout, 30*time.Second)
	for _, a := range []string{cfg.Coordinator, cfg.Listen} {
		if err := checkPlain(a); err != nil {
			return err
		}
	}
	return nil
}

func setDefault[T ~int | ~int64](v *T, value T) {
	if *v <= 0 {
		*v = value
	}
}

// longestPath is what the kernel takes as the path of a unix socket.
const longestPath = 107

// checkPlain refuses addresses that plaintext must not reach.
func checkPlain(address string) error {
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		if path == "" || len(path) > longestPath {
			return fmt.Errorf("dist/grpc: the socket path of %q has %d bytes, 1 to %d are possible", address, len(path),
				longestPath)
		}
		return nil
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("dist/grpc: address %q is neither unix:/path nor host:port: %w", address, err)
	}
	if ip := net.ParseIP(host); host == "localhost" || ip != nil && ip.IsLoopback() {
		return nil
	}
	return fmt.Errorf("dist/grpc: address %q is neither a unix socket nor on loopback: beyond this machine ranks need "+
		"mutual TLS, which this transport does not offer yet", address)
}

// listen opens a plain listener and returns the address at which it can be reached.
func listen(address string) (net.Listener, string, error) {
	network, where := split(address)
	l, err := net.Listen(network, where)
	if err != nil {
		return nil, "", fmt.Errorf("dist/grpc: %w", err)
	}
	if network == "tcp" {
		address = l.Addr().String()
	}
	return listener{l}, address, nil
}

// listener accepts connections that read ahead.
type listener struct{ net.Listener }

func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return readAhead(c)
}

// split takes an address apart into what package net wants.
func split(address string) (network, where string) {
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		return "unix", path
	}
	return "tcp", address
}

// target is the address in gRPC's notation.
func target(address string) string {
	if strings.HasPrefix(address, "unix:") {
		return address
	}
	return "passthrough:///" + address
}
