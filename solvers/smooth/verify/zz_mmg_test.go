package verify

import ("context";"testing";"fmt";"os";"bytes";"github.com/atoll-hpc/atoll/run/verify")

func TestMmgFigures(t *testing.T) {
	out, _ := os.Create("/tmp/mmg.txt")
	defer out.Close()
	s := verify.Suite{Name: "x", Checks: []verify.Check{{Name: "mmg", Run: func(ctx context.Context, p *verify.Page) error {
		tab := p.Table("x", "a")
		for _, k := range kindCases {
			for n := range 11 {
				s, err := subjectOf(k.dim, n)
				if err != nil { return err }
				before, after, scale, err := k.smoothed(ctx, p, &s, true)
				if err != nil { return err }
				q, err := findMmg(k.dim).best(ctx, p, &k, &s, scale)
				if err != nil { return err }
				fmt.Fprintf(out, "%s|%s|%d|%.4f %.4f|%.4f %.4f|%.4f %.4f|%v %d\n", k.name, s.name, s.vertices(), before.QualityMean, before.QualityMin, q.mean, q.worst, after.QualityMean, after.QualityMin, k.above(q).verdict(&after).OK, after.Sweeps)
			}
		}
		tab.Row(verify.AtLeast(1, 0), 1)
		tab.Flush()
		return nil
	}}}}
	var b bytes.Buffer
	_, err := s.Run(t.Context(), &b, verify.Options{Threads: 1})
	if err != nil { t.Fatal(err) }
}
