package grpc

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
)

// maxSocketPath is the longest path of a unix socket on Linux, in bytes.
const maxSocketPath = 107

// maxHostPort is the longest host:port in bytes; a DNS name has at most 253.
const maxHostPort = 260

// check returns an error for invalid addresses, and for addresses beyond this machine without TLS, unless
// cfg.Insecure.
func (cfg *Config) check(address string) error {
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		if path == "" || len(path) > maxSocketPath {
			return fmt.Errorf("dist/grpc: the socket path of %s has %d bytes, want 1 to %d", quoted(address),
				len(path), maxSocketPath)
		}
		return nil
	}
	if _, _, err := net.SplitHostPort(address); err != nil || len(address) > maxHostPort {
		return fmt.Errorf("dist/grpc: address %s is neither unix:/path nor host:port", quoted(address))
	}
	if isLocal(address) || cfg.Certificates != nil || cfg.Insecure {
		return nil
	}
	return fmt.Errorf("dist/grpc: address %s is neither a unix socket nor on loopback: beyond this machine ranks need "+
		"mutual TLS: give each its certificate (atoll certs makes them; --certs), or --insecure if everybody on the "+
		"network may read and change the run", quoted(address))
}

// isLocal reports whether only this machine can reach an address.
func isLocal(address string) bool {
	if strings.HasPrefix(address, "unix:") {
		return true
	}
	host, _, _ := net.SplitHostPort(address)
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// resolveAddresses sets the default of cfg.Listen, and checks all addresses.
func (cfg *Config) resolveAddresses() error {
	if cfg.Coordinator == "" {
		return errors.New("dist/grpc: no coordinator address: give a unix socket such as unix:/tmp/run/c.sock")
	}
	if err := cfg.check(cfg.Coordinator); err != nil {
		return err
	}
	if cfg.Listen == "" {
		if !isLocal(cfg.Coordinator) {
			return fmt.Errorf("dist/grpc: the coordinator %s is on a network: give the address where this rank listens "+
				"(--listen, as in :7000), and the one at which others reach it (--announce)", quoted(cfg.Coordinator))
		}
		cfg.Listen = "127.0.0.1:0"
		if path, ok := strings.CutPrefix(cfg.Coordinator, "unix:"); ok {
			cfg.Listen = "unix:" + filepath.Join(filepath.Dir(path), fmt.Sprintf("r%d.sock", cfg.Rank))
		}
	}
	if err := cfg.check(cfg.Listen); err != nil {
		return err
	}
	if cfg.Announce != "" {
		host, _, err := net.SplitHostPort(cfg.Announce)
		switch {
		case strings.HasPrefix(cfg.Listen, "unix:"):
			return fmt.Errorf("dist/grpc: --announce %s needs a network address, but the rank listens on the socket %s: "+
				"give --listen host:port", quoted(cfg.Announce), cfg.Listen)
		case err != nil || host == "":
			return fmt.Errorf("dist/grpc: --announce %s: want host:port, with port 0 for the port on which the rank listens",
				quoted(cfg.Announce))
		}
		return cfg.check(cfg.Announce)
	}
	if host, _, _ := net.SplitHostPort(cfg.Listen); !strings.HasPrefix(cfg.Listen, "unix:") && isWildcard(host) {
		return fmt.Errorf("dist/grpc: the rank listens on %s, on all networks of this machine: give the name or address at "+
			"which other ranks reach it (--announce)", cfg.Listen)
	}
	return nil
}

// isWildcard reports whether a listener on that host accepts connections to any address of the machine.
func isWildcard(host string) bool {
	ip := net.ParseIP(host)
	return host == "" || ip != nil && ip.IsUnspecified()
}

// announcedAddress returns the address at which others reach the rank that listens at an address.
func (cfg *Config) announcedAddress(listening string) string {
	if cfg.Announce == "" {
		return listening
	}
	host, port, _ := net.SplitHostPort(cfg.Announce) // checked by resolveAddresses
	if port == "0" {
		_, port, _ = net.SplitHostPort(listening)
	}
	return net.JoinHostPort(host, port)
}

// listen opens a listener and returns its address, with the port that it got.
func listen(address string) (net.Listener, string, error) {
	network, path := splitAddress(address)
	l, err := net.Listen(network, path)
	if err != nil {
		return nil, "", fmt.Errorf("dist/grpc: %w", err)
	}
	if network == "tcp" {
		address = l.Addr().String()
	}
	return l, address, nil
}

// splitAddress splits an address into the network and address that package net expects.
func splitAddress(address string) (network, netAddress string) {
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		return "unix", path
	}
	return "tcp", address
}

// grpcTarget returns the address in gRPC's notation.
func grpcTarget(address string) string {
	if strings.HasPrefix(address, "unix:") {
		return address
	}
	return "passthrough:///" + address
}
