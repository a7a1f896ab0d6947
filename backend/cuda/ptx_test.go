package cuda

import (
	"slices"
	"strings"
	"testing"
)

// TestSplit proves that the parts are the whole text, and that each kernel is complete.
func TestSplit(t *testing.T) {
	for name, ptx := range map[string]string{"kernels": kernelsPTX, "primitives": primitivesPTX} {
		parts := split(ptx)
		if parts.whole != "" || len(parts.kernels) != strings.Count(ptx, ".entry ") {
			t.Fatalf("%s: got %d kernels, want %d", name, len(parts.kernels), strings.Count(ptx, ".entry "))
		}
		length := len(parts.head)
		for symbol, text := range parts.kernels {
			length += len(text)
			if !strings.HasPrefix(text, ".visible .entry "+symbol+"(") || strings.Count(text, "{") != strings.Count(text, "}") {
				t.Errorf("%s: kernel %s is not complete", name, symbol)
			}
		}
		if length != len(ptx) || requiredCapability(parts.head) != requiredCapability(ptx) {
			t.Errorf("%s: got %d bytes for sm_%d, want %d for sm_%d", name, length, requiredCapability(parts.head), len(ptx),
				requiredCapability(ptx))
		}
	}
}

// TestSplitKeepsFunctions proves that PTX with functions or variables between kernels is not split.
func TestSplitKeepsFunctions(t *testing.T) {
	const head = ".version 8.4\n.target sm_70\n.func before()\n{\n}\n"
	const kernel = ".visible .entry one(\n)\n{\n}\n"
	for between, splittable := range map[string]bool{"": true, ".func f()\n{\n}\n": false, ".global .u32 x;\n": false,
		".visible .func f()\n{\n}\n": false, "// .func\n": true} {
		ptx := head + kernel + between + strings.Replace(kernel, "one", "two", 1)
		if got := split(ptx); (got.whole == "") != splittable || got.whole != "" && got.whole != ptx ||
			splittable && len(got.kernels) != 2 {
			t.Errorf("between %q: %+v", between, got)
		}
	}
	if got := split(head); got.whole != head {
		t.Errorf("without kernels: %+v", got)
	}
}

func TestParamSizes(t *testing.T) {
	const ptx = ".visible .entry other(\n\t.param .u32 other_param_0\n)\n{\n}\n.visible .entry one(\n" +
		"\t.param .u64 one_param_0,\n\t.param .align 8 .b8 one_param_1[232],\n\t.param .f32 one_param_2,\n" +
		"\t.param .u64 .ptr .align 1 one_param_3\n)\n{\n\tld.param.u64 \t%rd1, [one_param_0];\n}\n"
	for symbol, want := range map[string][]int{"one": {8, 232, 4, 8}, "other": {4}, "on": nil} {
		if got := paramSizes(ptx, symbol); !slices.Equal(got, want) {
			t.Errorf("%s: parameters of %v bytes, want %v", symbol, got, want)
		}
	}
	if got := paramSizes(kernelsPTX, "axpy"); !slices.Equal(got, []int{8, 8, 56}) {
		t.Errorf("axpy: parameters of %v bytes", got)
	}
}
