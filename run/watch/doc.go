// Package watch shows a run while it goes on: a page for browsers, and its numbers for Prometheus.
//
// The run puts what it has into the mailbox of a Server, where only the latest stays; it never waits for a reader. All
// that is shown is what solvers declare: fields, quantities and phases. Pictures are made only while somebody looks.
//
//	/             the page; without JavaScript it loads itself again every few seconds
//	/events       the body of the page, each time it has changed (server-sent events)
//	/picture.png  the latest picture
//	/metrics      text of Prometheus
//	/healthz      200 while the process answers
package watch
