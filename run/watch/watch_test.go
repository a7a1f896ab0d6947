package watch

import (
	"bytes"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/progress"
	"github.com/atoll-hpc/atoll/solvers"
)

func startServer(t *testing.T) *Server {
	t.Helper()
	s, err := Listen(Config{Address: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func begin(s *Server) {
	s.Begin(About{Case: `a "case" <of>`, Solver: "heat", Unit: "cell", Ranks: 2, Run: progress.Run{Cells: 100, End: 2}})
	s.Step(solvers.Clock{Time: 0.5, Steps: 7, Dt: 0.1})
	s.SetQuantities([]solvers.Quantity{
		{Name: "energy", Unit: "J\\m", Doc: "a \"quoted\"\nline", Value: 3.25},
		{Name: "energy_drift", Outputs: solvers.Drift, Value: math.NaN()}, {Name: "energy_from_left", Value: math.Inf(1)},
		{Name: "other", Value: 1},
	})
	s.SetPhases([]map[string]float64{{"halo": 1, "flux": 2}, {"halo": 3}})
}

// TestMetricsParse checks that Prometheus can parse the metrics, for any names and values.
func TestMetricsParse(t *testing.T) {
	s := startServer(t)
	defer s.End("done")
	parse := func() map[string]float64 {
		parser := expfmt.NewTextParser(model.UTF8Validation)
		families, err := parser.TextToMetricFamilies(bytes.NewReader(s.metrics()))
		if err != nil {
			t.Fatalf("metrics cannot be parsed: %v\n%s", err, s.metrics())
		}
		values := map[string]float64{}
		for name, family := range families {
			for _, m := range family.Metric {
				for _, l := range m.Label {
					name += " " + l.GetValue()
				}
				values[name] = m.GetGauge().GetValue() + m.GetCounter().GetValue()
			}
		}
		return values
	}
	if values := parse(); len(values) != 0 {
		t.Errorf("metrics before the run: %v, want none", values)
	}
	begin(s)
	values := parse()
	if values["atoll_steps"] != 7 || values["atoll_progress_ratio"] != 0.25 || values["atoll_time_seconds"] != 0.5 {
		t.Errorf("got %v, want 7 steps, progress 0.25 and time 0.5 s", values)
	}
}

// TestPageShowsQuantities checks that conserved quantities and their sources are in one table, and that text from
// outside is escaped.
func TestPageShowsQuantities(t *testing.T) {
	s := startServer(t)
	defer s.End("done")
	s.SetViewQuantities([]solvers.Quantity{{Name: "worst_cell", Value: 4711}, {Name: "other", Value: 2}})
	begin(s) // sets a row, which has the quantity other too
	page, err := s.fullPage()
	if err != nil {
		t.Fatal(err)
	}
	budget, measured, _ := strings.Cut(string(page), "<h2>Measured")
	for _, want := range []string{"25 %", "energy_from_left", "a &#34;case&#34; &lt;of&gt;"} {
		if !strings.Contains(budget, want) {
			t.Errorf("no %q in\n%s", want, budget)
		}
	}
	for _, want := range []string{"other", "<th>1</th>", "3.000", "worst_cell", "4711"} {
		if !strings.Contains(measured, want) {
			t.Errorf("no %q in\n%s", want, measured)
		}
	}
	if n := strings.Count(measured, "other"); n != 1 {
		t.Errorf("the quantity other is shown %d times in\n%s", n, measured)
	}
}

// TestURL checks that the URL of a server on all interfaces has the name of the machine, because browsers cannot open
// [::]. Without a host the server is on the loopback interface.
func TestURL(t *testing.T) {
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]string{":0": "127.0.0.1", "0.0.0.0:0": name, "[::]:0": name} {
		s, err := Listen(Config{Address: address})
		if err != nil {
			t.Fatal(err)
		}
		defer s.End("")
		if got, err := url.Parse(s.URL()); err != nil || got.Hostname() != want {
			t.Errorf("server at %s: URL %s, %v, want host %s", address, s.URL(), err, want)
		}
	}
}

// TestStuckReaderBlocksNothing checks that a client that never reads delays neither the last page for others nor the
// end of the run.
func TestStuckReaderBlocksNothing(t *testing.T) {
	s := startServer(t)
	begin(s)
	stuck, err := net.Dial("tcp", s.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer stuck.Close()
	if _, err := io.WriteString(stuck, "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	r, err := http.Get("http://" + s.Address() + "/events")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if want := s.Wants(); want != WantPicture {
		t.Errorf("with a viewer: Wants() = %d, want WantPicture", want)
	}
	s.SetAnswerTime(time.Second)
	if want := s.Wants(); want != WantNothing {
		t.Errorf("right after an answer that took a second: Wants() = %d, want WantNothing", want)
	}
	s.End("failed: <why>") // does not wait for the viewer who does not read
	body, _ := io.ReadAll(r.Body)
	if !strings.Contains(string(body), "failed: &lt;why&gt;") {
		t.Errorf("the last page is\n%s", body)
	}
}

// TestMailboxKeepsTheLatest checks that a late reader gets the latest value only.
func TestMailboxKeepsTheLatest(t *testing.T) {
	m := newMailbox()
	_, number, changed := m.get()
	m.set([]byte("one"))
	m.set([]byte("two"))
	<-changed
	latest, now, _ := m.get()
	if string(latest) != "two" || now != number+2 {
		t.Errorf("got %q with number %d, want \"two\" with the second number", latest, now)
	}
}

// TestPictureOfABlock checks that blocks of several ranks give the same picture as one block, projected along z by the
// largest and by the smallest value.
func TestPictureOfABlock(t *testing.T) {
	whole := &vtk.Image{Dim: 3, Whole: [3]int{7, 5, 4}, Spacing: [3]float64{1, 1, 1}}
	value := func(i, j, k int) float64 { return float64((i*31 + j*17 + k*43) % 19) }
	block := func(lo, n [3]int) (*vtk.Image, []float64) {
		m := *whole
		m.Box = vtk.Box{Lo: lo, N: n}
		var values []float64
		for k := range n[2] {
			for j := range n[1] {
				for i := range n[0] {
					values = append(values, value(lo[0]+i, lo[1]+j, lo[2]+k))
				}
			}
		}
		return &m, values
	}
	for _, projection := range []Projection{LargestAlongZ, SmallestAlongZ} {
		m, values := block([3]int{}, whole.Whole)
		g := solvers.Geometry{Block: m}
		p, err := NewPlane(Bounds(g), g)
		if err != nil {
			t.Fatal(err)
		}
		scale := NewScale(0, 18, nil)
		part := func(m *vtk.Image, values []float64) Part {
			t := p.Block(m, values, projection)
			return Part{t.X, t.Y, t.W, t.H, scale.Colours(t)}
		}
		one, err := p.picture([]Part{part(m, values)}, scale, projection)
		if err != nil {
			t.Fatal(err)
		}
		var parts []Part
		for _, lo := range [][3]int{{0, 0, 0}, {3, 0, 0}, {0, 0, 2}, {3, 0, 2}} {
			n := [3]int{3 + lo[0]/3, 5, 2}
			parts = append(parts, part(block(lo, n)))
		}
		four, err := p.picture(parts, scale, projection)
		if err != nil || !bytes.Equal(one.Pix, four.Pix) || bytes.IndexByte(one.Pix, transparent) >= 0 {
			t.Errorf("%s: %v, one rank\n%v\nfour\n%v", projection, err, one.Pix, four.Pix)
		}
	}
	p := Plane{Width: 4, Height: 4}
	if _, err := p.picture([]Part{{X: 3, W: 2, H: 1, Colours: make([]byte, 2)}}, Scale{0, 1}, ""); err == nil {
		t.Error("a part beyond the picture was accepted")
	}
}

// TestPictureOfAMesh checks that triangles with shared edges cover each pixel of a square, and that sections of
// tetrahedra do.
func TestPictureOfAMesh(t *testing.T) {
	flat := vtk.Triangles([]float64{0, 1, 1, 0, 0.4}, []float64{0, 0, 1, 1, 0.7},
		[][3]int32{{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}})
	solid := vtk.Tetrahedra([]float64{0, 1, 0, 1, 0, 1, 0, 1}, []float64{0, 0, 1, 1, 0, 0, 1, 1},
		[]float64{0, 0, 0, 0, 1, 1, 1, 1}, [][4]int32{{0, 1, 3, 7}, {0, 1, 5, 7}, {0, 2, 3, 7}, {0, 2, 6, 7}, {0, 4, 5, 7},
			{0, 4, 6, 7}}) // Kuhn's subdivision of a cube
	for name, g := range map[string]*vtk.Grid{"triangles": flat, "tetrahedra": solid} {
		geometry := solvers.Geometry{Mesh: g}
		p, err := NewPlane(Bounds(geometry), geometry)
		if err != nil {
			t.Fatal(err)
		}
		values := []float64{1, 2, 3, 4, 5, 6}[:len(g.Types)]
		tile := p.Mesh(g, values)
		count := map[float64]int{}
		for _, v := range tile.Values {
			count[v]++
		}
		if count[NoCell] > 0 || tile.W != maxPixels || tile.H != maxPixels || len(count) != len(values) {
			t.Errorf("%s: %d by %d pixels, pixels per value %v", name, tile.W, tile.H, count)
		}
	}
}
