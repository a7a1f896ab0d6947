package expr

import (
	"testing"

	general "github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"
)

const dam = "sqrt(x*x + y*y) > 1.5 ? 4.0 : 0.5"

func BenchmarkEval(b *testing.B) {
	p, err := Compile(dam)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for i := range b.N {
		if _, err := p.Eval(float64(i&7), 1, 0, 0); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEvalExtra(b *testing.B) {
	p, err := Compile("6 - h1*exp(-x^2)", "depth", "h1")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	values := []float64{6, 4, 0}
	for i := range b.N {
		if _, err := p.Eval(float64(i&7), 1, 0, 0, values[:2]...); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkGeneralMachine evaluates the same expression with the virtual machine of expr-lang/expr, for comparison.
func BenchmarkGeneralMachine(b *testing.B) {
	type env struct {
		X    float64               `expr:"x"`
		Y    float64               `expr:"y"`
		Sqrt func(float64) float64 `expr:"sqrt"`
	}
	e := env{Sqrt: functions["sqrt"].unary}
	p, err := general.Compile(dam, general.Env(e))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	var machine vm.VM
	for i := range b.N {
		e.X, e.Y = float64(i&7), 1
		if _, err := machine.Run(p, &e); err != nil {
			b.Fatal(err)
		}
	}
}
