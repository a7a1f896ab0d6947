package certs_test

import (
	"crypto/x509"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/atoll-hpc/atoll/dist/grpc/certs"
)

func makeForTwoRanks(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if made, err := certs.Make(dir, 2, time.Hour); err != nil || !made {
		t.Fatal(made, err)
	}
	return dir
}

func TestKeysAreReadableByTheOwnerAlone(t *testing.T) {
	dir := makeForTwoRanks(t)
	for _, file := range []string{"ca.key", "rank-0/tls.key", "rank-1/tls.key", "coordinator/tls.key"} {
		info, err := os.Stat(filepath.Join(dir, file))
		if err != nil || info.Mode() != 0o600 {
			t.Error(file, info, err)
		}
	}
}

func TestCertificateNamesItsRank(t *testing.T) {
	dir := makeForTwoRanks(t)
	for rank := certs.Coordinator; rank < 2; rank++ {
		s, err := certs.Open(dir, rank, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := certs.Rank(s.Server().Certificates[0].Leaf)
		if err != nil || got != rank {
			t.Errorf("the certificate of rank %d names rank %d, %v", rank, got, err)
		}
	}
	for _, names := range [][]string{nil, {"rank-1.example.org"}, {"rank-01.atoll.internal"}, {"rank--1.atoll.internal"},
		{"rank-.atoll.internal"}, {certs.Name(0), certs.Name(1)}} {
		if rank, err := certs.Rank(&x509.Certificate{DNSNames: names}); err == nil {
			t.Errorf("%q is accepted as rank %d", names, rank)
		}
	}
}

func TestCertificateOfAnotherRankIsRefused(t *testing.T) {
	dir := makeForTwoRanks(t)
	for _, c := range []struct {
		folder string
		rank   int
		want   string
	}{
		{dir, 2, "no such file"},
		{filepath.Join(dir, "rank-1"), 0, "belongs to rank-1, not to rank-0"},
	} {
		if _, err := certs.Open(c.folder, c.rank, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s for rank %d: %v", c.folder, c.rank, err)
		}
	}
}

// New certificates are used from the next handshake on. If the files do not match, the certificates loaded before
// stay in use.
func TestCertificatesAreReloaded(t *testing.T) {
	dir := makeForTwoRanks(t)
	var notified []string
	s, err := certs.Open(dir, 1, func(line string) { notified = append(notified, line) })
	if err != nil {
		t.Fatal(err)
	}
	serial := func() string { return s.Server().Certificates[0].Leaf.SerialNumber.String() }
	first := serial()
	if made, err := certs.Make(dir, 2, time.Hour); err != nil || made {
		t.Fatal(made, err)
	}
	second := serial()
	if second == first || len(notified) != 1 {
		t.Fatalf("the certificate is still %s; notified %q", first, notified)
	}
	if err := os.WriteFile(filepath.Join(dir, "rank-1", "tls.key"), []byte("torn"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if serial() != second {
			t.Fatal("an unreadable key was loaded")
		}
	}
	if len(notified) != 2 || !strings.Contains(notified[1], "stay in use") {
		t.Fatalf("notified %q", notified)
	}
}

func TestAuthorityNeedsItsKey(t *testing.T) {
	dir := makeForTwoRanks(t)
	if err := os.Remove(filepath.Join(dir, "ca.key")); err != nil {
		t.Fatal(err)
	}
	if _, err := certs.Make(dir, 3, time.Hour); err == nil || !strings.Contains(err.Error(), "another folder") {
		t.Fatal(err)
	}
}
