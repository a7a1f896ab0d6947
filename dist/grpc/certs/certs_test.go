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

func make2(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if made, err := certs.Make(dir, 2, time.Hour); err != nil || !made {
		t.Fatal(made, err)
	}
	return dir
}

func TestKeysAreTheOwnersAlone(t *testing.T) {
	dir := make2(t)
	for _, file := range []string{"ca.key", "rank-0/tls.key", "rank-1/tls.key", "coordinator/tls.key"} {
		info, err := os.Stat(filepath.Join(dir, file))
		if err != nil || info.Mode() != 0o600 {
			t.Error(file, info, err)
		}
	}
}

func TestCertificateSaysWhoseItIs(t *testing.T) {
	dir := make2(t)
	for rank := certs.Coordinator; rank < 2; rank++ {
		s, err := certs.Open(dir, rank, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := certs.Rank(s.Server().Certificates[0].Leaf)
		if err != nil || got != rank {
			t.Errorf("the certificate of %d is that of %d, %v", rank, got, err)
		}
	}
	for _, names := range [][]string{nil, {"rank-1.example.org"}, {"rank-01.atoll.internal"}, {"rank--1.atoll.internal"},
		{"rank-.atoll.internal"}, {certs.Name(0), certs.Name(1)}} {
		if rank, err := certs.Rank(&x509.Certificate{DNSNames: names}); err == nil {
			t.Errorf("%q is taken for rank %d", names, rank)
		}
	}
}

func TestOthersCertificateIsRefused(t *testing.T) {
	dir := make2(t)
	for _, c := range []struct {
		folder string
		rank   int
		want   string
	}{
		{dir, 2, "no such file"},
		{filepath.Join(dir, "rank-1"), 0, "belongs to rank-1, and not to rank-0"},
	} {
		if _, err := certs.Open(c.folder, c.rank, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s for rank %d: %v", c.folder, c.rank, err)
		}
	}
}

// New certificates are used from the next handshake on; files that do not fit together leave those before in use.
func TestCertificatesAreReadAgain(t *testing.T) {
	dir := make2(t)
	var told []string
	s, err := certs.Open(dir, 1, func(line string) { told = append(told, line) })
	if err != nil {
		t.Fatal(err)
	}
	serial := func() string { return s.Server().Certificates[0].Leaf.SerialNumber.String() }
	first := serial()
	if made, err := certs.Make(dir, 2, time.Hour); err != nil || made {
		t.Fatal(made, err)
	}
	second := serial()
	if second == first || len(told) != 1 {
		t.Fatalf("the certificate is %s as before; told %q", first, told)
	}
	if err := os.WriteFile(filepath.Join(dir, "rank-1", "tls.key"), []byte("torn"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if serial() != second {
			t.Fatal("a key that cannot be read was taken")
		}
	}
	if len(told) != 2 || !strings.Contains(told[1], "stay in use") {
		t.Fatalf("told %q", told)
	}
}

func TestAuthorityNeedsItsKey(t *testing.T) {
	dir := make2(t)
	if err := os.Remove(filepath.Join(dir, "ca.key")); err != nil {
		t.Fatal(err)
	}
	if _, err := certs.Make(dir, 3, time.Hour); err == nil || !strings.Contains(err.Error(), "another folder") {
		t.Fatal(err)
	}
}
