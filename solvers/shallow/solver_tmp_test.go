package shallow
import (
	"context"; "testing"; "math"; "time"; "fmt"; "os"; "runtime/pprof"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/run/decompose"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/halo"
)
type alone struct{}
func (alone) Rank() int {return 0}
func (alone) Size() int {return 1}
func (alone) Isend(ctx context.Context, to, tag int, buf []byte) (dist.Request, error) {return 0,nil}
func (alone) Irecv(ctx context.Context, to, tag int, buf []byte) (dist.Request, error) {return 0,nil}
func (alone) Wait(ctx context.Context, r []dist.Request) error {return nil}
func (alone) AllreduceFloat64(ctx context.Context, op dist.Op, buf []float64) error {return nil}
func (alone) AllreduceInt64(ctx context.Context, op dist.Op, buf []int64) error {return nil}
func (alone) Barrier(ctx context.Context) error {return nil}
func (alone) Bcast(ctx context.Context, root int, buf []byte) error {return nil}
func (alone) Gatherv(ctx context.Context, root int, b []byte) ([][]byte, error) {return [][]byte{b},nil}
func (alone) Allgatherv(ctx context.Context, b []byte) ([][]byte, error) {return [][]byte{b},nil}
func (alone) Abort(int, error) {}
func (alone) Close() error {return nil}

func setup(cells int, order partition.Ordering, test int) (*mesh.Part, *halo.Plan, Initial, Config) {
	m, err := mesh.Rectangle(-5,-5,5,5,cells,7)
	if err != nil { panic(err) }
	d, err := decompose.New(m, decompose.Options{Ranks:1, Order: order})
	if err != nil { panic(err) }
	p, plan, err := decompose.Scatter(context.Background(), alone{}, d, nil)
	if err != nil { panic(err) }
	n := len(p.Cells)
	z := func() []float64 { return make([]float64, n) }
	in := Initial{Depth:z(),H1:z(),H2:z(),U1:z(),V1:z(),U2:z(),V2:z()}
	for i := range p.Cells {
		x,y := p.Centroid(i)
		if test==1 {
			in.Depth[i]=6; in.H1[i]=.5
			if math.Sqrt(x*x+y*y)>1.5 { in.H1[i]=4 }
			in.H2[i]=6-in.H1[i]
		} else {
			in.Depth[i]=1-1.5*math.Exp(-x*x-y*y)
			in.H1[i],in.H2[i]=.5,4
			if x>=0 {in.H1[i],in.H2[i]=4,.5}
		}
	}
	r := .5
	if test==2 {r=.98}
	return p, plan, in, Config{Gravity:9.81,DensityRatio:r,CFL:.9,DryDepth:1e-6,EntropyFix:.05, Boundary: make([]bool,8)}
}
func TestPaper(t *testing.T) {
	for test:=1;test<=2;test++ {
	for _, cells := range []int{4050,16200,64800} {
	for _, scheme := range []string{"roe","ir-roe","pvm-ifcp"} {
		p, plan, in, cfg := setup(cells, partition.RCM, test)
		cfg.Scheme=scheme; cfg.EntropyFix=0
		ctx := context.Background()
		s, err := New(ctx, "float64", cfg, p, plan, in, alone{}, cpu.New(1))
		if err != nil { t.Fatal(err) }
		for s.Time() < .1 { if _, err := s.Step(ctx, .1); err != nil { t.Fatal(err) } }
		d, _ := s.Diagnose(ctx)
		fmt.Printf("%d %d %s steps %d h1 %.4f..%.4f h2 %.4f..%.4f u %.3f z1 %.4f h2sq %.3f mass %.15g %.15g lim %d cplx %d\n", test, cells, scheme, s.Steps(), d.H1Min,d.H1Max,d.H2Min,d.H2Max,d.SpeedMax,d.Z1AbsIntegral,d.H2SqIntegral, d.Mass1, d.Mass2, d.LimitedFluxes, d.ComplexEdges)
	}}}
}
func TestSpeed(t *testing.T) {
	for _, th := range []int{1,2} {
	for _, o := range []partition.Ordering{"rcm","random"} {
	for _, scheme := range []string{"pvm-ifcp","ir-roe"} {
		p, plan, in, cfg := setup(1036800, o, 1)
		cfg.Scheme=scheme
		ctx := context.Background()
		s, err := New(ctx, "float64", cfg, p, plan, in, alone{}, cpu.New(th))
		if err != nil { t.Fatal(err) }
		for i:=0;i<2;i++ { s.Step(ctx, 1) }
		var f *os.File
		if th==1&&o=="rcm"&&scheme=="pvm-ifcp" { f, _ = os.Create("/tmp/s.prof"); pprof.StartCPUProfile(f) }
		t0 := time.Now(); n := 15
		for i:=0;i<n;i++ { s.Step(ctx, 1) }
		pprof.StopCPUProfile()
		d := time.Since(t0)
		fmt.Printf("%d threads %s %s %.2f Mcell/s, %.0f B/cell\n", th, o, scheme, float64(n)*float64(len(p.Cells))/d.Seconds()/1e6, s.BytesPerCell())
	}}}
}
