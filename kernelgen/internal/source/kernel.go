package source

import (
	"go/ast"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// Kernel is a function marked //atoll:kernel.
type Kernel struct {
	Name   string
	Reduce Reduce // the reduction of the results of all indices
	Block  int    // threads of a block on the GPU
	Stages int    // indices for which the CPU does a stage before the next stage; 0 for a plain loop
	Grain  int    // indices that a thread of the CPU takes at a time; 0 for the device's default
	Host   string // the function that a CPU calls for a range instead of the kernel for each index; empty for none
	Dims   int    // dimensions of the index space: 1, 2 or 3
	Tile   bool   // an index is a tile, computed by a block of threads
	Lanes  bool   // vector code on the CPU computes several indices at a time
	Wide   bool   // vector code computes at least eight indices at a time, even if fewer fill a vector

	Variants []Variant // one for each value of its constant parameters

	Fn           *types.Func
	Decl         *ast.FuncDecl
	Constants    []*types.Var      // the constant parameters
	values       [][]constantValue // values of each constant parameter
	laneVariants []string          // variants with vector code; empty for all
}

// Reduce is the reduction of a kernel's results.
type Reduce string

const (
	ReduceNone Reduce = ""
	ReduceMin  Reduce = "min"
	ReduceMax  Reduce = "max"
)

// defaultBlock suits kernels that use many registers.
const defaultBlock = 128

// tileGrain is small, since a tile is much work, but more than 1, since a thread clears the shared arrays before each
// range.
const tileGrain = 4

// kernel reads a directive such as //atoll:kernel min block=256 stages=32.
func (p *Package) kernel(fn *types.Func, d *ast.FuncDecl, words []string) {
	if words[0] == "reduce" { // see package reductions
		return
	}
	if words[0] == "rare" && len(words) == 1 {
		p.Rare[fn] = true
		return
	}
	if words[0] != "kernel" {
		p.Refuse(d, "//atoll:%s before a function: a function can only be marked //atoll:kernel, //atoll:rare or "+
			"//atoll:reduce",
			words[0])
		return
	}
	k := &Kernel{Name: fn.Name(), Block: defaultBlock, Fn: fn, Decl: d}
	var blocks, blocks32 []int
	for _, word := range words[1:] {
		key, value, _ := strings.Cut(word, "=")
		n, err := strconv.Atoi(value)
		switch {
		case word == string(ReduceMin) || word == string(ReduceMax):
			k.Reduce = Reduce(word)
		case word == "tile":
			k.Tile = true
		case key == "host":
			k.Host = value
		case key == "lanes":
			k.Lanes = true
			if value != "" {
				k.laneVariants = strings.Split(value, ",")
			}
		case word == "wide":
			k.Wide = true
		case key == "block" && err == nil && n >= 32 && n <= 1024 && n%32 == 0:
			k.Block = n
		case key == "blocks" && parseNumbers(value, 16) != nil:
			blocks = parseNumbers(value, 16)
		case key == "blocks32" && parseNumbers(value, 32) != nil:
			blocks32 = parseNumbers(value, 32)
		case key == "stages" && err == nil && n >= 1 && n <= 1024:
			k.Stages = n
		case key == "grain" && err == nil && n >= 1 && n <= 1024:
			k.Grain = n
		case p.constantParameter(k, key, value):
		default:
			p.Refuse(d, "//atoll:kernel has no option %q: it takes min, max, tile, lanes, lanes=A,B, wide, block=N (a "+
				"multiple of 32 up to 1024), blocks=N (up to 16), blocks32=N, stages=N, grain=N, and parameter=A,B for a constant "+
				"parameter", word)
		}
	}
	k.Wide = k.Wide || k.Stages > 0
	p.makeVariants(k, blocks, blocks32)
	if k.Tile && k.Grain == 0 {
		k.Grain = tileGrain
	}
	p.checkKernel(k)
	p.Kernels = append(p.Kernels, k)
}

// parseNumbers parses a list of numbers from 0 to limit, such as 5,5,4. It returns nil for any other text.
func parseNumbers(list string, limit int) []int {
	var numbers []int
	for text := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || n > limit {
			return nil
		}
		numbers = append(numbers, n)
	}
	return numbers
}

// checkKernel refuses a kernel whose parameters, results or marks are not possible, and sets k.Dims.
func (p *Package) checkKernel(k *Kernel) {
	sig := k.Fn.Signature()
	if sig.Recv() != nil {
		p.Refuse(k.Decl, "kernel %s is a method: kernels are functions", k.Name)
		return
	}
	if k.Decl.Body == nil {
		p.Refuse(k.Decl, "kernel %s has no body", k.Name)
		return
	}
	k.Dims = dimensions(sig.Params())
	if k.Dims == 0 {
		p.Refuse(k.Decl, "kernel %s has no index: its first parameter must be an int, or its first ones i, j or i, j, k int",
			k.Name)
	}
	if sig.TypeParams().Len() > 1 {
		p.Refuse(k.Decl, "kernel %s has more than one type parameter: it may have one, the precision", k.Name)
	}
	if k.Tile {
		p.checkTile(k)
	}
	p.checkVectors(k)
	switch results := sig.Results(); {
	case k.Reduce == ReduceNone && results.Len() > 0:
		p.Refuse(k.Decl, "kernel %s returns a value: mark it //atoll:kernel min or max to reduce it, or write to a slice",
			k.Name)
	case k.Reduce != ReduceNone && results.Len() != 1:
		p.Refuse(k.Decl, "kernel %s is marked %s and must return one value", k.Name, k.Reduce)
	}
}

// dimensions counts the leading parameters that are indices: i, j, k or i, j by those names, or one int of any name.
func dimensions(params *types.Tuple) int {
	n := 0
	for _, name := range []string{"i", "j", "k"} {
		if n < params.Len() && isInt(params.At(n).Type()) && params.At(n).Name() == name {
			n++
		} else {
			break
		}
	}
	if n == 0 && params.Len() > 0 && isInt(params.At(0).Type()) {
		return 1
	}
	return n
}

// IsKernel reports whether a function is a kernel of the package.
func (p *Package) IsKernel(fn *types.Func) bool {
	return slices.ContainsFunc(p.Kernels, func(k *Kernel) bool { return k.Fn == fn })
}

func isInt(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Kind() == types.Int
}

// Precisions returns the lists of type arguments for which a kernel is translated: one for each float type that its
// type parameter allows, or one empty list for a kernel without a type parameter.
func (p *Package) Precisions(k *Kernel) [][]types.Type {
	params := k.Fn.Signature().TypeParams()
	if params.Len() == 0 {
		return [][]types.Type{nil}
	}
	iface, _ := params.At(0).Constraint().Underlying().(*types.Interface)
	var precisions [][]types.Type
	for _, kind := range []types.BasicKind{types.Float32, types.Float64} {
		if types.Satisfies(types.Typ[kind], iface) {
			precisions = append(precisions, []types.Type{types.Typ[kind]})
		}
	}
	acceptsOthers := false
	for kind := types.Bool; kind <= types.String; kind++ {
		acceptsOthers = acceptsOthers || kind != types.Float32 && kind != types.Float64 && types.Satisfies(types.Typ[kind],
			iface)
	}
	if len(precisions) == 0 || acceptsOthers {
		p.Refuse(k.Decl, "kernel %s: its type parameter must be constrained to float32 | float64", k.Name)
		return nil
	}
	return precisions
}

// KindOf returns the properties of a basic type, 0 for any other type.
func KindOf(t types.Type) types.BasicInfo {
	if b, ok := t.Underlying().(*types.Basic); ok {
		return b.Info()
	}
	return 0
}
