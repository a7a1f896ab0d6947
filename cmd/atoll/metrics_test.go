package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/solvers"
)

const metricsHead = `# Metrics

The quantities that solvers measure. The metrics of summary.json are those of the state at the end, unless the
description says otherwise. Quantities marked "column" are also in each row of conservation.csv, for the state at that
time. Quantities marked "error" converge to 0 with the size of cells; a [study](studies.md) computes the order.

NAME_from_SOURCE is the inflow of the conserved quantity NAME since the start from a source, such as rain or a boundary
group. FIELD_l1_error, FIELD_l2_error and FIELD_max_error are the errors of a field with an
[exact solution](studies.md#exact-solutions) in the case.
`

// metricsPage returns the text of docs/metrics.md.
func metricsPage() string {
	var b strings.Builder
	b.WriteString(metricsHead)
	for _, name := range solvers.Names() {
		kind, _ := solvers.Find(name)
		fmt.Fprintf(&b, "\n## %s\n\n%s.\n\n", name, kind.Title)
		b.WriteString("| name | unit | description | column | error |\n| --- | --- | --- | --- | --- |\n")
		for _, q := range kind.Measured() {
			yes := map[bool]string{true: "yes"}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", q.Name, q.Unit, strings.ReplaceAll(q.Doc, "|", `\|`),
				yes[q.Outputs&solvers.Column != 0], yes[q.Error])
		}
	}
	return b.String()
}

// TestMetricsAreExplained: each metric has a description, and docs/metrics.md lists all of them as the solvers
// declare them. ATOLL_REWRITE=1 rewrites the page.
func TestMetricsAreExplained(t *testing.T) {
	for _, name := range solvers.Names() {
		kind, _ := solvers.Find(name)
		for _, q := range kind.Quantities {
			if q.Doc == "" {
				t.Errorf("%s: %s has no description", name, q.Name)
			}
		}
	}
	path := filepath.Join("..", "..", "docs", "metrics.md")
	if os.Getenv("ATOLL_REWRITE") != "" {
		if err := os.WriteFile(path, []byte(metricsPage()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile(path)
	if err != nil || string(page) != metricsPage() {
		t.Errorf("docs/metrics.md is not what solvers declare (%v): go test ./cmd/atoll -run TestMetricsAreExplained with "+
			"ATOLL_REWRITE=1 rewrites it", err)
	}
}
