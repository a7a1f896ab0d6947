package supervise

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/atoll-hpc/atoll/launch"
)

// TestSchedules replays the schedules in testdata. Each line that is not indented is an event; the indented lines below
// it are the actions that follow and the new state. UPDATE=1 rewrites the files: check the difference.
func TestSchedules(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) < 8 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := replay(t, string(text))
			if os.Getenv("UPDATE") != "" {
				if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			} else if got != string(text) {
				t.Errorf("got\n%s", got)
			}
		})
	}
}

// replay returns a schedule with the actions and states that its events now cause.
func replay(t *testing.T, schedule string) string {
	var out strings.Builder
	var m *StateMachine
	for line := range strings.Lines(schedule) {
		if strings.HasPrefix(line, "\t") {
			continue
		}
		out.WriteString(line)
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] == "#":
		case words[0] == "limits":
			m = NewStateMachine(limitsOf(t, words[1:]))
		default:
			for _, a := range m.Step(eventOf(t, words)) {
				fmt.Fprintf(&out, "\t%s\n", actionText(a))
			}
			fmt.Fprintf(&out, "\t%v\n", m.State())
		}
	}
	return out.String()
}

// values returns the words of the form name=number, and the other words.
func values(t *testing.T, words []string) (numbers map[string]int, texts []string) {
	numbers = map[string]int{}
	for _, w := range words {
		name, value, isNumber := strings.Cut(w, "=")
		if !isNumber {
			texts = append(texts, w)
			continue
		}
		n, err := strconv.Atoi(value)
		if err != nil {
			t.Fatalf("%s: %v", w, err)
		}
		numbers[name] = n
	}
	return numbers, texts
}

func limitsOf(t *testing.T, words []string) Limits {
	n, flags := values(t, words)
	l := Limits{Ranks: n["ranks"], MinRanks: n["min"], MaxRanks: n["max"], Retries: n["retries"], Drain: time.Minute,
		RetryFailures: slices.Contains(flags, "retry-failures"), Aligned: slices.Contains(flags, "aligned"),
		InitialRanks: n["initial"], JoinDelay: 2 * time.Second, WaitLimit: 20 * time.Second}
	if l.MaxRanks == 0 && !l.Aligned {
		l.MinRanks = l.Ranks
	}
	return l
}

func eventOf(t *testing.T, words []string) Event {
	n, texts := values(t, words[1:])
	name := strings.Join(texts, " ")
	switch words[0] {
	case "join":
		return Join{name, n["slots"], name + ":7000", n["ordinal"]}
	case "slots":
		return Slots{name, n["slots"]}
	case "leave":
		return Leave{name, "no heartbeat"}
	case "exited":
		e := launch.Exit{Rank: n["rank"], Code: n["code"], BySupervisor: n["bysupervisor"] == 1,
			At: time.Unix(int64(n["at"]), 0)}
		if s := n["signal"]; s != 0 {
			e.Signal, e.Code = syscall.Signal(s), -1
		}
		if rank, ok := n["lost"]; ok {
			e.Report = &launch.Report{Rank: rank, Lost: true, Text: "no heartbeat"}
		}
		if rank, ok := n["failed"]; ok {
			e.Report = &launch.Report{Rank: rank, Text: "cell 7 is NaN"}
		}
		if rank, ok := n["fault"]; ok {
			e.Report = &launch.Report{Rank: rank, Fault: true, Text: "no space left on device"}
		}
		return Exited{name, uint64(n["epoch"]), e}
	case "allexited":
		return AllExited{name, uint64(n["epoch"]), name + ":7001"}
	case "raised":
		var err error
		switch name {
		case "":
		case "full":
			err = syscall.ENOSPC
		default:
			err = errors.New(name)
		}
		return EpochRaised{uint64(n["epoch"]), n["saved"], err}
	case "resize":
		return ResizeRequest{n["ranks"], "q"}
	case "stop":
		return Stop{}
	case "timer":
		return TimerFired{n["id"]}
	}
	t.Fatalf("unknown event %s", words[0])
	return nil
}

func actionText(a Action) string {
	switch a := a.(type) {
	case RaiseEpoch:
		return fmt.Sprintf("raise %v", a.Assignments)
	case StartWorkers:
		return fmt.Sprintf("start at %s: ranks %d to %d of %d, epoch %d, first epoch %d, coordinator %q", a.Member,
			a.First, a.First+a.Ranks-1, a.Size, a.Epoch, a.FirstEpoch, a.Coordinator)
	case EndWorkers:
		if a.Drain {
			return fmt.Sprintf("drain at %s, epoch %d", a.Member, a.Epoch)
		}
		return fmt.Sprintf("kill at %s, epoch %d, after %v", a.Member, a.Epoch, a.After)
	case SetTimer:
		return fmt.Sprintf("set timer %d to %v", a.ID, a.After)
	case LogLine:
		return "log: " + a.Text
	case ResizeReply:
		return fmt.Sprintf("reply %q", a.Text)
	case Finish:
		text := fmt.Sprintf("finish: %d exits, stopped %v, reason %q, error %v", len(a.Exits), a.Stopped, a.Reason, a.Err)
		if a.Faulty {
			text += ", faulty"
		}
		return text
	}
	return "?"
}
