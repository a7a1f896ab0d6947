package grpc

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
)

// maxSocketPath is what the kernel takes as the path of a unix socket.
const maxSocketPath = 107

// maxHostPort is that of host:port, where a name has 253 bytes at most.
const maxHostPort = 260

// check refuses addresses that cannot be, and those that plaintext must not reach.
func (cfg *Config) check(address string) error {
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		if path == "" || len(path) > maxSocketPath {
			return fmt.Errorf("dist/grpc: the socket path of %s has %d bytes, 1 to %d are possible", quoted(address),
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
		"mutual TLS: give each its certificate (atoll certs makes them; --certs), or say that everybody on the network "+
		"may read and change the run (--insecure)", quoted(address))
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

// resolveAddresses fills in where the rank listens, and checks all addresses.
func (cfg *Config) resolveAddresses() error {
	if cfg.Coordinator == "" {
		return errors.New("dist/grpc: no coordinator address: give a unix socket such as unix:/tmp/run/c.sock")
	}
	if err := cfg.check(cfg.Coordinator); err != nil {
		return err
	}
	if cfg.Listen == "" {
		if !isLocal(cfg.Coordinator) {
			return fmt.Errorf("dist/grpc: the ranks meet at %s, beyond this machine: say where this one listens (--listen, "+
				"as in :7000), and where the others find it (--announce)", quoted(cfg.Coordinator))
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
			return fmt.Errorf("dist/grpc: announced as %s, but it listens on the socket %s: listen on host:port",
				quoted(cfg.Announce), cfg.Listen)
		case err != nil || host == "":
			return fmt.Errorf("dist/grpc: announced as %s: want host:port, with port 0 for the one it listens on",
				quoted(cfg.Announce))
		}
		return cfg.check(cfg.Announce)
	}
	if host, _, _ := net.SplitHostPort(cfg.Listen); !strings.HasPrefix(cfg.Listen, "unix:") && isWildcard(host) {
		return fmt.Errorf("dist/grpc: listens on %s, on all networks of this machine: say at which name or address other "+
			"ranks find it (--announce)", cfg.Listen)
	}
	return nil
}

// isWildcard reports whether a listener on that host takes connections to any address of the machine.
func isWildcard(host string) bool {
	ip := net.ParseIP(host)
	return host == "" || ip != nil && ip.IsUnspecified()
}

// advertised is where others find the rank that listens at an address.
func (cfg *Config) advertised(listens string) string {
	if cfg.Announce == "" {
		return listens
	}
	host, port, _ := net.SplitHostPort(cfg.Announce) // checked by places
	if port == "0" {
		_, port, _ = net.SplitHostPort(listens)
	}
	return net.JoinHostPort(host, port)
}

// listen opens a listener and returns the address that it has.
func listen(address string) (net.Listener, string, error) {
	network, where := split(address)
	l, err := net.Listen(network, where)
	if err != nil {
		return nil, "", fmt.Errorf("dist/grpc: %w", err)
	}
	if network == "tcp" {
		address = l.Addr().String()
	}
	return l, address, nil
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
