package supervise

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// A supervisor and the launcher prove to each other that they have the token of the run, without sending it:
//
//	supervisor → launcher  hello with a random nonce
//	launcher → supervisor  challenge: a random nonce, and the launcher's proof
//	supervisor → launcher  proof: the supervisor's proof
//
// A proof is the HMAC of the role and the transcript: the lines of hello and the launcher's nonce. From then on each
// line ends with a HMAC of its number and its text, whose keys depend on the transcript as well, so that whoever
// forwards the handshake of others cannot add a command. Without a token both prove nothing, and the connection must
// authenticate them: by TLS.
const (
	// EnvToken names the environment variable with the secret of a job that all its processes must have.
	EnvToken = "ATOLL_TOKEN"

	handshakeTimeout = 10 * time.Second // from the connection to the end of the handshake
	nonceBytes       = 32
)

// roles of a proof, or the sender of a line
const (
	launcherRole   = "launcher"
	supervisorRole = "supervisor"
)

// transcript is what both sides of a handshake have sent.
type transcript struct {
	token string
	hash  [sha256.Size]byte // of the hello and the launcher's nonce
}

func newTranscript(token string, hello []byte, nonce []byte) transcript {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%d ", len(hello)) // a hash never fails
	_, _ = h.Write(hello)
	_, _ = h.Write(nonce)
	t := transcript{token: token}
	h.Sum(t.hash[:0])
	return t
}

// derive returns a HMAC for a purpose and a role.
func (t transcript) derive(purpose, role string) []byte {
	h := hmac.New(sha256.New, []byte(t.token))
	_, _ = fmt.Fprintf(h, "atoll supervise 1 %s %s ", purpose, role)
	_, _ = h.Write(t.hash[:])
	return h.Sum(nil)
}

func (t transcript) proof(role string) []byte { return t.derive("proof", role) }

// proves reports, in constant time, whether a proof is that of a role.
func (t transcript) proves(role string, proof []byte) bool { return hmac.Equal(t.proof(role), proof) }

// key returns the key for the lines that a role sends.
func (t transcript) key(role string) []byte { return t.derive("key", role) }

func newNonce() []byte {
	b := make([]byte, nonceBytes)
	_, _ = rand.Read(b) // never fails
	return b
}

// wrongToken is the reason of both sides for refusing the other.
const wrongToken = "it does not have the token of the run (" + EnvToken + ")"

// greet is the supervisor's side of the handshake. It returns a RefusedError if the launcher has refused the
// supervisor, or has not proved that it has the token.
func (w *messageConn) greet(h hello, token string) error {
	h.Nonce = newNonce()
	line, err := json.Marshal(message{Kind: kindHello, Hello: &h})
	if err == nil {
		err = w.writeLine(line)
	}
	if err != nil {
		return err
	}
	answer, err := w.read()
	if err != nil {
		return fmt.Errorf("no launcher answers: %w", err)
	}
	if answer.Kind == kindRefused {
		return &RefusedError{answer.Text}
	}
	t := newTranscript(token, line, answer.Nonce)
	if answer.Kind != kindChallenge || len(answer.Nonce) != nonceBytes || !t.proves(launcherRole, answer.Proof) {
		_ = w.write(message{Kind: kindRefused, Text: "the launcher has not proved that it has the token"})
		return &UnknownLauncherError{}
	}
	if err := w.write(message{Kind: kindProof, Proof: t.proof(supervisorRole)}); err != nil {
		return err
	}
	w.secure(t.key(supervisorRole), t.key(launcherRole))
	return nil
}

// UnknownLauncherError: what listens at the launcher's address has not proved that it has the token of the run.
type UnknownLauncherError struct{}

func (*UnknownLauncherError) Error() string {
	return "what answers at the launcher's address has not proved that it has the token of the run (" + EnvToken +
		"): it is the launcher of another run, or a stranger, and no command of it was obeyed"
}

// welcome is the launcher's side of the handshake. It returns the hello of a supervisor that has proved that it has the
// token.
func (w *messageConn) welcome(token string) (*hello, error) {
	m, err := w.read()
	if err != nil {
		return nil, err
	}
	if m.Kind != kindHello || m.Hello == nil || len(m.Hello.Nonce) != nonceBytes {
		return nil, errors.New("it is not a supervisor of this version of the program")
	}
	nonce := newNonce()
	t := newTranscript(token, w.line, nonce)
	if err := w.write(message{Kind: kindChallenge, Nonce: nonce, Proof: t.proof(launcherRole)}); err != nil {
		return nil, err
	}
	answer, err := w.read()
	switch {
	case err != nil:
		return nil, err
	case answer.Kind == kindRefused:
		return nil, fmt.Errorf("it has refused this launcher: %.200q", answer.Text)
	case answer.Kind != kindProof || !t.proves(supervisorRole, answer.Proof):
		_ = w.write(message{Kind: kindRefused, Text: wrongToken})
		return nil, errors.New(wrongToken)
	}
	w.secure(t.key(launcherRole), t.key(supervisorRole))
	return m.Hello, nil
}
