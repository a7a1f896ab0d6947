package grpc

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/atoll-hpc/atoll/dist/grpc/certs"
)

// reason is why a rank or connection was refused, as a summary says it.
type reason string

const (
	wrongToken    reason = "without the token of the job"
	wrongEpoch    reason = "of another epoch"
	wrongBuild    reason = "of another build"
	wrongCase     reason = "of another case"
	wrongRank     reason = "of an invalid or duplicate rank"
	wrongName     reason = "with the address or certificate of another rank"
	noCertificate reason = "without a certificate of the job"
	wrongSession  reason = "that do not belong to these ranks"
	noHello       reason = "without a hello in time"
	overflow      reason = "beyond the limit of open connections"
	badProtocol   reason = "that do not speak the protocol"
)

// rankMismatches are the reasons that can explain why a rank of the job is missing.
var rankMismatches = []reason{wrongEpoch, wrongBuild, wrongCase, wrongRank, wrongName}

// refusals counts refusals, and reports them at a bounded rate, so that they cannot fill a log: the first of each
// reason at once, then their number every notifyInterval.
type refusals struct {
	notify func(line string)

	mu       sync.Mutex
	count    map[reason]int
	notified map[reason]notification
	recent   []string // the last ones with the right token, for the messages of ranks that wait
	noTLS    string   // the last one without a certificate, or without TLS
}

// notification is the last report of a reason.
type notification struct {
	count int
	when  time.Time
}

const (
	notifyInterval = 10 * time.Second
	maxRecent      = 3
)

func newRefusals(notify func(line string)) *refusals {
	if notify == nil {
		notify = func(string) {}
	}
	return &refusals{notify: notify, count: make(map[reason]int), notified: make(map[reason]notification)}
}

// add counts a refusal, and reports it if it is due.
func (r *refusals) add(why reason, source, text string) {
	now := time.Now()
	r.mu.Lock()
	r.count[why]++
	if slices.Contains(rankMismatches, why) {
		if line := source + " " + text; !slices.Contains(r.recent, line) {
			r.recent = append(r.recent[max(0, len(r.recent)-maxRecent+1):], line)
		}
	}
	if why == noCertificate || why == badProtocol && text == certs.SpeaksTLS {
		r.noTLS = source + " " + text
	}
	n, last := r.count[why], r.notified[why]
	if last.count > 0 && now.Sub(last.when) < notifyInterval {
		r.mu.Unlock()
		return
	}
	r.notified[why] = notification{n, now}
	r.mu.Unlock()
	line := fmt.Sprintf("refused: %s %s; the run continues", source, text)
	if more := n - last.count - 1; more > 0 {
		line += fmt.Sprintf(" (and %d more %s)", more, why)
	}
	r.notify(line)
}

// recentLines returns the last refusals.
func (r *refusals) recentLines() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	lines := slices.Clone(r.recent)
	if r.noTLS != "" {
		lines = append(lines, r.noTLS)
	}
	return lines
}

// summarize reports the totals, if any reason occurred more than once.
func (r *refusals) summarize() {
	r.mu.Lock()
	var parts []string
	hasRepeats := false
	for why, n := range r.count {
		parts = append(parts, fmt.Sprintf("%d %s", n, why))
		hasRepeats = hasRepeats || n > 1
	}
	r.mu.Unlock()
	if slices.Sort(parts); hasRepeats {
		r.notify("refused in all: " + strings.Join(parts, ", "))
	}
}
