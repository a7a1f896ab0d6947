package certs

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"time"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
)

// authorityKeyFile is stored beside the authority's certificate and not copied to ranks: anybody who has it can
// make certificates for ranks.
const authorityKeyFile = "ca.key"

// clockSkew is the accepted difference between the clocks of machines.
const clockSkew = 10 * time.Minute

// Make writes the certificates of ranks 0 … ranks-1 and of a coordinator into folders rank-R and coordinator below
// dir, valid for the given time. An existing authority in dir signs them; otherwise Make creates one, valid for ten
// times as long. made reports whether it created the authority.
func Make(dir string, ranks int, valid time.Duration) (made bool, err error) {
	a, err := readAuthority(dir)
	if errors.Is(err, os.ErrNotExist) {
		made = true
		a, err = makeAuthority(dir, valid)
	}
	if err != nil {
		return false, err
	}
	for rank := Coordinator; rank < ranks; rank++ {
		if err := a.issue(filepath.Join(dir, commonName(rank)), rank, valid); err != nil {
			return made, err
		}
	}
	return made, nil
}

// authority signs the certificates of a job.
type authority struct {
	cert *x509.Certificate
	pem  []byte
	key  crypto.Signer
}

func readAuthority(dir string) (*authority, error) {
	text, err := os.ReadFile(filepath.Join(dir, authorityFile))
	if err != nil {
		return nil, fmt.Errorf("certificates: %w", err)
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("certificates: %s holds no certificate in PEM", filepath.Join(dir, authorityFile))
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("certificates: %s: %w", filepath.Join(dir, authorityFile), err)
	}
	file := filepath.Join(dir, authorityKeyFile)
	secret, err := os.ReadFile(file)
	if err == nil {
		if err := checkSecret(file); err != nil {
			return nil, err
		}
	}
	if err != nil {
		return nil, errors.New("certificates: " + err.Error() + ": the existing authority needs its key to sign; " +
			"choose another folder for a new authority") // not wrapped: ErrNotExist would make Make create a new one
	}
	if block, _ = pem.Decode(secret); block == nil {
		return nil, fmt.Errorf("certificates: %s has no key in PEM", file)
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("certificates: %s: %w", file, err)
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return nil, fmt.Errorf("certificates: %s has a %T, which cannot sign", file, key)
	}
	return &authority{cert, text, signer}, nil
}

func makeAuthority(dir string, valid time.Duration) (*authority, error) {
	t := template("Atoll job", 10*valid)
	t.IsCA, t.BasicConstraintsValid, t.MaxPathLenZero = true, true, true
	t.KeyUsage = x509.KeyUsageCertSign
	t.PermittedDNSDomainsCritical, t.PermittedDNSDomains = true, []string{domain}
	a := &authority{}
	secret, public, err := a.sign(t, t)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("certificates: %w", err)
	}
	if err := write(filepath.Join(dir, authorityKeyFile), secret, 0o600); err != nil {
		return nil, err
	}
	if err := write(filepath.Join(dir, authorityFile), public, 0o644); err != nil {
		return nil, err
	}
	return readAuthority(dir)
}

func template(name string, valid time.Duration) *x509.Certificate {
	now := time.Now()
	return &x509.Certificate{Subject: pkix.Name{CommonName: name}, NotBefore: now.Add(-clockSkew),
		NotAfter: now.Add(valid)}
}

// sign makes a key pair and its certificate, both in PEM. An authority without a key is signed by the new key: it
// is self-signed.
func (a *authority) sign(t, parent *x509.Certificate) (secret, public []byte, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	// X.509 allows 159 bits; 127 random ones never occur twice.
	if t.SerialNumber, err = rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127)); err != nil {
		return nil, nil, err
	}
	signer := a.key
	if signer == nil {
		signer = key
	}
	der, err := x509.CreateCertificate(rand.Reader, t, parent, key.Public(), signer)
	if err != nil {
		return nil, nil, fmt.Errorf("certificates: %w", err)
	}
	bytes, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, nil, fmt.Errorf("certificates: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: bytes}),
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), nil
}

// issue writes the folder of a rank. A rank that reads it at the same time finds a key that does not match, and
// retries later.
func (a *authority) issue(dir string, rank int, valid time.Duration) error {
	if end := a.cert.NotAfter; time.Now().Add(valid).After(end) {
		return fmt.Errorf("certificates: the authority is valid until %v, and certificates cannot be valid longer: "+
			"choose another folder for a new authority", end)
	}
	t := template(Name(rank), valid)
	t.DNSNames = []string{Name(rank)}
	t.KeyUsage = x509.KeyUsageDigitalSignature
	t.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	secret, public, err := a.sign(t, a.cert)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("certificates: %w", err)
	}
	for _, f := range []struct {
		name string
		data []byte
		mode os.FileMode
	}{{keyFile, secret, 0o600}, {certificateFile, public, 0o644}, {authorityFile, a.pem, 0o644}} {
		if err := write(filepath.Join(dir, f.name), f.data, f.mode); err != nil {
			return err
		}
	}
	return nil
}

func write(path string, data []byte, mode os.FileMode) error {
	err := atomicfile.Write(path, func(f *atomicfile.File) error {
		if err := f.Chmod(mode); err != nil { // before the file has content
			return err
		}
		_, err := f.Write(data)
		return err
	})
	if err != nil {
		return fmt.Errorf("certificates: %w", err)
	}
	return nil
}
