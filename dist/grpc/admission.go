package grpc

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"

	"github.com/atoll-hpc/atoll/proto"
)

// Protocol is the version of the wire protocol, increased with each incompatible change.
const Protocol = 4

// jobIdentity is what all ranks of a run must share to be admitted.
type jobIdentity struct {
	epoch       uint64
	token       string
	build, hash string // of program and case; "" until the first rank that has one sets it
	setBy       string // the rank that has set them, for messages
}

func jobOf(cfg Config, setBy string) jobIdentity {
	return jobIdentity{epoch: cfg.Epoch, token: cfg.Token, build: cfg.BuildID, hash: cfg.CaseHash, setBy: setBy}
}

// hasToken reports whether a token is the job's, in constant time, so that timing does not reveal a correct prefix.
func (j *jobIdentity) hasToken(token string) bool {
	a, b := sha256.Sum256([]byte(j.token)), sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// refusalReason returns why a rank cannot join, or "". Without the token a client learns nothing else about the
// run. The caller holds the lock.
func (c *coordinator) refusalReason(h *proto.Hello, name rankName) (reason, string) {
	switch {
	case !c.job.hasToken(h.Token):
		return wrongToken, "does not have the token of the job"
	case h.Protocol != Protocol:
		return wrongBuild, fmt.Sprintf("speaks version %d of the protocol, the coordinator speaks %d: start the same "+
			"program everywhere", h.Protocol, Protocol)
	case h.Epoch != c.job.epoch:
		return wrongEpoch, fmt.Sprintf("belongs to epoch %d of the run, which is in epoch %d", h.Epoch, c.job.epoch)
	case int64(h.Size) != int64(c.size):
		return wrongRank, fmt.Sprintf("was started for %d ranks, the coordinator for %d", h.Size, c.size)
	case int64(h.Rank) >= int64(c.size):
		return wrongRank, fmt.Sprintf("does not exist among %d ranks", c.size)
	case name.given && name.rank != int(h.Rank):
		return wrongName, "has " + name.String()
	}
	if err := c.cfg.check(h.Address); err != nil {
		return wrongName, "cannot be reached: " + err.Error()
	}
	switch {
	case mismatch(h.BuildId, c.job.build):
		return wrongBuild, fmt.Sprintf("runs build %s, %s runs %s: start the same program everywhere", quoted(h.BuildId),
			c.job.setBy, quoted(c.job.build))
	case mismatch(h.CaseHash, c.job.hash):
		return wrongCase, fmt.Sprintf("has case %s, %s has %s: give the same case file and options everywhere",
			quoted(h.CaseHash), c.job.setBy, quoted(c.job.hash))
	case c.ranks[h.Rank] != nil:
		return wrongRank, fmt.Sprintf("was started twice: at %s and at %s", quoted(c.ranks[h.Rank].address),
			quoted(h.Address))
	}
	return "", ""
}

// mismatch reports whether both are given and differ. A rank without a case yet passes "".
func mismatch(a, b string) bool { return a != "" && b != "" && a != b }

// quoted returns a text from the network, quoted and shortened for a line of a log.
func quoted(s string) string {
	const maxQuoted = 100
	if len(s) > maxQuoted {
		return fmt.Sprintf("%q…", s[:maxQuoted])
	}
	return fmt.Sprintf("%q", s)
}
