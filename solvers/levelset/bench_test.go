package levelset

import "testing"

// BenchmarkStages measures the parts of a step of Enright's ball, per cell or particle.
func BenchmarkStages(b *testing.B) {
	g := cubeGrid(3, 64, 1)
	s := newSolver(b, withParticles(64), g, enrightFlow(b, g), ball(.35, .35, .35, .15))
	for _, stage := range s.Stages() {
		b.Run(stage.Name, func(b *testing.B) {
			for b.Loop() {
				if err := stage.Run(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*float64(stage.Size)/b.Elapsed().Seconds()/1e6, "M/s")
		})
	}
}
