// Package watch serves a live view of a run: a page for browsers, and metrics for Prometheus.
//
// The run passes its state to a Server, which keeps only the latest; it never waits for a viewer. The view shows only
// what solvers declare: fields, quantities and phases. Pictures are made only while there are viewers: each rank draws
// a Tile of the Plane, and rank 0 joins them.
//
//	/             the page; without JavaScript it reloads every few seconds
//	/events       the body of the page, each time it has changed (server-sent events)
//	/picture.png  the latest picture
//	/metrics      metrics in the text format of Prometheus
//	/healthz      200 while the process answers
package watch
