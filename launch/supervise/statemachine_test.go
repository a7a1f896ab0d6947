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

// TestSchedules replays the schedules of testdata: each line before => is an event, and what stands below it are the
// actions that follow. UPDATE=1 writes what follows now: look at the difference.
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
				t.Errorf("what follows now:\n%s", got)
			}
		})
	}
}

// replay takes the events of a schedule, and adds what follows from each.
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

// values are the words of the form name=number, and the texts of the others.
func values(t *testing.T, words []string) (numbers map[string]int, texts []string) {
	numbers = map[string]int{}
	for _, w := range words {
		name, value, is := strings.Cut(w, "=")
		if !is {
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
	l := Limits{Ranks: n["ranks"], MinRanks: n["least"], MaxRanks: n["most"], Retries: n["retries"], Drain: time.Minute,
		RetryFailures: slices.Contains(flags, "again"), Aligned: slices.Contains(flags, "aligned"), InitialRanks: n["begin"],
		JoinDelay: 2 * time.Second, WaitLimit: 20 * time.Second}
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
		return Join{name, n["slots"], name + ":7000", n["order"]}
	case "slots":
		return Slots{name, n["slots"]}
	case "leave":
		return Leave{name, "no sign of life"}
	case "exited":
		e := launch.Exit{Rank: n["rank"], Code: n["code"], BySupervisor: n["ended"] == 1, At: time.Unix(int64(n["at"]), 0)}
		if s := n["signal"]; s != 0 {
			e.Signal, e.Code = syscall.Signal(s), -1
		}
		if of, is := n["lost"]; is {
			e.Report = &launch.Report{Rank: of, Lost: true, Text: "no sign of life"}
		}
		if of, is := n["fault"]; is {
			e.Report = &launch.Report{Rank: of, Text: "cell 7 is NaN"}
		}
		return Exited{name, uint64(n["epoch"]), e}
	case "ended":
		return AllExited{name, uint64(n["epoch"]), name + ":7001"}
	case "raised":
		var err error
		if name != "" {
			err = errors.New(name)
		}
		return EpochRaised{uint64(n["epoch"]), n["saved"], err}
	case "ask":
		return ResizeRequest{n["ranks"], "q"}
	case "stop":
		return Stop{}
	case "woken":
		return TimerFired{n["id"]}
	}
	t.Fatalf("no event: %s", words[0])
	return nil
}

func actionText(a Action) string {
	switch a := a.(type) {
	case RaiseEpoch:
		return fmt.Sprintf("raise %v", a.Assignments)
	case StartWorkers:
		return fmt.Sprintf("start at %s: ranks %d to %d of %d, epoch %d, began %d, meet at %q", a.Member, a.First,
			a.First+a.Ranks-1, a.Size, a.Epoch, a.FirstEpoch, a.Coordinator)
	case EndWorkers:
		if a.Drain {
			return fmt.Sprintf("drain at %s, epoch %d", a.Member, a.Epoch)
		}
		return fmt.Sprintf("kill at %s, epoch %d, after %v", a.Member, a.Epoch, a.After)
	case SetTimer:
		return fmt.Sprintf("wake %d after %v", a.ID, a.After)
	case LogLine:
		return "tell: " + a.Text
	case ResizeReply:
		return fmt.Sprintf("answer %q", a.Text)
	case Finish:
		return fmt.Sprintf("finish: %d exits, stopped %v, why %q, error %v", len(a.Exits), a.Stopped, a.Reason, a.Err)
	}
	return "?"
}
