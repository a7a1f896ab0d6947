package ptx

import (
	"strconv"
	"strings"

	"github.com/atoll-hpc/atoll/internal/pattern"
)

// Texts is the PTX of a module, split so that kernels can be compiled one by one.
type Texts struct {
	Head    string            // the text before the first kernel, which all kernels need
	Kernels map[string]string // by symbol
	Whole   string            // all of the PTX if the kernels depend on text between them and cannot be split; else ""
}

var (
	entryPattern       = pattern.Of(`(?m)^\.visible \.entry (\w+)\(`)
	declarationPattern = pattern.Of(`(?m)^\.(visible \.|weak \.|extern \.)?(func|global|shared|const)\b`)
)

// Split splits PTX into its kernels. Generated kernels call no separate functions, and their shared declarations come
// before the first kernel.
func Split(ptx string) Texts {
	entries := entryPattern().FindAllStringSubmatchIndex(ptx, -1)
	if len(entries) == 0 {
		return Texts{Whole: ptx}
	}
	t := Texts{Head: ptx[:entries[0][0]], Kernels: map[string]string{}}
	if declarationPattern().MatchString(ptx[entries[0][0]:]) {
		return Texts{Whole: ptx}
	}
	for n, entry := range entries {
		end := len(ptx)
		if n+1 < len(entries) {
			end = entries[n+1][0]
		}
		t.Kernels[ptx[entry[2]:entry[3]]] = ptx[entry[0]:end]
	}
	return t
}

// paramPattern matches a parameter of a kernel: the bits of its type, and the length of an array.
var paramPattern = pattern.Of(`\.param\s+(?:\.align\s+\d+\s+)?\.[a-z]+(\d+)\b[^,\[]*(?:\[(\d+)\])?`)

// ParamSizes returns the bytes of each parameter of a kernel as declared in PTX. The driver could report the sizes,
// but it marks the end of the list by an error, which tools such as compute-sanitizer would show.
func ParamSizes(ptx, symbol string) (sizes []int) {
	_, head, _ := strings.Cut(ptx, ".entry "+symbol+"(")
	head, _, _ = strings.Cut(head, ")")
	for _, p := range paramPattern().FindAllStringSubmatch(head, -1) {
		bits, _ := strconv.Atoi(p[1])
		if count, err := strconv.Atoi(p[2]); err == nil {
			bits *= count
		}
		sizes = append(sizes, bits/8)
	}
	return sizes
}
