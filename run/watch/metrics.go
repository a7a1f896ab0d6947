package watch

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// exposition is text in the exposition format of Prometheus.
type exposition struct{ bytes.Buffer }

// addFamily adds the lines that describe a metric: its name, type and help.
func (e *exposition) addFamily(name, typ, help string) {
	help = strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(help)
	fmt.Fprintf(e, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, typ)
}

// quote escapes the value of a label.
var quote = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)

// addSample adds a value. labels are alternately names and values.
func (e *exposition) addSample(name string, value float64, labels ...string) {
	e.WriteString(name)
	for i := 0; i < len(labels); i += 2 {
		separator := ","
		if i == 0 {
			separator = "{"
		}
		fmt.Fprintf(e, `%s%s="%s"`, separator, labels[i], quote.Replace(labels[i+1]))
	}
	if len(labels) > 0 {
		e.WriteByte('}')
	}
	fmt.Fprintf(e, " %g\n", value)
}

// addSingle adds a family with a single value.
func (e *exposition) addSingle(name, typ, help string, value float64) {
	e.addFamily(name, typ, help)
	e.addSample(name, value)
}

// metrics returns the metrics of the run in the exposition format.
func (s *Server) metrics() []byte {
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	var e exposition
	st, a := &s.state, &s.state.about
	if st.started.IsZero() {
		return []byte("# the run is being set up\n")
	}
	e.addFamily("atoll_run_info", "gauge", "What is run, as labels.")
	e.addSample("atoll_run_info", 1, "case", a.Case, "solver", a.Solver, "transport", a.Transport, "backend", a.Backend,
		"precision", a.Precision, "version", a.Version)
	now := time.Now()
	if !st.ended.IsZero() {
		now = st.ended
	}
	portion, remaining, rate := a.Estimate(st.clock.Steps, st.clock.Time, now.Sub(st.started))
	e.addSingle("atoll_ranks", "gauge", "Ranks of the run.", float64(a.Ranks))
	e.addSingle("atoll_entities", "gauge", "What a step updates: cells or vertices, of all ranks.", float64(a.Cells))
	e.addSingle("atoll_steps", "counter", "Steps or sweeps since the start of the case.", float64(st.clock.Steps))
	if !a.Sweeps {
		e.addSingle("atoll_time_seconds", "gauge", "Simulated time.", st.clock.Time)
		e.addSingle("atoll_step_length_seconds", "gauge", "Simulated length of the last step.", st.clock.Dt)
	}
	e.addSingle("atoll_progress_ratio", "gauge", "Share of the run that is done.", portion)
	if remaining >= 0 {
		e.addSingle("atoll_left_seconds", "gauge", "Estimate of how long the rest of the run will take.", remaining.Seconds())
	}
	e.addSingle("atoll_updates_per_second", "gauge",
		"Entities that are updated a second, since the run began or was continued.", rate)
	e.addSingle("atoll_restarts", "counter", "How often the run continued from a checkpoint.", float64(st.restarts))
	if b := &st.balance; b.Share > 0 {
		e.addSingle("atoll_moves", "counter", "How often blocks have moved to other ranks.", float64(b.Moves))
		e.addSingle("atoll_balance_ratio", "gauge", "Mean counted work of a rank in that of the rank with most.", b.Share)
	}
	if quantities := st.allQuantities(); len(quantities) > 0 {
		e.addFamily("atoll_quantity", "gauge", "What the solver measures of the whole state.")
		for _, q := range quantities {
			e.addSample("atoll_quantity", q.Value, "name", q.Name, "unit", q.Unit)
		}
	}
	if len(st.phases) > 0 {
		e.addFamily("atoll_phase_seconds", "counter", "Where ranks spent their time.")
		for rank, phases := range st.phases {
			for _, name := range slices.Sorted(maps.Keys(phases)) {
				e.addSample("atoll_phase_seconds", phases[name], "rank", fmt.Sprint(rank), "phase", name)
			}
		}
	}
	return e.Bytes()
}
