package certs_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"runtime"
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

// issue replaces the certificate of rank 0 by one that the authority of dir, or of another folder, has signed.
func issue(t *testing.T, dir, authority string, change func(*x509.Certificate)) {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(filepath.Join(authority, "ca.crt"), filepath.Join(authority, "ca.key"))
	if err != nil {
		t.Fatal(err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(7), DNSNames: []string{certs.Name(0)},
		NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(time.Minute)}
	change(template)
	der, err := x509.CreateCertificate(rand.Reader, template, pair.Leaf, key.Public(), pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{"tls.crt": {Type: "CERTIFICATE", Bytes: der},
		"tls.key": {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(filepath.Join(dir, "rank-0", name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestUnusableCertificatesAreRefused: a rank whose certificate others would refuse ends with the reason, before it
// connects to anybody.
func TestUnusableCertificatesAreRefused(t *testing.T) {
	server, client := x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth
	for want, change := range map[string]func(*x509.Certificate){
		"":                          func(*x509.Certificate) {},
		"has expired":               func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Second) },
		"is the clock of this":      func(c *x509.Certificate) { c.NotBefore = time.Now().Add(time.Second * 30) },
		"usages server auth and":    func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{server} },
		"auth and client auth":      func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{client} },
		"belongs to rank-1":         func(c *x509.Certificate) { c.DNSNames = []string{certs.Name(1)} },
		"want one DNS name":         func(c *x509.Certificate) { c.DNSNames = []string{certs.Name(0), certs.Name(1)} },
		"such as rank-0":            func(c *x509.Certificate) { c.DNSNames = nil },
		"a certificate for [\"rank": func(c *x509.Certificate) { c.DNSNames = []string{"rank-0.example.org"} },
	} {
		dir := makeForTwoRanks(t)
		issue(t, dir, dir, change)
		_, err := certs.Open(dir, 0, nil)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
	dir := makeForTwoRanks(t)
	issue(t, dir, makeForTwoRanks(t), func(*x509.Certificate) {})
	if _, err := certs.Open(dir, 0, nil); err == nil || !strings.Contains(err.Error(), "another authority") {
		t.Errorf("a certificate of another authority: %v", err)
	}
}

// TestKeysThatOthersCanReadAreRefused: the key of a rank, and that of the authority.
func TestKeysThatOthersCanReadAreRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the mode of files does not say who can read them")
	}
	for mode, refused := range map[os.FileMode]bool{0o600: false, 0o400: false, 0o700: false, 0o604: true, 0o640: true,
		0o644: true, 0o620: true, 0o602: true, 0o666: true, 0o601: true} {
		dir := makeForTwoRanks(t)
		for _, file := range []string{"rank-1/tls.key", "ca.key"} {
			if err := os.Chmod(filepath.Join(dir, file), mode); err != nil {
				t.Fatal(err)
			}
		}
		_, opened := certs.Open(dir, 1, nil)
		_, signed := certs.Make(dir, 1, time.Minute)
		for _, err := range []error{opened, signed} {
			if (err != nil) != refused || refused && !strings.Contains(err.Error(), "chmod 600") {
				t.Errorf("mode %04o: %v", mode, err)
			}
		}
	}
}
