package folder

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"
)

// A lease says in the lock file which process holds the folder. Its holder renews it every renewInterval, so that other
// processes see that it lives also where file locks do not: on file systems without them, and on those on which they
// hold on one node only. A lease that nobody has renewed for leaseTime is void.
const (
	renewInterval = time.Second
	leaseTime     = 3 * time.Second
	leaseBytes    = 1024 // of the lock file: each lease replaces the one before, in one write
)

// lease is the content of a lock file: a line for people, followed by these fields.
type lease struct {
	ID      string `json:"id"`
	Renewed uint64 `json:"renewed"` // number of renewals
	Epoch   uint64 `json:"epoch"`   // largest epoch that the holder knows, 0 if the run is not elastic
	PID     int    `json:"pid"`
	Machine string `json:"machine"` // identifies a boot of a machine and its set of process numbers; "" if unknown
	Holder  string `json:"-"`       // the line for people
}

// newLease returns the lease of this process.
func newLease() lease {
	host, err := os.Hostname()
	if err != nil {
		host = "this machine"
	}
	return lease{ID: rand.Text(), PID: os.Getpid(), Machine: machine(),
		Holder: fmt.Sprintf("process %d on %s since %s", os.Getpid(), host, time.Now().Format(time.DateTime))}
}

// encode returns the content of a lock file with the lease.
func (l *lease) encode() ([]byte, error) {
	text, err := json.Marshal(l)
	if err != nil {
		return nil, err
	}
	content := fmt.Appendf(nil, "%.150s\n%s\n", l.Holder, text)
	if len(content) < leaseBytes {
		content = append(content, bytes.Repeat([]byte{'\n'}, leaseBytes-len(content))...)
	}
	return content, nil
}

// decodeLease returns the lease in the content of a lock file. ok is false if there is none: nobody holds the folder,
// or something else is in the file.
func decodeLease(content []byte) (l lease, ok bool) {
	if l = decodeFields(content); l.ID == "" {
		return lease{}, false
	}
	line, _, _ := bytes.Cut(content, []byte{'\n'})
	l.Holder = string(line)
	return l, true
}

// decodeFields returns the fields in the content of a lock file, also of a lease that was given up.
func decodeFields(content []byte) (l lease) {
	_, rest, _ := bytes.Cut(content, []byte{'\n'})
	fields, _, _ := bytes.Cut(rest, []byte{'\n'})
	if json.Unmarshal(fields, &l) != nil {
		return lease{}
	}
	return l
}

// readLease returns the lease in a lock file.
func readLease(path string) (lease, bool) {
	file, err := os.Open(path)
	if err != nil {
		return lease{}, false
	}
	defer file.Close()
	content := make([]byte, leaseBytes)
	n, _ := file.Read(content)
	return decodeLease(content[:n])
}

// holderState is what is known of the holder of a lease.
type holderState uint8

const (
	holderUnknown holderState = iota // it may live
	holderLives                      // it has renewed its lease
	holderGone                       // its process has ended, or it has not renewed its lease for leaseTime
)

// watchHolder returns the next state of the holder of the lease first, when the lock file has been watched for a time
// and has the lease now; found is false if it has none any more. ended says that the process of the lease is known to
// have ended.
//
//	from     to     when
//	unknown  lives  the lease has been renewed, or another process holds one
//	unknown  gone   the process has ended, the lease was given up, or leaseTime has passed
func watchHolder(first, now lease, found, ended bool, watched time.Duration) holderState {
	switch {
	case !found, ended:
		return holderGone
	case now.ID != first.ID, now.Renewed != first.Renewed:
		return holderLives
	case watched >= leaseTime:
		return holderGone
	}
	return holderUnknown
}

// awaitHolder watches a lock file until it is known whether the holder of its lease lives. It returns the lease of a
// process that does.
func awaitHolder(path string) (lease, bool) {
	first, found := readLease(path)
	if !found {
		return lease{}, false
	}
	began, now := time.Now(), first
	for {
		switch watchHolder(first, now, found, first.ended(), time.Since(began)) {
		case holderGone:
			return lease{}, false
		case holderLives:
			return now, true
		}
		time.Sleep(renewInterval / 20)
		now, found = readLease(path)
	}
}

// ended reports whether the process of a lease is known to have ended: a process of this machine, whose number no other
// process has.
func (l *lease) ended() bool {
	return l.Machine != "" && l.Machine == machine() && !processExists(l.PID)
}

// holding is the state of the lock file of a folder that this process holds.
type holding uint8

const (
	held     holding = iota // the lease of this process is in the file that it has locked
	removed                 // the file was removed, replaced by one that nobody holds, or overwritten
	foreign                 // the file was replaced by one that is locked by a process that is not a run
	replaced                // another run holds the folder
)

// sight is what the holder of a folder sees when it looks at the lock file.
type sight struct {
	sameFile bool // the file at the path is the one that was locked
	lockable bool // of another file: it can be locked
	found    bool // a lease is in the file
	own      bool // it is that of this process
}

// judge returns the state of the lock file.
func judge(s sight) holding {
	switch {
	case s.found && !s.own:
		return replaced
	case s.sameFile && s.own:
		return held
	case s.sameFile, s.lockable:
		return removed
	}
	return foreign
}

// ReplacedError: another run has taken the folder. The process must write nothing more into it.
type ReplacedError struct{ Dir, By string }

func (e *ReplacedError) Error() string {
	return fmt.Sprintf("%s is held by %s now, which has replaced this run: this run ends, and that one continues it",
		e.Dir, e.By)
}

// withoutLocks reports whether an error of locking a file says that its file system has no locks.
func withoutLocks(err error) bool { return errors.Is(err, errors.ErrUnsupported) || isNoLock(err) }
