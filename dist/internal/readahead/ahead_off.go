//go:build !linux || race

// Package readahead does not read ahead here: see ahead.go.
package readahead

import "net"

// Works says whether connections read ahead here.
const Works = false

// New returns c.
func New(c net.Conn) (net.Conn, error) { return c, nil }
