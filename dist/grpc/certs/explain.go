package certs

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strings"
)

// Explain returns the error of a TLS handshake, or of the first read after it, with its likely cause and the remedy.
// It returns other errors unchanged. Over TLS 1.3 a client learns only with its first read that the server has refused
// its certificate.
func Explain(err error) string {
	var authority x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	var name x509.HostnameError
	var plaintext tls.RecordHeaderError
	var remote *net.OpError
	switch {
	case errors.As(err, &authority):
		return "its certificate was signed by another authority: use the folders of one call of atoll certs on all machines"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return fmt.Sprintf("its certificate is not valid now (%v to %v): compare the clocks of the machines, or make new "+
			"certificates with atoll certs", invalid.Cert.NotBefore, invalid.Cert.NotAfter)
	case errors.As(err, &invalid) && invalid.Reason == x509.IncompatibleUsage:
		return "its certificate is not meant for this end of a connection: it needs the usages server auth and client auth"
	case errors.As(err, &name):
		return fmt.Sprintf("its certificate is for %q, want %s", name.Certificate.DNSNames, name.Host)
	case errors.As(err, &plaintext):
		return "it does not speak TLS: give --certs on both sides"
	case errors.As(err, &remote) && remote.Op == "remote error" && strings.Contains(err.Error(), "certificate"):
		return fmt.Sprintf("the other side has refused this certificate (%v): compare authorities (ca.crt), clocks and "+
			"names; the other side's message says what differs", remote.Err)
	}
	return err.Error()
}

// SpeaksTLS explains why a connection without TLS fails whose other side speaks TLS.
const SpeaksTLS = "it speaks TLS, which needs certificates: give --certs on both sides"

// Records of TLS begin with one of these bytes, which no plaintext protocol of this program begins with.
const (
	recordAlert     = 21
	recordHandshake = 22
)

// IsTLS reports whether the first byte from a connection without TLS shows that the other side speaks TLS.
func IsTLS(first byte) bool { return first == recordAlert || first == recordHandshake }
