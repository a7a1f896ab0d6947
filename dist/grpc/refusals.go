package grpc

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// reason is why somebody was refused, as a summary names it.
type reason string

const (
	wrongToken    reason = "without the token of the job"
	wrongEpoch    reason = "of another epoch"
	wrongBuild    reason = "of another build"
	wrongCase     reason = "of another case"
	wrongRank     reason = "of a rank that has no place"
	wrongName     reason = "with the address or certificate of another rank"
	noCertificate reason = "without a certificate of the job"
	wrongSession  reason = "that do not belong to these ranks"
	noHello       reason = "that did not say who they are in time"
	overflow      reason = "of more than may wait at once"
	badProtocol   reason = "that do not speak the protocol"
)

// rankMismatches are the reasons for which a rank of the job may be away.
var rankMismatches = []reason{wrongEpoch, wrongBuild, wrongCase, wrongRank, wrongName}

// refusals counts those that were refused, and tells of them so that they cannot fill a log: the first of each
// reason at once, of more of them their number, every pause.
type refusals struct {
	notify func(line string)

	mu       sync.Mutex
	count    map[reason]int
	notified map[reason]notification
	recent   []string // of those that had the token, and why: for ranks that wait for them
}

// notification is what was told of a reason.
type notification struct {
	count int
	at    time.Time
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

// add counts one.
func (r *refusals) add(why reason, who, text string) {
	now := time.Now()
	r.mu.Lock()
	r.count[why]++
	if slices.Contains(rankMismatches, why) {
		if line := who + " " + text; !slices.Contains(r.recent, line) {
			r.recent = append(r.recent[max(0, len(r.recent)-maxRecent+1):], line)
		}
	}
	n, told := r.count[why], r.notified[why]
	if told.count > 0 && now.Sub(told.at) < notifyInterval {
		r.mu.Unlock()
		return
	}
	r.notified[why] = notification{n, now}
	r.mu.Unlock()
	line := fmt.Sprintf("refused: %s %s; the run continues", who, text)
	if more := n - told.count - 1; more > 0 {
		line += fmt.Sprintf(" (and %d more %s)", more, why)
	}
	r.notify(line)
}

// recentLines returns who was refused last, and why.
func (r *refusals) recentLines() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.recent)
}

// summarize tells how many there were in all, when that is more than was told.
func (r *refusals) summarize() {
	r.mu.Lock()
	var parts []string
	more := false
	for why, n := range r.count {
		parts = append(parts, fmt.Sprintf("%d %s", n, why))
		more = more || n > 1
	}
	r.mu.Unlock()
	if slices.Sort(parts); more {
		r.notify("refused in all: " + strings.Join(parts, ", "))
	}
}
